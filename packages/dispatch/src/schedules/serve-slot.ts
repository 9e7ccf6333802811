import { type ErrorCode, faultPoint, PalisadeError, toPalisadeError } from '@palisade/contracts';
import type { WriteTx } from '@palisade/kernel';
import { chosenRunId, findRootRun } from '@palisade/runs';
import { admissionOf } from '../plans/admit-run.ts';
import type { PlanDeps } from '../plans/plan-deps.ts';
import { checkSubmission, resolveSubmission } from '../plans/submit-plan.ts';
import { cronTimes } from './cron-times.ts';
import {
  type Due,
  dueAt,
  LASTING_FAILURES,
  type Schedule,
  slotRunId,
  type Submission,
  tryAgainMs,
} from './schedule.ts';
import { markFailure, markSlot, recordSlot, scheduleWithId, submissionOf } from './schedule-store.ts';

/** What became of one look at a schedule; `again` when another due time may wait already. */
export type Served = 'nothing' | 'again' | { readonly failed: PalisadeError };

/** Codes of failures that say nothing about the schedule itself, though no retry is promised. */
const PASSING: ReadonlySet<ErrorCode> = new Set(['internal', 'lease_conflict']);

/**
 * Deals with the first due time of a schedule, if there is one: the run and the mark that the time is dealt
 * with are one unit of work, so that there is exactly one run for it whoever dies and however many look
 * (DI-210). A try that fails is kept at the schedule with the time of the next one, and raised only when even
 * that cannot be stored.
 */
export async function serveSlot(deps: PlanDeps, id: string, random?: () => number): Promise<Served> {
  const found = await deps.database.write(async (tx) => {
    const schedule = await scheduleWithId(tx, id);
    if (schedule?.state !== 'enabled' || schedule.tryAt === null || schedule.tryAt > tx.now) return null;
    if (!(await deps.isActive(tx, schedule.project))) return null;
    return { schedule, now: tx.now, submission: await submissionOf(tx, schedule) };
  });
  if (found === null) return 'nothing';
  const { schedule, now, submission } = found;
  try {
    const due = dueAt(schedule, cronTimes(schedule.cron, schedule.zone), now);
    if (due.what === 'wait') return 'nothing';
    if (due.what === 'submit') return await submitSlot(deps, schedule, submission, due);
    await miss(deps, schedule, due);
    return 'again';
  } catch (error) {
    const failure = toPalisadeError(error);
    await keepFailure(deps, schedule, failure, random);
    return { failed: failure };
  }
}

type Owed = Exclude<Due, { what: 'wait' }>;

/** Too late for a schedule that makes nothing up. */
async function miss({ database }: PlanDeps, schedule: Schedule, due: Owed): Promise<void> {
  await database.write(async (tx) => {
    if (await markSlot(tx, schedule, due.next, null)) await recordSkipped(tx, schedule, due, 'missed');
  });
}

async function submitSlot(
  deps: PlanDeps,
  schedule: Schedule,
  submission: Submission,
  due: Owed,
): Promise<'nothing' | 'again'> {
  const { project, name, actor } = schedule;
  const { slot, covers, next } = due;
  if (await skipIfOpen(deps, schedule, due)) return 'again';
  const { plan, requestHash } = checkSubmission(deps, submission);
  const runId = chosenRunId(project, slotRunId(name, slot));
  const { admission } = await resolveSubmission(deps, plan, submission, { project, runId, actor });
  const insert = admissionOf(deps, {
    ...admission,
    project,
    actor,
    runId,
    requestHash,
    schedule: { name, slot, covers },
  });
  const served = await deps.database.write(async (tx) => {
    // It was archived since the schedule was found due: none of its times comes any more.
    if (!(await deps.isActive(tx, project))) return 'nothing';
    if (!(await markSlot(tx, schedule, next, runId))) return 'again';
    await insert(tx);
    await recordSlot(tx, schedule, { slot, outcome: 'submitted', run_id: runId, covers });
    faultPoint('schedule.before-commit');
    return 'again';
  });
  faultPoint('schedule.after-commit');
  return served;
}

/** With `overlap: skip`, a due time goes by while the last run goes on. */
async function skipIfOpen({ database }: PlanDeps, schedule: Schedule, due: Owed): Promise<boolean> {
  const { overlap, lastRunId } = schedule;
  if (overlap === 'allow' || lastRunId === null) return false;
  return database.write(async (tx) => {
    const last = await findRootRun(tx, lastRunId);
    if (last === undefined || last.finishedAt !== null) return false;
    if (await markSlot(tx, schedule, due.next, null))
      await recordSkipped(tx, schedule, due, `run ${lastRunId} had not ended`);
    return true;
  });
}

function recordSkipped(tx: WriteTx, schedule: Schedule, { slot, covers }: Owed, reason: string) {
  return recordSlot(tx, schedule, { slot, outcome: 'skipped', covers, reason });
}

async function keepFailure(
  { database }: PlanDeps,
  schedule: Schedule,
  error: PalisadeError,
  random?: () => number,
): Promise<void> {
  const isLasting = !error.facts.retryable && !PASSING.has(error.code);
  const failures = schedule.failures + 1;
  const message = [error.message, ...error.issues.slice(0, 3).map((each) => `${each.path}: ${each.message}`)];
  await database.write((tx) =>
    markFailure(tx, schedule, {
      failures,
      code: error.code,
      message: message.join('; '),
      tryAt: tx.now + tryAgainMs(failures, isLasting, random),
      suspended: isLasting && failures >= LASTING_FAILURES ? `${failures} tries in a row failed` : null,
    }),
  );
}
