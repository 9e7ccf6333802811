import * as z from 'zod';
import { isContentHash } from './canonical-json.ts';
import { limits } from './limits.ts';
import { operation } from './operation.ts';
import { submitPlan } from './run-operations.ts';
import { ArgumentText, Millis, Name } from './schema.ts';

/** A schedule's name: short enough that `<name>@<due time>` is the id of a run (DI-210). */
export const ScheduleName = Name.max(96).refine(
  (name) => !name.includes('@') && !isContentHash(name),
  'must hold no "@" and be no address',
);

/**
 * What becomes of due times nobody could serve (FF-103). `latest`: one run, for the last of them. `skip`:
 * none. `all`: a run for each, oldest first, at most `catch_up_limit` of the last ones.
 */
export const CatchUp = z.enum(['latest', 'skip', 'all']);
export type CatchUp = z.infer<typeof CatchUp>;

/** What becomes of a due time while the schedule's last run goes on: another run beside it, or none. */
export const Overlap = z.enum(['allow', 'skip']);
export type Overlap = z.infer<typeof Overlap>;

/** `suspended`: it could not submit several times in a row for a reason that does not pass by itself. */
export const ScheduleState = z.enum(['enabled', 'paused', 'suspended']);
export type ScheduleState = z.infer<typeof ScheduleState>;

/** What a schedule is made of. The plan is checked again, and the base resolved again, at every due time. */
export const ScheduleInput = z.strictObject({
  name: ScheduleName,
  /** Five fields: minute, hour, day of month, month, day of week. */
  cron: z.string().min(1).max(200),
  /** Time zone by IANA name; default UTC. */
  zone: z.string().min(1).max(100).optional(),
  catch_up: CatchUp.optional(),
  catch_up_limit: z.int().min(1).max(limits.catchUpRuns).optional(),
  overlap: Overlap.optional(),
  submission: submitPlan.input.omit({ run_id: true, dry_run: true }),
});
export type ScheduleInput = z.infer<typeof ScheduleInput>;

/** A due time that was dealt with. */
export const ScheduleSlot = z.strictObject({
  /** When it was due; absent for a run that somebody asked for. */
  slot: Millis.optional(),
  at: Millis,
  outcome: z.enum(['submitted', 'skipped']),
  run_id: z.string().optional(),
  /** Due times this one stands for, itself included; {@link limits.countedSlots} means that many or more. */
  covers: z.int().positive(),
  reason: z.string().optional(),
});
export type ScheduleSlot = z.infer<typeof ScheduleSlot>;

export const ScheduleView = z.strictObject({
  name: Name,
  cron: z.string(),
  zone: z.string(),
  catch_up: CatchUp,
  catch_up_limit: z.int().positive(),
  overlap: Overlap,
  state: ScheduleState,
  /** Why it is suspended, or who paused it. */
  reason: z.string().optional(),
  actor: z.string(),
  created_at: Millis,
  title: z.string(),
  /** The working tree its runs start from; absent means an empty workspace. */
  repository: ArgumentText.max(4_096).optional(),
  base: ArgumentText.max(1_024).optional(),
  /** The first due time that is not dealt with. */
  next_slot: Millis.optional(),
  /** Later than {@link next_slot} while it waits to try again. */
  next_try_at: Millis.optional(),
  /** True when a due time passed and nobody did anything about it. */
  overdue: z.boolean(),
  last: ScheduleSlot.optional(),
  /** Tries in a row that failed, and the last of them. */
  failures: z.int().nonnegative(),
  last_error: z.strictObject({ code: z.string(), message: z.string(), at: Millis }).optional(),
});
export type ScheduleView = z.infer<typeof ScheduleView>;

const named = z.strictObject({ name: Name, dry_run: z.boolean().optional() });

export const addSchedule = operation({
  id: 'schedules.add',
  method: 'POST',
  path: '/v1/projects/{project}/schedules',
  summary: 'Start runs of a plan at the times a cron expression names',
  effect: 'mutation',
  access: 'provision',
  bodyBytes: limits.planRequestBytes,
  input: ScheduleInput.extend({ dry_run: z.boolean().optional() }),
  output: z.strictObject({
    schedule: ScheduleView,
    /** The next due times, at most three. */
    next: z.array(Millis),
    warnings: z.array(z.string()),
  }),
  errors: [...submitPlan.errors, 'invalid_input'],
});

export const listSchedules = operation({
  id: 'schedules.list',
  method: 'GET',
  path: '/v1/projects/{project}/schedules',
  summary: 'Schedules by name',
  effect: 'read',
  access: 'read',
  input: z.strictObject({}),
  output: z.strictObject({ data: z.array(ScheduleView) }),
  errors: [],
});

export const getSchedule = operation({
  id: 'schedules.get',
  method: 'GET',
  path: '/v1/projects/{project}/schedules/{name}',
  summary: 'One schedule, its next due times and what became of the last ones',
  effect: 'read',
  access: 'read',
  input: z.strictObject({ name: Name }),
  output: z.strictObject({
    schedule: ScheduleView,
    next: z.array(Millis),
    /** Newest first. */
    slots: z.array(ScheduleSlot),
  }),
  errors: ['not_found'],
});

export const pauseSchedule = operation({
  id: 'schedules.pause',
  method: 'POST',
  path: '/v1/projects/{project}/schedules/{name}/pause',
  summary: 'Let nothing of a schedule start until it is resumed; what runs goes on',
  effect: 'mutation',
  access: 'provision',
  input: named,
  output: z.strictObject({ schedule: ScheduleView }),
  errors: ['not_found'],
});

export const resumeSchedule = operation({
  id: 'schedules.resume',
  method: 'POST',
  path: '/v1/projects/{project}/schedules/{name}/resume',
  summary: 'Let a paused or suspended schedule go on with its next due time',
  effect: 'mutation',
  access: 'provision',
  input: named,
  output: z.strictObject({ schedule: ScheduleView }),
  errors: ['not_found', 'policy_denied', 'stale_revision'],
});

export const removeSchedule = operation({
  id: 'schedules.remove',
  method: 'DELETE',
  path: '/v1/projects/{project}/schedules/{name}',
  summary: 'Forget a schedule; its runs stay',
  effect: 'mutation',
  access: 'provision',
  input: named,
  output: z.strictObject({ name: Name, removed: z.boolean() }),
  errors: ['not_found'],
});

export const runScheduleNow = operation({
  id: 'schedules.run-now',
  method: 'POST',
  path: '/v1/projects/{project}/schedules/{name}/run-now',
  summary: "Start a run of a schedule's plan now, whatever its times and state",
  effect: 'mutation',
  access: 'provision',
  input: named,
  output: submitPlan.output,
  errors: [...submitPlan.errors, 'stale_revision'],
});
