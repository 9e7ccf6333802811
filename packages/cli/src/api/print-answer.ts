import type { Operation } from '@palisade/contracts';
import { Interrupted } from '../interrupt.ts';
import type { Invocation } from '../invocation.ts';
import { foreignJson } from '../output/foreign-text.ts';
import { emit } from '../output/format.ts';

/** Prints what an operation answered, unchanged, as one JSON document; of a stream one line a frame, as they come. Resolves to the exit code. */
export async function printAnswer(
  invocation: Invocation,
  operation: Operation,
  answer: unknown,
): Promise<number> {
  const { out, interrupted } = invocation;
  if (operation.frame === undefined) {
    const records = recordsOf(answer);
    emit(invocation, {
      json: answer,
      records,
      ids: records.flatMap((record) => ('id' in record && typeof record.id === 'string' ? [record.id] : [])),
      text: () => [foreignJson(answer)],
    });
    return 0;
  }
  for await (const frame of answer as AsyncIterable<unknown>) {
    if (out.closed.aborted) return 0;
    out.line(foreignJson(frame));
    if (interrupted.aborted) break;
  }
  if (interrupted.aborted) throw new Interrupted('interrupted');
  return 0;
}

function recordsOf(answer: unknown): readonly object[] {
  if (typeof answer !== 'object' || answer === null) return [];
  return 'data' in answer && Array.isArray(answer.data) ? (answer.data as object[]) : [answer];
}
