import { type EventView, getRun, lacksEngine, listEvents, RUN_TERMINAL } from '@palisade/contracts';
import type { Calls } from './calls.ts';
import { orAborted } from './or-aborted.ts';

const PAGE = 1_000;
const WAIT_MS = 1_000;

/**
 * The committed events of a run after a position, each exactly once and in order, until the run has ended
 * and all of them were given. While no engine owns the run, one is seen to. Rejects with the reason of a signal that aborts.
 */
export async function* followEvents(
  calls: Calls,
  run: string,
  after: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<EventView, void, undefined> {
  const stop = signal === undefined ? calls.closed : AbortSignal.any([calls.closed, signal]);
  let seq = after;
  for (;;) {
    const page = await orAborted(
      calls.call(listEvents, { run, after_seq: seq, limit: PAGE, wait_ms: WAIT_MS }),
      stop,
    );
    for (const event of page.data) {
      seq = event.seq;
      yield event;
    }
    const hasEnded = page.sealed || page.data.some(({ type }) => type === 'run.completed');
    if (page.has_more || (page.data.length > 0 && !hasEnded)) continue;
    const view = await orAborted(calls.call(getRun, { run, items: 'none' }), stop);
    if (RUN_TERMINAL.has(view.run.state) && view.last_seq <= seq) return;
    if (lacksEngine(view.run, Date.now())) await orAborted(calls.keepEngine(), stop);
  }
}
