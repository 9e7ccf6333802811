import * as z from 'zod';
import { HarnessChoice, PipelineBlocks, Verify } from './agent.ts';
import { Dollars, ItemBudget } from './budget.ts';
import { limits } from './limits.ts';
import { ArgumentText, Hash, Json, Name, ProgramText, RegistryRef } from './schema.ts';

/** Name of a shape: `<pack>.<name>`. */
export const ShapeId = z
  .string()
  .max(128)
  .regex(/^[a-z0-9-]+\.[a-z0-9-]+$/, 'must be <pack>.<name>');

/** The carriers that say what an item works with; see `ItemInputs` for those that let a run grow. */
export const WorkInputs = z.strictObject({
  subagent: RegistryRef.optional(),
  env: z.union([RegistryRef, z.array(RegistryRef)]).optional(),
  workerInput: Json.optional(),
  capabilities: z.array(RegistryRef).optional(),
  addCapabilities: z.array(RegistryRef).optional(),
  inputRefs: z.record(Name, Hash).optional(),
  /** Blocks, or a registered pipeline (DI-052). */
  pipeline: z.union([PipelineBlocks, RegistryRef]).optional(),
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
  /** Processors' worth of time, e.g. 1.5. */
  cpus: z.number().min(0.01).max(1024).optional(),
  processes: z.int().min(1).max(100_000).optional(),
  output_mb: z.int().min(1).max(1024).optional(),
  /** Everything the attempt may hold on the disk together, with its workspace. */
  disk_mb: z.int().min(16).max(1_073_741_824).optional(),
  files: z.int().min(1_000).max(1_000_000_000).optional(),
});

/** What an item does, without its place in the graph: the fields an item and a template share. */
export const workFields = {
  title: z.string().max(200).optional(),
  /** Kind of work, `<pack>.<name>`: what it may do and leave is enforced (DI-193). */
  shape: ShapeId.optional(),
  executor: Name.optional(),
  /** Short for `inputs.subagent`. */
  agent: RegistryRef.optional(),
  /** An agent written in place instead of a registered one: a shell command. */
  command: ProgramText.max(65_536).optional(),
  /** An agent written in place: harness and settings. */
  run: HarnessChoice.optional(),
  prompt: z.string().max(limits.inputBytes).optional(),
  model: ArgumentText.max(128).optional(),
  resourceLocks: z.array(Name).max(limits.locksPerItem).optional(),
  verify: Verify.optional(),
  retry: RetryPolicy.optional(),
  timeout_seconds: z
    .int()
    .positive()
    .max(30 * 86_400)
    .optional(),
  /** What all attempts of the item together may use. */
  budget: ItemBudget.optional(),
  /** What one attempt may cost: kept free in the budgets while it runs, and charged when nobody reports its cost. */
  max_cost_usd: Dollars.or(z.literal(0)).optional(),
  sandbox: SandboxWish.optional(),
  /** Its agent takes messages while it runs (DI-121). */
  channel: z.boolean().optional(),
} as const;

/** An item that is made later: all of an item but its id and its edges, which follow from the rule that makes it. */
export const PlanTemplate = z.strictObject({ ...workFields, inputs: WorkInputs.optional() });
export type PlanTemplate = z.infer<typeof PlanTemplate>;
