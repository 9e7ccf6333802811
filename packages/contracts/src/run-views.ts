import * as z from 'zod';
import { RunBudget } from './budget.ts';
import { AttemptOutcomeValue, ProductFacts, WorkerProcess } from './events.ts';
import { RequestView } from './request-view.ts';
import { Hash, Json, Millis, Name } from './schema.ts';
import { ITEM_STATES, RUN_STATES } from './states.ts';

/* What is shown of a run: the same values on every surface. */

export const RunStateValue = z.enum(RUN_STATES);
export const ItemStateValue = z.enum(ITEM_STATES);

/**
 * What keeps a run or an item from going on although it is tried again and again (FF-057): since when,
 * when it was last tried, and why that failed.
 */
export const Trouble = z.strictObject({ since: Millis, at: Millis, code: z.string(), message: z.string() });
export type Trouble = z.infer<typeof Trouble>;

/** Since when nothing more starts, and who wanted it. */
export const Paused = z.strictObject({ at: Millis, by: z.string(), reason: z.string().optional() });
export type Paused = z.infer<typeof Paused>;

/** What attempts used. Those of which nobody knows it are counted apart. */
export const SpentView = z.strictObject({
  cost_usd: z.number(),
  tokens: z.int().nonnegative(),
  seconds: z.number().nonnegative(),
  attempts: z.int().nonnegative(),
  unknown_cost: z.int().nonnegative(),
  unknown_tokens: z.int().nonnegative(),
});

/** A run as people and programs see it. */
export const RunView = z.strictObject({
  id: z.string(),
  kind: z.enum(['plan', 'command', 'agent']),
  title: z.string(),
  queue: Name,
  /** Among the runs of its queue, when it is not 0. */
  priority: z.int().optional(),
  state: RunStateValue,
  actor: z.string(),
  submitted_at: Millis,
  started_at: Millis.optional(),
  finished_at: Millis.optional(),
  reason: z.string().optional(),
  cancel_requested: z.boolean(),
  /** The run's own pause, or that of its queue. */
  paused: Paused.extend({ queue: z.literal(true).optional() }).optional(),
  /** True while a live engine owns the run. */
  owned: z.boolean(),
  sealed: z.boolean(),
  /** The run's own trouble, or that of one of its items. */
  trouble: Trouble.extend({ item: Name.optional() }).optional(),
  counts: z.record(ItemStateValue, z.int().nonnegative()),
  /** Of an open-ended run: whether items can still be added. */
  open: z.boolean().optional(),
  /** Questions and approvals of it that wait for a person. */
  open_requests: z.int().nonnegative().optional(),
  /** When it goes on although nobody answers: the nearest expiry or its deadline. */
  wakes_at: Millis.optional(),
  workspace: z.strictObject({
    kind: z.enum(['git', 'empty']),
    /** Its directory, to whoever may provision; to others what that is called. */
    repository: z.string().optional(),
    commit: z.string().optional(),
    /** The branch the revision was on when the run was submitted; a label only. */
    branch: z.string().optional(),
  }),
  cost_usd: z.number().optional(),
  /** Its limits, in the units of a plan. */
  budget: RunBudget.optional(),
  /** What its attempts used so far, failed and repeated ones too; absent while nothing is known of it. */
  spent: SpentView.optional(),
  /** What a person should know of how it goes, e.g. that nobody knows what an attempt cost. */
  warnings: z.array(z.string()).optional(),
  rerun_of: z.string().optional(),
});
export type RunView = z.infer<typeof RunView>;

export const ItemView = z.strictObject({
  id: Name,
  title: z.string(),
  state: ItemStateValue,
  attempt: z.int().nonnegative(),
  max_attempts: z.int().positive(),
  depends_on: z.array(Name),
  /** Unfinished dependencies (DI-167). */
  blocked_by: z.array(Name),
  /** Locks it wants, each with who is in the way now, if anybody. */
  locks: z.array(z.strictObject({ key: Name, held_by: z.string().optional() })),
  /** One line that says why a non-terminal item is not running, or why a terminal one ended so. */
  reason: z.string().optional(),
  /** The item whose good end counts instead of this one's (a repeated gate, a reduction). */
  settled_by: Name.optional(),
  /** The item whose rule made this one. */
  grown_by: Name.optional(),
  run: z.string().optional(),
  /** How the last attempt ended, once it has. */
  outcome: AttemptOutcomeValue.optional(),
  /** Status with which the agent or a gate of the last attempt exited. */
  exit_code: z.int().optional(),
  /** Why it ended when that is not the exit status of its own program: an error code (DI-077). */
  code: z.string().optional(),
  /** Who carries out the attempt under way. */
  worker: WorkerProcess.optional(),
  trouble: Trouble.optional(),
  started_at: Millis.optional(),
  finished_at: Millis.optional(),
  next_attempt_at: Millis.optional(),
  sandbox: z.string().optional(),
  /** `unsandboxed-host` when the item's programs run with the rights of the control plane. */
  isolation: z.enum(['sandboxed', 'unsandboxed-host']).optional(),
  manifest_ref: Hash.optional(),
  product: ProductFacts.optional(),
  /** What a person is or was asked last. */
  request: RequestView.optional(),
});
export type ItemView = z.infer<typeof ItemView>;

/** One committed event as listed: `seq` is the resume position. */
export const EventView = z.strictObject({
  seq: z.int().nonnegative(),
  type: z.string(),
  at: Millis,
  data: z.record(z.string(), Json),
  hash: z.string(),
});
export type EventView = z.infer<typeof EventView>;
