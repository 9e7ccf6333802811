import { RUN_TERMINAL } from './states.ts';
import type { RunView } from './run-views.ts';

/** True while nothing is to be done for a run but by people, and no time of it is over. `now` is Unix ms. */
export function waitsForPeople(run: RunView, now: number): boolean {
  const open = run.open_requests ?? 0;
  // More items that asked than open requests: one is answered, and that is to be acted on.
  const isAnswered = (run.counts.needs_input ?? 0) > open;
  return (
    run.state === 'waiting' &&
    open > 0 &&
    !isAnswered &&
    !run.cancel_requested &&
    (run.wakes_at ?? now + 1) > now
  );
}

/** True when nobody owns a run that an engine would take: not one that waits for people, is held, or has ended and is sealed. */
export function lacksEngine(run: RunView, now: number): boolean {
  if (run.owned || waitsForPeople(run, now)) return false;
  if (RUN_TERMINAL.has(run.state)) return !run.sealed;
  return run.state !== 'waiting' || run.paused === undefined;
}
