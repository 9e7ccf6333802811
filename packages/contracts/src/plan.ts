import * as z from 'zod';
import { HarnessChoice, PipelineBlock, Verify } from './agent.ts';
import { limits } from './limits.ts';
import { ArgumentText, Hash, Json, Name, ProgramText } from './schema.ts';

/** What is taken from a finished upstream item (DI-161). A patch with `apply` is applied to the workspace before the agent starts; otherwise it is a file under `inputs/`. */
export const NeedSelect = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('patch') }),
  z.strictObject({ kind: z.literal('output'), path: z.string().min(1).max(1024) }),
]);

export const Need = z.strictObject({ from: Name, select: NeedSelect, apply: z.boolean().optional() });
export type Need = z.infer<typeof Need>;

/** The typed carriers an item may have (DI-162). Anything else under `inputs` is refused at submit. */
export const ItemInputs = z.strictObject({
  subagent: Name.optional(),
  env: z.union([Name, z.array(Name)]).optional(),
  workerInput: Json.optional(),
  capabilities: z.array(Name).optional(),
  addCapabilities: z.array(Name).optional(),
  inputRefs: z.record(Name, Hash).optional(),
  pipeline: z.array(PipelineBlock).min(1).max(64).optional(),
});

/** Per-item retry policy (DI-173). Back-off doubles from `backoff_ms` with full jitter. */
export const RetryPolicy = z.strictObject({
  max_attempts: z.int().min(1).max(20).optional(),
  backoff_ms: z.int().min(0).max(limits.retryMaxMs).optional(),
});

/** Sandbox wishes of an item. The operator's policy is a ceiling: network is given only when both say so. */
export const SandboxWish = z.strictObject({
  /** True refuses the run where the sandbox would be no boundary (`unsandboxed-host`). */
  isolated: z.boolean().optional(),
  network: z.boolean().optional(),
  memory_mb: z.int().min(16).max(1_048_576).optional(),
  processes: z.int().min(1).max(100_000).optional(),
  output_mb: z.int().min(1).max(1024).optional(),
});

export const PlanItem = z.strictObject({
  id: Name,
  title: z.string().max(200).optional(),
  executor: Name.optional(),
  /** Short for `inputs.subagent`. */
  agent: Name.optional(),
  /** An agent written in place instead of a registered one: a shell command. */
  command: ProgramText.max(65_536).optional(),
  /** An agent written in place: harness and settings. */
  run: HarnessChoice.optional(),
  prompt: z.string().max(limits.inputBytes).optional(),
  model: ArgumentText.max(128).optional(),
  inputs: ItemInputs.optional(),
  depends_on: z.array(Name).max(limits.planItems).optional(),
  resourceLocks: z.array(Name).max(limits.locksPerItem).optional(),
  needs: z.record(Name, Need).optional(),
  verify: Verify.optional(),
  retry: RetryPolicy.optional(),
  timeout_seconds: z
    .int()
    .positive()
    .max(30 * 86_400)
    .optional(),
  sandbox: SandboxWish.optional(),
});
export type PlanItem = z.infer<typeof PlanItem>;

/** `plan.json`, version 1 (DI-160). Unknown keys are refused everywhere. */
export const Plan = z.strictObject({
  $schema: z.string().optional(),
  schema_version: z.literal(1).optional(),
  id: Name.optional(),
  title: z.string().max(200).optional(),
  queue: Name.optional(),
  /** How many items of this run may run at once; the queue's own limit still holds. */
  concurrency: z.int().min(1).max(10_000).optional(),
  timeout_seconds: z
    .int()
    .positive()
    .max(365 * 86_400)
    .optional(),
  items: z.array(PlanItem).min(1, 'must hold at least one item').max(limits.planItems),
});
export type Plan = z.infer<typeof Plan>;
