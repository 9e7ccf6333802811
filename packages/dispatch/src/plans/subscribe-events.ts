import {
  type CallContext,
  type EventFrame,
  type JournalEvent,
  PalisadeError,
  type subscribeEvents,
} from '@palisade/contracts';
import { resolveRun, runStream } from '@palisade/runs';
import type * as z from 'zod';
import type { PlanDeps } from './plan-deps.ts';

type Input = z.output<(typeof subscribeEvents)['input']>;

/**
 * Events of several runs over one subscription (EX-063). Each run keeps its own order; a frame's id is the position in every run, so
 * whoever comes back with it misses nothing and sees nothing twice.
 */
export async function subscribe(
  deps: PlanDeps,
  { run: refs, after }: Input,
  { project, signal = new AbortController().signal }: CallContext,
): Promise<AsyncIterable<EventFrame>> {
  const positions = after?.split('.').map(Number) ?? refs.map(() => -1);
  if (positions.length !== refs.length)
    throw new PalisadeError('invalid_input', 'after is no position of these runs', {
      next: 'give the same runs in the same order, or leave it out',
    });
  const ids = await deps.database.read(async (tx) => {
    const found = [];
    for (const ref of refs) found.push((await resolveRun(tx, project, ref)).id);
    return found;
  });
  if (new Set(ids).size !== ids.length)
    throw new PalisadeError('invalid_input', 'a run is named twice', { next: 'name each run once' });
  const standing = new Map(ids.map((id, i) => [runStream(id), positions[i] ?? -1]));
  return frames(ids, standing, deps.follow(new Map(standing), signal));
}

async function* frames(
  ids: readonly string[],
  standing: Map<string, number>,
  batches: AsyncIterable<readonly JournalEvent[]>,
): AsyncGenerator<EventFrame> {
  const runOf = new Map(ids.map((id) => [runStream(id), id]));
  for await (const batch of batches)
    for (const { stream, seq, type, at, data, hash } of batch) {
      standing.set(stream, seq);
      yield {
        id: [...standing.values()].join('.'),
        run_id: runOf.get(stream) ?? '',
        seq,
        type,
        at,
        data,
        hash,
      };
    }
}
