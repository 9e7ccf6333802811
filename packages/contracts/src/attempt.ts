import { isAbsolute } from 'node:path';
import * as z from 'zod';
import { AgentDefinition, PipelineBlock, Usage, Verify } from './agent.ts';
import { AgentSession, BlockFacts, ProductFacts, SessionSpent } from './events.ts';
import { InboxMessage } from './channel.ts';
import { ModelEndpointDefinition } from './model-endpoint.ts';
import { AnswerRecord, Question } from './question.ts';
import { EnvName, Hash, Json, Millis, Name } from './schema.ts';

/*
 * What passes between the engine and the worker of one attempt, through the attempt's directory:
 *
 *   spec.json      written by the engine before the worker is spawned; holds no secret
 *   claim.json     created with O_EXCL by whoever decides the attempt's fate first: the worker that
 *                  starts ({by:'worker', process}), or a recovering engine that gives it up
 *                  ({by:'engine'}). A worker that finds it taken exits without an effect. Its modification
 *                  time is a living worker's sign for engines that cannot see the process.
 *   stop           created by an engine that cannot signal the worker, to cancel it
 *   messages/      one file for each message to the agent, `<seq>.json`, written whole by the engine while the attempt
 *                  runs (an item without a channel has none)
 *   delivered      the number of the last message that lies in the agent's inbox, written by the worker
 *   output.log     NDJSON of redacted output and events, appended while the attempt runs
 *   products/      the files result.json names
 *   result.json    written once, by temp file, fsync and rename: the attempt's end
 *   model/         the socket of the attempt's way to its model, while it runs
 *   workspace/  state/   scratch, removed when the attempt is released
 *
 * Secrets reach the worker as one JSON object and a newline on file descriptor 3, which it reads to the
 * end and closes before anything else (DI-111). Without the newline the engine died while handing them
 * over: the worker leaves without a claim, and whoever recovers the attempt settles it.
 */

/** As this system spells it: another's would be a relative name here, and make something new (FF-170). */
const AbsolutePath = z.string().refine(isAbsolute, 'must be an absolute path of this system');

export const SandboxSettings = z.strictObject({
  provider: Name,
  /** What the provider proved when the run was submitted. An attempt that would get less does not start. */
  isolation: z.enum(['sandboxed', 'unsandboxed-host']),
  network: z.boolean(),
  memory_bytes: z.int().positive(),
  /** Processors' worth of time; absent is no limit. */
  cpus: z.number().positive().optional(),
  processes: z.int().positive(),
  file_bytes: z.int().positive(),
  /** All files of the attempt together; absent is `limits.diskBytes` and `limits.diskFiles`. */
  disk_bytes: z.int().positive().optional(),
  disk_files: z.int().positive().optional(),
  /** Longest log of what its programs print; standard error has a sixteenth of it beside (DI-078). */
  output_bytes: z.int().positive(),
});
export type SandboxSettings = z.infer<typeof SandboxSettings>;

/**
 * Under this name the credential of the model endpoint comes on file descriptor 3. It is no variable's
 * name: what comes under it reaches no program of the attempt.
 */
export const MODEL_CREDENTIAL = 'model-credential';

export const AttemptSpec = z.strictObject({
  schema_version: z.literal(1),
  attempt_id: z.string(),
  run_id: z.string(),
  root_run_id: z.string(),
  item_id: Name,
  attempt: z.int().positive(),
  /** Unix ms after which nothing of this attempt may run (DI-174). */
  deadline_at: Millis,
  workspace: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('git'), git_dir: AbsolutePath, commit: z.string() }),
    z.strictObject({ kind: z.literal('empty') }),
  ]),
  /** Upstream patches applied in this order before the baseline; they are part of the base, not of the product. */
  base_patches: z.array(z.strictObject({ from: Name, ref: Hash, path: AbsolutePath })),
  agent: AgentDefinition,
  prompt: z.string().nullable(),
  model: z.string().nullable(),
  input: Json.optional(),
  /** Bundles overlaid in this order (DI-105). */
  capabilities: z.array(z.strictObject({ name: Name, hash: Hash, path: AbsolutePath })),
  /** Files placed at `inputs/<key>` (DI-106). */
  inputs: z.array(z.strictObject({ key: Name, ref: Hash, path: AbsolutePath })),
  env_values: z.record(EnvName, z.string()),
  /** Names only; the values come on file descriptor 3. */
  secret_names: z.array(EnvName),
  /** Where the agent's model is; its credential comes as {@link MODEL_CREDENTIAL}. */
  model_endpoint: ModelEndpointDefinition.optional(),
  /** Names or `PREFIX*` the operator lets through the environment firewall (DI-109). */
  env_allow: z.array(z.string()),
  pipeline: z.array(PipelineBlock),
  verify: Verify.optional(),
  /** An earlier attempt whose work this one goes on with: its vendor's session, if any, and what it had changed. */
  resume: z
    .strictObject({
      attempt: z.int().positive(),
      session: z
        .strictObject({
          id: AgentSession.shape.id,
          ref: Hash,
          path: AbsolutePath,
          spent: SessionSpent.optional(),
        })
        .optional(),
      patch: z.strictObject({ ref: Hash, path: AbsolutePath }).optional(),
      reason: z.string().optional(),
    })
    .optional(),
  /** What its earlier attempts asked, with the answers, oldest first (DI-119). */
  answers: z
    .array(
      z.strictObject({
        attempt: z.int().positive(),
        question: Question,
        answer: AnswerRecord,
        /** Where the state lies that it left with its question. */
        state_path: AbsolutePath.optional(),
      }),
    )
    .min(1)
    .optional(),
  /** Its agent takes messages: those sent before it began, from the first; later ones come as files (DI-121). */
  channel: z.strictObject({ messages: z.array(InboxMessage) }).optional(),
  sandbox: SandboxSettings,
  setup_timeout_ms: z.int().positive(),
  kill_grace_ms: z.int().nonnegative(),
});
export type AttemptSpec = z.infer<typeof AttemptSpec>;

/** Who decided the attempt's fate; see the file's head. */
export const AttemptClaim = z.discriminatedUnion('by', [
  z.strictObject({
    by: z.literal('worker'),
    /** The worker's process, as `nameProcess` of `@palisade/process` names it. */
    process: z.string().regex(/^[\w-]{1,512}$/),
  }),
  z.strictObject({ by: z.literal('engine') }),
]);
export type AttemptClaim = z.infer<typeof AttemptClaim>;

/** A file under the attempt's `products/`, to be stored as a blob. */
export const ProductFile = z.strictObject({ file: z.string(), ref: Hash, size: z.int().nonnegative() });
export type ProductFile = z.infer<typeof ProductFile>;

/** A block's facts with the worker's words about it, which stay on the machine. */
export const BlockEvidence = BlockFacts.extend({ detail: z.string().optional() });
export type BlockEvidence = z.infer<typeof BlockEvidence>;

/** An attempt's end. Refs verify themselves; everything else is the worker's word. */
export const AttemptResult = z
  .strictObject({
    schema_version: z.literal(1),
    attempt_id: z.string(),
    outcome: z.enum(['succeeded', 'failed', 'timed_out', 'canceled', 'needs_input']),
    exit_code: z.int().optional(),
    /** Error code of the catalogue when the cause is not the agent's own exit status. */
    code: z.string().optional(),
    reason: z.string().optional(),
    retryable: z.boolean(),
    posture: z.array(z.string()),
    product: ProductFacts,
    files: z.array(ProductFile),
    blocks: z.array(BlockEvidence),
    usage: Usage.optional(),
    started_at: Millis,
    finished_at: Millis,
  })
  .refine(
    ({ outcome, product }) => (outcome === 'needs_input') === (product.question !== undefined),
    'a question and the outcome needs_input come together',
  );
export type AttemptResult = z.infer<typeof AttemptResult>;

/** One line of `output.log`. Text is redacted before it is written. */
export const OutputLine = z.discriminatedUnion('kind', [
  z.strictObject({ at: Millis, kind: z.literal('phase'), phase: z.string(), detail: z.string().optional() }),
  z.strictObject({ at: Millis, kind: z.enum(['stdout', 'stderr']), block: z.string(), text: z.string() }),
  z.strictObject({ at: Millis, kind: z.literal('message'), text: z.string() }),
  z.strictObject({ at: Millis, kind: z.literal('warning'), text: z.string() }),
]);
export type OutputLine = z.infer<typeof OutputLine>;
