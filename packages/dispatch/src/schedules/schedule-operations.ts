import {
  addSchedule,
  type BoundOperation,
  type Caller,
  bindOperation,
  type CallContext,
  canonicalHash,
  getSchedule,
  isHost,
  listSchedules,
  nearest,
  newId,
  PalisadeError,
  pauseSchedule,
  removeSchedule,
  resumeSchedule,
  runScheduleNow,
  type ScheduleView,
} from '@palisade/contracts';
import {
  aboutNow,
  answeredBefore,
  answerOrRehearse,
  type ReadTx,
  receiptOf,
  type WriteTx,
} from '@palisade/kernel';
import type * as z from 'zod';
import { chosenRunId } from '@palisade/runs';
import { assertOwnInputs, heldToCaller } from '../plans/held-to-caller.ts';
import { admissionOf } from '../plans/admit-run.ts';
import type { PlanDeps } from '../plans/plan-deps.ts';
import { checkSubmission, resolveSubmission } from '../plans/submit-plan.ts';
import { cronTimes, nextTimes } from './cron-times.ts';
import type { Schedule } from './schedule.ts';
import { scheduleView } from './schedule-view.ts';
import {
  allSchedules,
  deleteSchedule,
  findSchedule,
  insertSchedule,
  recordSlot,
  setLastRun,
  setState,
  slotsOf,
  submissionOf,
} from './schedule-store.ts';

/** Runs made up for by `catch_up: all` where nobody says how many. */
const CATCH_UP_RUNS = 10;
const SHOWN_TIMES = 3;
const SHOWN_SLOTS = 20;

/** The operations on schedules. */
export function scheduleOperations(deps: PlanDeps): BoundOperation[] {
  const { database } = deps;
  return [
    bindOperation(addSchedule, (input, context) => add(deps, input, context)),
    bindOperation(listSchedules, (_, { project, caller }) =>
      database.read(async (tx) => {
        const data: ScheduleView[] = [];
        for (const schedule of await allSchedules(tx, project))
          data.push(await view(tx, schedule, await aboutNow(tx), caller));
        return { data };
      }),
    ),
    bindOperation(getSchedule, ({ name }, { project, caller }) =>
      database.read(async (tx) => {
        const schedule = await existing(tx, project, name);
        return {
          schedule: await view(tx, schedule, await aboutNow(tx), caller),
          next: nextOf(schedule),
          slots: await slotsOf(tx, schedule, SHOWN_SLOTS),
        };
      }),
    ),
    bindOperation(pauseSchedule, (input, context) =>
      change(deps, pauseSchedule.id, input, context, async (tx, schedule) => {
        if (schedule.state === 'paused') return;
        await setState(tx, schedule, { state: 'paused', reason: `by ${context.actor}`, nextSlot: null });
      }),
    ),
    bindOperation(resumeSchedule, (input, context) => resume(deps, input, context)),
    bindOperation(removeSchedule, ({ dry_run: dryRun, name }, context) => {
      const remove = async (tx: WriteTx) => {
        const schedule = await existing(tx, context.project, name);
        return { name, removed: await deleteSchedule(tx, schedule) };
      };
      const receipt = receiptOf(context, removeSchedule.id);
      return answerOrRehearse(database, { receipt, request: { name }, dryRun }, remove);
    }),
    bindOperation(runScheduleNow, (input, context) => runNow(deps, input, context)),
  ];
}

async function add(
  deps: PlanDeps,
  { dry_run: dryRun, ...input }: z.output<(typeof addSchedule)['input']>,
  context: CallContext,
): Promise<z.output<(typeof addSchedule)['output']>> {
  const receipt = receiptOf(context, addSchedule.id);
  const call = { receipt, request: { request: canonicalHash(input) }, dryRun };
  const before = await answeredBefore<z.output<(typeof addSchedule)['output']>>(deps.database, call);
  if (before !== null) return before;
  const { name, cron, zone = 'UTC' } = input;
  const submission = await heldToCaller(deps, input.submission, context.caller);
  const times = cronTimes(cron, zone);
  const { plan } = checkSubmission(deps, submission);
  await assertOwnInputs(deps, plan, context);
  const { project } = context;
  const who = { project, runId: chosenRunId(project, name), actor: context.actor };
  const { admission, facts } = await resolveSubmission(deps, plan, submission, who);
  const insert = async (tx: WriteTx) => {
    if ((await findSchedule(tx, project, name)) !== undefined)
      throw new PalisadeError('already_exists', `there is a schedule ${name} already`, {
        next: `pal schedule rm ${name}, or choose another name`,
      });
    const nextSlot = times.after(tx.now);
    const schedule: Schedule = {
      project,
      name,
      id: newId('sch', tx.now),
      cron,
      zone,
      catchUp: input.catch_up ?? 'latest',
      catchUpLimit: input.catch_up_limit ?? CATCH_UP_RUNS,
      overlap: input.overlap ?? 'allow',
      title: admission.frozen.title,
      repository: submission.repository ?? null,
      base: submission.base ?? null,
      actor: context.actor,
      createdAt: tx.now,
      state: 'enabled',
      reason: null,
      nextSlot,
      tryAt: nextSlot,
      lastRunId: null,
      failures: 0,
      lastError: null,
    };
    await insertSchedule(tx, schedule, submission);
    return {
      schedule: await view(tx, schedule, tx.now, context.caller),
      next: nextOf(schedule),
      warnings: facts.warnings,
    };
  };
  return answerOrRehearse(deps.database, call, insert);
}

/** Goes on with a schedule. Whoever does that from outside starts its runs, and has to be one who could have made it. */
async function resume(
  deps: PlanDeps,
  input: z.output<(typeof resumeSchedule)['input']>,
  context: CallContext,
): Promise<{ schedule: ScheduleView }> {
  const { project } = context;
  let judged: Schedule | undefined;
  if (!isHost(context.caller)) {
    const { schedule, stored } = await storedOf(deps, project, input.name);
    judged = schedule;
    const held = await heldToCaller(deps, stored, context.caller);
    if (held.require_isolation !== stored.require_isolation)
      throw new PalisadeError(
        'operation_not_permitted',
        `${input.name} requires no sandbox that is a boundary`,
        {
          why: 'it was made where the control plane is',
          next: 'have it resumed there, or add a schedule of your own',
        },
      );
  }
  return change(deps, resumeSchedule.id, input, context, async (tx, schedule) => {
    if (judged !== undefined) assertSame(schedule, judged);
    if (schedule.state === 'enabled') return;
    const nextSlot = cronTimes(schedule.cron, schedule.zone).after(tx.now);
    await setState(tx, schedule, { state: 'enabled', reason: null, nextSlot });
  });
}

async function change(
  { database }: PlanDeps,
  operation: string,
  { name, dry_run: dryRun }: { readonly name: string; readonly dry_run?: boolean | undefined },
  context: CallContext,
  apply: (tx: WriteTx, schedule: Schedule) => Promise<void>,
): Promise<{ schedule: ScheduleView }> {
  const { project } = context;
  const body = async (tx: WriteTx) => {
    await apply(tx, await existing(tx, project, name));
    return { schedule: await view(tx, await existing(tx, project, name), tx.now, context.caller) };
  };
  const receipt = receiptOf(context, operation);
  return answerOrRehearse(database, { receipt, request: { name }, dryRun }, body);
}

async function runNow(
  deps: PlanDeps,
  { name, dry_run: dryRun }: z.output<(typeof runScheduleNow)['input']>,
  context: CallContext,
): Promise<z.output<(typeof runScheduleNow)['output']>> {
  const receipt = receiptOf(context, runScheduleNow.id);
  const call = { receipt, request: { name }, dryRun };
  const before = await answeredBefore<z.output<(typeof runScheduleNow)['output']>>(deps.database, call);
  if (before !== null) return before;
  const { project } = context;
  const { schedule, stored } = await storedOf(deps, project, name);
  const submission = await heldToCaller(deps, stored, context.caller);
  const { plan, requestHash } = checkSubmission(deps, submission);
  const who = { project, runId: chosenRunId(project, `${name}@now`), actor: context.actor };
  const { admission, facts } = await resolveSubmission(deps, plan, submission, who);
  const submit = async (tx: WriteTx) => {
    const found = await existing(tx, project, name);
    assertSame(found, schedule);
    const runId = chosenRunId(project, `${name}@${new Date(tx.now).toISOString()}`);
    const insert = admissionOf(deps, {
      ...admission,
      project,
      actor: context.actor,
      runId,
      requestHash,
      schedule: { name },
    });
    const { created } = await insert(tx);
    await setLastRun(tx, found, runId);
    await recordSlot(tx, found, { outcome: 'submitted', run_id: runId, covers: 1 });
    return { run_id: runId, created, ...facts };
  };
  if (dryRun === true) return { run_id: who.runId, created: false, ...facts };
  return answerOrRehearse(deps.database, call, submit);
}

/** A schedule and what it submits, to be judged before the unit of work that acts on it; see {@link assertSame}. */
function storedOf({ database }: Pick<PlanDeps, 'database'>, project: string, name: string) {
  return database.read(async (tx) => {
    const schedule = await existing(tx, project, name);
    return { schedule, stored: await submissionOf(tx, schedule) };
  });
}

/** Refuses another schedule of the name than was judged: what one submits never changes, but it may be removed and another one added. */
function assertSame(found: Schedule, judged: Schedule): void {
  if (found.id !== judged.id)
    throw new PalisadeError('stale_revision', `another schedule is called ${found.name} now`, {
      next: `pal schedule show ${found.name}`,
    });
}

async function existing(tx: ReadTx, project: string, name: string): Promise<Schedule> {
  const schedule = await findSchedule(tx, project, name);
  if (schedule !== undefined) return schedule;
  const meant = nearest(
    name,
    (await allSchedules(tx, project)).map((each) => each.name),
  );
  throw new PalisadeError('not_found', `there is no schedule ${name}`, {
    next: meant === undefined ? 'pal schedule list' : `the nearest is ${meant}`,
  });
}

async function view(tx: ReadTx, schedule: Schedule, now: number, caller: Caller): Promise<ScheduleView> {
  const [last] = await slotsOf(tx, schedule, 1);
  return scheduleView(schedule, last, now, caller);
}

function nextOf({ cron, zone, nextSlot }: Schedule): number[] {
  return nextSlot === null ? [] : nextTimes(cronTimes(cron, zone), nextSlot - 1, SHOWN_TIMES);
}
