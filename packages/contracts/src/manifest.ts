import * as z from 'zod';
import { AgentDefinition, PipelineBlock, Verify } from './agent.ts';
import { SandboxSettings } from './attempt.ts';
import { Authorization, EffectTier } from './authorization.ts';
import { ModelEndpointDefinition } from './model-endpoint.ts';
import { NeedSelect } from './plan.ts';
import { AnsweredRef, RequestId } from './question.ts';
import { EnvName, Hash, Millis, Name } from './schema.ts';

/**
 * One input of an attempt: an upstream item's product under a key of the plan's `needs`, with the
 * declared edge (`from`, `select`) and whether it was applied to the base; or, without `from`, an
 * address the plan itself gave (DI-161, DI-250).
 */
export const ManifestInput = z.union([
  z.strictObject({ key: Name, from: Name, select: NeedSelect, ref: Hash, applied: z.boolean() }),
  z.strictObject({ key: Name, ref: Hash, applied: z.literal(false) }),
]);
export type ManifestInput = z.infer<typeof ManifestInput>;

/**
 * What a person is asked to decide, and the address of everything that is shown (DI-192). It takes the place of
 * an attempt's manifest; its reference is what the decision is bound to.
 */
export const ApprovalManifest = z.strictObject({
  schema_version: z.literal(1),
  kind: z.literal('approval'),
  request: RequestId,
  run_id: z.string(),
  item_id: Name,
  attempt: z.int().positive(),
  attempt_run: z.string(),
  title: z.string(),
  actor: z.string(),
  submitted_at: Millis,
  fired_at: Millis,
  executor: Name,
  prompt: z.string(),
  role: z.string().optional(),
  inputs: z.array(ManifestInput),
  expires_at: Millis.optional(),
  on_expiry: z.enum(['deny', 'approve']),
  four_eyes: z.boolean(),
  distinct_from: z.array(Name),
  workspace: z.strictObject({ kind: z.enum(['git', 'empty']), commit: z.string().optional() }),
});
export type ApprovalManifest = z.infer<typeof ApprovalManifest>;

/**
 * What one attempt was authorised to do, written before its first effect (DI-220). Its reference is
 * the `sha256:` of its canonical JSON. Fields that are not known are absent, never invented.
 */
export const Manifest = z.strictObject({
  schema_version: z.literal(1),
  run_id: z.string(),
  item_id: Name,
  attempt: z.int().positive(),
  attempt_run: z.string(),
  actor: z.string(),
  submitted_at: Millis,
  fired_at: Millis,
  deadline_at: Millis,
  executor: Name,
  /** The decision that let it be fired (DI-194). */
  authorization: Authorization.optional(),
  /** What kind of work it is, if the plan says it, and its effect (DI-193). */
  shape: z.strictObject({ id: z.string(), effect: EffectTier }).optional(),
  agent: z.strictObject({ name: Name, hash: Hash, definition: AgentDefinition }),
  /** What runs the agent: the harness, and the version of the program it is part of. */
  harness: z.strictObject({ name: z.string(), version: z.string() }),
  capabilities: z.array(z.strictObject({ name: Name, hash: Hash })),
  environments: z.array(z.strictObject({ name: Name, hash: Hash })),
  /** Every variable that its environments set, values and secrets alike, by name (EX-201). */
  env_names: z.array(EnvName),
  /** References only, never values. */
  secret_refs: z.array(z.strictObject({ name: z.string(), ref: z.string() })),
  inputs: z.array(ManifestInput),
  /** The earlier attempt it goes on with: addresses of its agent's session and of its patch. */
  resumes: z
    .strictObject({ attempt: z.int().positive(), session: Hash.optional(), patch: Hash.optional() })
    .optional(),
  /** Questions of earlier attempts of the item with their answers, which it is given, oldest first. */
  answers: z.array(AnsweredRef).optional(),
  prompt_hash: Hash.optional(),
  input_hash: Hash.optional(),
  model: z.string().optional(),
  /** Where the model is reached and by which secret; holds no credential. */
  model_endpoint: z.strictObject({ name: Name, hash: Hash, definition: ModelEndpointDefinition }).optional(),
  workspace: z.strictObject({ kind: z.enum(['git', 'empty']), commit: z.string().optional() }),
  pipeline: z.array(PipelineBlock),
  /** The registered pipeline that these blocks are. */
  pipeline_ref: z.strictObject({ name: Name, hash: Hash }).optional(),
  verify: Verify.optional(),
  /** Its agent is given the messages that are sent to its item. */
  channel: z.literal(true).optional(),
  sandbox: SandboxSettings,
  setup_timeout_ms: z.int().positive(),
  kill_grace_ms: z.int().nonnegative(),
  holds: z.array(Name),
});
export type Manifest = z.infer<typeof Manifest>;

/** What `item.fired` refers to. */
export const AnyManifest = z.union([Manifest, ApprovalManifest]);
export type AnyManifest = z.infer<typeof AnyManifest>;

/** Tells the request of a decision from what a program was authorised to do. */
export function isApprovalManifest(manifest: AnyManifest): manifest is ApprovalManifest {
  return 'kind' in manifest;
}
