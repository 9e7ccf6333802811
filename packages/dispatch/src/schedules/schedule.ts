import type { CatchUp, Overlap, ScheduleInput, ScheduleState } from '@palisade/contracts';
import type { CronTimes } from './cron-times.ts';

/*
 * A schedule's life. `enabled`: at every due time it submits a run, or deals with the time otherwise as its
 * policies say. `paused` by somebody, `suspended` by itself after {@link LASTING_FAILURES} tries in a row
 * failed for a reason that does not pass: nothing starts, and due times go by. Resumed, it goes on with the
 * next due time.
 */

/** A schedule as stored, without what it submits. Times are protected ms. */
export interface Schedule {
  readonly project: string;
  readonly name: string;
  /** Tells a schedule from another one that had its name before. */
  readonly id: string;
  readonly cron: string;
  readonly zone: string;
  readonly catchUp: CatchUp;
  readonly catchUpLimit: number;
  readonly overlap: Overlap;
  readonly title: string;
  readonly repository: string | null;
  readonly base: string | null;
  readonly actor: string;
  readonly createdAt: number;
  readonly state: ScheduleState;
  readonly reason: string | null;
  /** The first due time that is not dealt with; null when there is none any more. */
  readonly nextSlot: number | null;
  readonly tryAt: number | null;
  readonly lastRunId: string | null;
  readonly failures: number;
  readonly lastError: { readonly code: string; readonly message: string; readonly at: number } | null;
}

/** What a schedule submits. */
export type Submission = ScheduleInput['submission'];

/** Tries in a row that fail for a reason that does not pass by itself before a schedule suspends itself. */
export const LASTING_FAILURES = 5;

/** With `skip`, a due time is missed when nobody dealt with it for this long. */
const MISSED_MS = 120_000;

/** A due time passed this long ago, and nobody even tried: somebody should know (FF-098). */
const OVERDUE_MS = 60_000;

/** What is to be done at `now`. `next` is the first due time after what is dealt with. */
export type Due =
  | { readonly what: 'wait' }
  | {
      readonly what: 'submit' | 'skip';
      readonly slot: number;
      readonly covers: number;
      readonly next: number | null;
    };

/** What a schedule owes at `now`, one due time at a time (DI-210, FF-103). */
export function dueAt(
  schedule: Pick<Schedule, 'nextSlot' | 'catchUp' | 'catchUpLimit'>,
  times: CronTimes,
  now: number,
): Due {
  const { nextSlot, catchUp, catchUpLimit } = schedule;
  if (nextSlot === null || nextSlot > now) return { what: 'wait' };
  const kept = times.latest(nextSlot, now, catchUp === 'all' ? catchUpLimit : 1);
  // A stored time is due even where the calendar does not know it any more, as after a change of a zone's rules.
  const slot = kept[0] ?? nextSlot;
  const covers = Math.max(1, times.count(nextSlot, slot));
  const next = times.after(slot);
  if (catchUp === 'skip' && slot + MISSED_MS < now) return { what: 'skip', slot, covers, next };
  return { what: 'submit', slot, covers, next };
}

/** True when a due time waits and no try of it is known to have failed. */
export function isOverdue(
  { state, tryAt }: Pick<Schedule, 'state' | 'tryAt'>,
  /** Protected time, or an estimate of it. */
  now: number,
): boolean {
  return state === 'enabled' && tryAt !== null && tryAt + OVERDUE_MS < now;
}

/** The id of the run of a due time: it names the run for ever, so that there is one whoever asks (DI-210). */
export function slotRunId(name: string, slot: number): string {
  return `${name}@${new Date(slot).toISOString().replace(/:00\.000Z$/, 'Z')}`;
}

/**
 * Pause before try number `failures + 1`, half of it random: a minute, then four times as long each time, up to
 * an hour; up to five minutes when what failed may pass by itself.
 */
export function tryAgainMs(failures: number, isLasting: boolean, random: () => number = Math.random): number {
  const ceiling = Math.min(isLasting ? 3_600_000 : 300_000, 60_000 * 4 ** (failures - 1));
  return Math.ceil(ceiling * (0.5 + random() / 2));
}
