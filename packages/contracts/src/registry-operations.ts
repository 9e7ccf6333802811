import * as z from 'zod';
import { AgentInput, EnvironmentInput, PipelineBlock, PipelineInput } from './agent.ts';
import { ModelEndpointInput, ModelEndpointView } from './model-endpoint.ts';
import { operation } from './operation.ts';
import { EnvName, Hash, Millis, Name, NewName, RegistryRef } from './schema.ts';

/** What a catalogue read shows: never bodies, prompts, values or secret references (DI-049). */
export const CatalogueRow = z.strictObject({
  name: Name,
  revision: z.int().positive(),
  hash: Hash,
  registered_at: Millis,
});
export type CatalogueRow = z.infer<typeof CatalogueRow>;

/** Answers what would be registered, and registers nothing. */
const dryRun = z.boolean().optional();
const Registered = z.strictObject({
  name: Name,
  revision: z.int().positive(),
  hash: Hash,
  created: z.boolean(),
  /** What is allowed and will hardly be what its author means, each with its place. */
  warnings: z.array(z.strictObject({ path: z.string(), message: z.string() })).optional(),
});
const Page = z.strictObject({ cursor: Name.optional(), limit: z.int().min(1).max(1000).optional() });
const Listing = z.strictObject({
  data: z.array(CatalogueRow),
  has_more: z.boolean(),
  next_cursor: z.string().optional(),
});
/** The revision asked for, of a name the latest, and all of its name, newest first; null when it is unknown. */
const History = z.strictObject({ row: CatalogueRow.nullable(), revisions: z.array(CatalogueRow) });

/** A file of a capability: base64 bytes, because bundles are bytes (DI-041). */
export const CapabilityFile = z.strictObject({
  path: z.string().min(1).max(1024),
  base64: z.string(),
  executable: z.boolean().optional(),
});
export type CapabilityFile = z.infer<typeof CapabilityFile>;

/** What a user registers as a capability. */
export const CapabilityInput = z.strictObject({
  name: NewName,
  files: z.array(CapabilityFile).min(1),
  /** Credential patterns its files may match (DI-048). */
  allow_credential_patterns: z.array(z.string()).optional(),
});
export type CapabilityInput = z.infer<typeof CapabilityInput>;

export const registerCapability = operation({
  id: 'capabilities.register',
  summary: 'Register a bundle of files under a name',
  effect: 'mutation',
  input: CapabilityInput.extend({ dry_run: dryRun }),
  output: Registered,
  errors: ['unsafe_path', 'credential_in_text', 'too_large'],
});

export const registerAgent = operation({
  id: 'agents.register',
  summary: 'Register what can be run under a name; capability names are frozen to their present content',
  effect: 'mutation',
  input: AgentInput.extend({ dry_run: dryRun }),
  output: Registered,
  errors: ['not_found', 'credential_in_text'],
});

export const registerEnvironment = operation({
  id: 'envs.register',
  summary: 'Register named values and secrets; inline secrets are stored encrypted and only referenced',
  effect: 'mutation',
  input: EnvironmentInput.extend({ dry_run: dryRun }),
  output: Registered,
  errors: ['credential_in_text', 'secret_missing', 'master_key_missing'],
});

export const registerPipeline = operation({
  id: 'pipelines.register',
  summary: 'Register blocks under a name; items that name it get exactly these, whatever it means later',
  effect: 'mutation',
  input: PipelineInput.extend({ dry_run: dryRun }),
  output: Registered,
  errors: ['credential_in_text'],
});

/** Privileged: whoever names the place of a model decides where prompts and code go. */
export const registerModelEndpoint = operation({
  id: 'model_endpoints.register',
  summary: 'Register where a model is reached, and by which stored secret',
  effect: 'privileged',
  input: ModelEndpointInput.safeExtend({ dry_run: dryRun }),
  output: Registered,
  errors: ['credential_in_text', 'secret_missing', 'master_key_missing'],
});

const list = (id: string, summary: string) =>
  operation({ id, summary, effect: 'read', input: Page, output: Listing, errors: [] });
const get = (id: string, summary: string) =>
  operation({
    id,
    summary,
    effect: 'read',
    input: z.strictObject({ name: RegistryRef }),
    output: History,
    errors: [],
  });

export const listCapabilities = list('capabilities.list', 'Capability names with their latest revision');
export const getCapability = get('capabilities.get', "A capability's revisions");
export const listAgents = list('agents.list', 'Agent names with their latest revision');
export const getAgent = get('agents.get', "An agent's revisions");
export const listPipelines = list('pipelines.list', 'Pipeline names with their latest revision');
export const getPipeline = operation({
  id: 'pipelines.get',
  summary: "A pipeline's latest blocks and its revisions",
  effect: 'read',
  input: z.strictObject({ name: RegistryRef }),
  output: History.extend({ blocks: z.array(PipelineBlock).nullable() }),
  errors: [],
});
export const listEnvironments = list('envs.list', 'Environment names with their latest revision');

/** A variable of an environment: never its value, nor where a secret is (DI-049). */
export const EnvironmentKey = z.strictObject({
  key: EnvName,
  kind: z.enum(['value', 'secret']),
  /** The version of the secret it is bound to; absent when it follows the newest one. */
  version: z.int().positive().optional(),
});
export type EnvironmentKey = z.infer<typeof EnvironmentKey>;

export const getEnvironment = operation({
  id: 'envs.get',
  summary: "An environment's revisions, and the variables of its latest one",
  effect: 'read',
  input: z.strictObject({ name: RegistryRef }),
  output: History.extend({ keys: z.array(EnvironmentKey) }),
  errors: [],
});

/** A name loses its meaning; its revisions stay under their addresses, and so does every run that was given one. */
const remove = (id: string, summary: string, effect: 'mutation' | 'privileged' = 'mutation') =>
  operation({
    id,
    summary,
    effect,
    input: z.strictObject({ name: Name, dry_run: dryRun }),
    output: z.strictObject({ name: Name, removed: z.boolean() }),
    errors: [],
  });

export const removeCapability = remove(
  'capabilities.remove',
  'Take the meaning of a capability name away; agents that are bound to its content keep it',
);
export const removeAgent = remove(
  'agents.remove',
  'Take the meaning of an agent name away; runs that were given it keep it',
);
export const removeEnvironment = remove(
  'envs.remove',
  'Take the meaning of an environment name away; runs it was given to and its secrets stay as they are',
);
export const removePipeline = remove(
  'pipelines.remove',
  'Take the meaning of a pipeline name away; runs that were given it keep it',
);
export const removeModelEndpoint = remove(
  'model_endpoints.remove',
  'Take the meaning of a model endpoint name away; runs that were given it and its secret stay as they are',
  'privileged',
);

export const listModelEndpoints = list('model_endpoints.list', 'Model endpoints with their latest revision');
/** Where prompts go is shown too; the secret's reference is not (DI-049). */
export const getModelEndpoint = operation({
  id: 'model_endpoints.get',
  summary: "A model endpoint's latest definition and its revisions",
  effect: 'read',
  input: z.strictObject({ name: RegistryRef }),
  output: History.extend({ endpoint: ModelEndpointView.nullable() }),
  errors: [],
});

/** An agent's capability whose name has newer content than the agent is bound to (DI-044). */
export const StaleBinding = z.strictObject({
  agent: Name,
  agent_hash: Hash,
  capability: Name,
  bound: Hash,
  latest: Hash,
});
export type StaleBinding = z.infer<typeof StaleBinding>;

export const listStaleAgents = operation({
  id: 'agents.stale',
  summary: 'Capabilities that changed since agents were bound to them',
  effect: 'read',
  input: z.strictObject({ name: Name.optional() }),
  output: z.strictObject({ data: z.array(StaleBinding) }),
  errors: ['not_found'],
});

export const rebindAgent = operation({
  id: 'agents.rebind',
  summary: 'Register an agent again, bound to the present content of its capabilities',
  effect: 'mutation',
  input: z.strictObject({ name: Name, dry_run: dryRun }),
  output: Registered,
  errors: ['not_found'],
});
