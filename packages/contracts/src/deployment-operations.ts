import * as z from 'zod';
import { AgentInput, EnvironmentInput, PipelineInput } from './agent.ts';
import { type ErrorCode, errorCatalogue } from './errors.ts';
import { limits } from './limits.ts';
import { ModelEndpointInput } from './model-endpoint.ts';
import { operation } from './operation.ts';
import { QueueInput } from './queue-operations.ts';
import { CapabilityInput } from './registry-operations.ts';
import { Hash, Name, NewName } from './schema.ts';

/** What a deployment can set, in the order in which it is: agents are bound to capabilities, and the rest is looked up by name. */
export const DEPLOY_KINDS = ['capability', 'model-endpoint', 'env', 'pipeline', 'agent', 'queue'] as const;
export const DeployKind = z.enum(DEPLOY_KINDS);
export type DeployKind = z.infer<typeof DeployKind>;

/** One thing a deployment sets: its kind, and what registering it alone would take. */
export const DeployEntry = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('capability'), input: CapabilityInput }),
  z.strictObject({ kind: z.literal('model-endpoint'), input: ModelEndpointInput }),
  z.strictObject({ kind: z.literal('env'), input: EnvironmentInput }),
  z.strictObject({ kind: z.literal('pipeline'), input: PipelineInput }),
  z.strictObject({ kind: z.literal('agent'), input: AgentInput }),
  z.strictObject({ kind: z.literal('queue'), input: QueueInput }),
]);
export type DeployEntry = z.infer<typeof DeployEntry>;

/** A name of a kind. */
const DeployName = z.strictObject({ kind: DeployKind, name: Name });

/**
 * `create`, `update` and `unchanged` are of what is deployed. `remove` and `keep` are of names that an earlier
 * deployment of the same name made and this one does not have: they go, or stay.
 */
export const DeployAction = z.enum(['create', 'update', 'unchanged', 'remove', 'keep']);
export type DeployAction = z.infer<typeof DeployAction>;

/** What becomes of one name. Never a value, a prompt or the content of a file (DI-049). */
export const DeployChange = DeployName.extend({
  action: DeployAction,
  /** Content before and after; queues have none. */
  before: Hash.optional(),
  after: Hash.optional(),
  /** Which members of the definition differ, or which files: names only, sorted, and only some of very many. */
  changed: z.array(z.string()).optional(),
  /** `planned` in a dry run. After a failure the rest is `not_reached`. */
  outcome: z.enum(['planned', 'done', 'failed', 'not_reached']),
  error: z
    .strictObject({
      code: z.enum(Object.keys(errorCatalogue) as [ErrorCode, ...ErrorCode[]]),
      message: z.string(),
      next: z.string().optional(),
    })
    .optional(),
});
export type DeployChange = z.infer<typeof DeployChange>;

export const deploy = operation({
  id: 'deployments.apply',
  method: 'POST',
  path: '/v1/projects/{project}/deployments',
  summary:
    'Register many things at once: all of them are checked first, then set in order up to the first failure',
  effect: 'privileged',
  access: 'provision',
  bodyBytes: limits.deployRequestBytes,
  input: z.strictObject({
    /** Whose names new ones are: only the deployment that made a name removes it. Without it they are nobody's. */
    name: NewName.optional(),
    entries: z.array(DeployEntry).max(limits.deployEntries),
    /** Removes what earlier deployments of this name made and this one does not have: all of it, or what is listed. */
    prune: z.union([z.literal(true), z.array(DeployName)]).optional(),
    /** Makes names that exist already, and are nobody's or another deployment's, this one's. */
    adopt: z.boolean().optional(),
    dry_run: z.boolean().optional(),
  }),
  output: z.strictObject({
    name: Name.optional(),
    dry_run: z.boolean(),
    /** False when one failed. */
    complete: z.boolean(),
    data: z.array(DeployChange),
  }),
  errors: [
    'credential_in_text',
    'unsafe_path',
    'too_large',
    'already_exists',
    'secret_missing',
    'master_key_missing',
    'not_found',
  ],
});
