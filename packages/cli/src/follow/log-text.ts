import { type OperationCaller, readLog } from '@palisade/contracts';
import type { Invocation } from '../invocation.ts';
import { foreignLog } from '../output/foreign-text.ts';

/** Reads an item's log page by page from `offset`. */
export async function* logPages(
  invocation: Invocation,
  target: { readonly run: string; readonly item: string; readonly attempt?: number },
  offset = 0,
  call: OperationCaller['call'] = invocation.call,
): AsyncGenerator<{
  readonly attempt: number;
  readonly lines: readonly unknown[];
  readonly offset: number;
  readonly complete: boolean;
}> {
  let at = offset;
  for (;;) {
    const page = await call(readLog, { ...target, offset: at, max_bytes: 1 << 20 });
    const hasMoved = page.next_offset > at;
    at = page.next_offset;
    yield { attempt: page.attempt, lines: page.lines, offset: at, complete: page.complete };
    if (page.complete || !hasMoved) return;
  }
}

/** One log record as text lines for people. `clean` leaves nothing that commands a terminal; only `--raw` leaves them. */
export function logText(line: unknown, clean: boolean): string[] {
  const text = textOf(line);
  const cleaned = clean ? foreignLog(text) : text;
  return cleaned.replace(/\n$/, '').split('\n');
}

function textOf(line: unknown): string {
  if (typeof line !== 'object' || line === null) return JSON.stringify(line) ?? '';
  const kind: unknown = Reflect.get(line, 'kind');
  const text: unknown = Reflect.get(line, 'text');
  if (kind === 'phase') {
    const detail: unknown = Reflect.get(line, 'detail');
    return `-- ${String(Reflect.get(line, 'phase'))}${typeof detail === 'string' ? ` ${detail}` : ''}`;
  }
  if (typeof text !== 'string') return JSON.stringify(line);
  return kind === 'warning' ? `warning: ${text}` : text;
}

/** The last `count` lines of an item's log. Empty when there is none yet. */
export async function logTail(
  invocation: Invocation,
  target: { readonly run: string; readonly item: string; readonly attempt?: number },
  count: number,
): Promise<string[]> {
  let tail: string[] = [];
  for await (const page of logPages(invocation, target)) {
    tail = [...tail, ...page.lines.flatMap((line) => logText(line, true))].slice(-count);
  }
  return tail;
}
