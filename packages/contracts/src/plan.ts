import * as z from 'zod';
import { ApprovalSettings } from './approval.ts';
import { RunBudget } from './budget.ts';
import { limits } from './limits.ts';
import { Notification } from './notification.ts';
import { GateRule, MapReduceRule, QuorumRule, SpawnRule } from './plan-growth.ts';
import { WorkInputs, workFields } from './plan-work.ts';
import { Name } from './schema.ts';

/** What is taken from a finished upstream item (DI-161). A patch with `apply` is applied to the workspace before the agent starts; otherwise it is a file under `inputs/`. */
export const NeedSelect = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('patch') }),
  z.strictObject({ kind: z.literal('output'), path: z.string().min(1).max(1024) }),
]);

export const Need = z.strictObject({ from: Name, select: NeedSelect, apply: z.boolean().optional() });
export type Need = z.infer<typeof Need>;

/** The typed carriers an item may have (DI-162). Anything else under `inputs` is refused at submit. */
export const ItemInputs = WorkInputs.extend({
  gate: GateRule.optional(),
  mapReduce: MapReduceRule.optional(),
  quorum: QuorumRule.optional(),
  spawn: SpawnRule.optional(),
});

export const PlanItem = z.strictObject({
  id: Name,
  ...workFields,
  inputs: ItemInputs.optional(),
  depends_on: z.array(Name).max(limits.planItems).optional(),
  needs: z.record(Name, Need).optional(),
  /**
   * `dependencies_ended`: it starts when all it waits for has ended in any way, and gets the products of what is
   * done; with fewer than `at_least_done` of them done it fails. Default: all have to be done.
   */
  start_when: z.enum(['dependencies_done', 'dependencies_ended']).optional(),
  at_least_done: z.int().min(0).max(limits.planItems).optional(),
  /** For the executor `approval`: what a person is to decide. No program runs. */
  approval: ApprovalSettings.optional(),
});
export type PlanItem = z.infer<typeof PlanItem>;

export const Priority = z.int().min(-limits.priority).max(limits.priority);

/** `plan.json`, version 1 (DI-160). Unknown keys are refused everywhere. */
export const Plan = z.strictObject({
  $schema: z.string().optional(),
  schema_version: z.literal(1).optional(),
  id: Name.optional(),
  title: z.string().max(200).optional(),
  queue: Name.optional(),
  /** `pipeline`: an item that names nothing it waits for waits for the one before it (DI-201). Default: `static-dag`. */
  pattern: z.enum(['static-dag', 'pipeline']).optional(),
  /** How many items of this run may run at once; the queue's own limit still holds. */
  concurrency: z.int().min(1).max(10_000).optional(),
  /** Among the runs of its queue: higher ones get slots first. */
  priority: Priority.optional(),
  timeout_seconds: z
    .int()
    .positive()
    .max(365 * 86_400)
    .optional(),
  /** Items can be added until the run is closed (DI-205). */
  open_ended: z.boolean().optional(),
  /** Items the run may come to have: the fuse of every growth (DI-204). Default: those of the plan and `limits.grownItems`. */
  max_items: z.int().min(1).max(limits.planItems).optional(),
  /** Days after its end for which the run is kept; at most what the operator's setting says (DI-080, DI-082). */
  retention_days: z.int().min(1).max(limits.retentionDays).optional(),
  /** What all attempts of the run together may use. */
  budget: RunBudget.optional(),
  /** What of the run is told to which webhook endpoint of the operator's (DI-084). */
  notifications: z.array(Notification).max(64).optional(),
  items: z.array(PlanItem).min(1, 'must hold at least one item').max(limits.planItems),
});
export type Plan = z.infer<typeof Plan>;
