import * as z from 'zod';
import { AgentInput, EnvironmentInput, PipelineBlock, PipelineInput } from './agent.ts';
import { AgentView } from './agent-view.ts';
import { ModelEndpointInput, ModelEndpointView } from './model-endpoint.ts';
import { limits } from './limits.ts';
import { operation } from './operation.ts';
import { Cursor } from './page.ts';
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
const Page = z.strictObject({ cursor: Cursor.optional(), limit: z.int().min(1).max(1000).optional() });
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
  method: 'POST',
  path: '/v1/projects/{project}/capabilities',
  summary: 'Register a bundle of files under a name',
  effect: 'mutation',
  access: 'provision',
  bodyBytes: 2 * limits.capabilityBytes,
  input: CapabilityInput.extend({ dry_run: dryRun }),
  output: Registered,
  errors: ['unsafe_path', 'credential_in_text', 'too_large'],
});

export const registerAgent = operation({
  id: 'agents.register',
  method: 'POST',
  path: '/v1/projects/{project}/agents',
  summary: 'Register what can be run under a name; capability names are frozen to their present content',
  effect: 'mutation',
  access: 'provision',
  input: AgentInput.extend({ dry_run: dryRun }),
  output: Registered,
  errors: ['not_found', 'credential_in_text'],
});

export const registerEnvironment = operation({
  id: 'envs.register',
  method: 'POST',
  path: '/v1/projects/{project}/environments',
  summary: 'Register named values and secrets; inline secrets are stored encrypted and only referenced',
  effect: 'mutation',
  access: 'provision',
  input: EnvironmentInput.extend({ dry_run: dryRun }),
  output: Registered,
  errors: ['credential_in_text', 'secret_missing', 'master_key_missing'],
});

export const registerPipeline = operation({
  id: 'pipelines.register',
  method: 'POST',
  path: '/v1/projects/{project}/pipelines',
  summary: 'Register blocks under a name; items that name it get exactly these, whatever it means later',
  effect: 'mutation',
  access: 'provision',
  input: PipelineInput.extend({ dry_run: dryRun }),
  output: Registered,
  errors: ['credential_in_text'],
});

/** Privileged: whoever names the place of a model decides where prompts and code go. */
export const registerModelEndpoint = operation({
  id: 'model_endpoints.register',
  method: 'POST',
  path: '/v1/projects/{project}/model-endpoints',
  summary: 'Register where a model is reached, and by which stored secret',
  effect: 'privileged',
  access: 'provision',
  input: ModelEndpointInput.safeExtend({ dry_run: dryRun }),
  output: Registered,
  errors: ['credential_in_text', 'secret_missing', 'master_key_missing'],
});

/** Names under which something of a kind is registered: `<noun>.list`, `.get` and `.remove` below `/v1/projects/{project}/<segment>`. */
const PROJECT = '/v1/projects/{project}';
const list = (noun: string, summary: string, segment: string = noun) =>
  operation({
    id: `${noun}.list`,
    method: 'GET',
    path: `${PROJECT}/${segment}`,
    summary,
    effect: 'read',
    access: 'read',
    input: Page,
    output: Listing,
    errors: [],
  });
const get = (noun: string, summary: string) =>
  operation({
    id: `${noun}.get`,
    method: 'GET',
    path: `${PROJECT}/${noun}/{name}`,
    summary,
    effect: 'read',
    access: 'read',
    input: z.strictObject({ name: RegistryRef }),
    output: History,
    errors: [],
  });

export const listCapabilities = list('capabilities', 'Capability names with their latest revision');
export const getCapability = get('capabilities', "A capability's revisions");
export const listAgents = list('agents', 'Agent names with their latest revision');
export const getAgent = operation({
  id: 'agents.get',
  method: 'GET',
  path: `${PROJECT}/agents/{name}`,
  summary: "An agent's latest definition without its prompts, and its revisions",
  effect: 'read',
  access: 'read',
  input: z.strictObject({ name: RegistryRef }),
  output: History.extend({ agent: AgentView.nullable() }),
  errors: [],
});
export const listPipelines = list('pipelines', 'Pipeline names with their latest revision');
export const getPipeline = operation({
  id: 'pipelines.get',
  method: 'GET',
  path: `${PROJECT}/pipelines/{name}`,
  summary: "A pipeline's latest blocks and its revisions",
  effect: 'read',
  access: 'read',
  input: z.strictObject({ name: RegistryRef }),
  output: History.extend({ blocks: z.array(PipelineBlock).nullable() }),
  errors: [],
});
export const listEnvironments = list('envs', 'Environment names with their latest revision', 'environments');

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
  method: 'GET',
  path: '/v1/projects/{project}/environments/{name}',
  summary: "An environment's revisions, and the variables of its latest one",
  effect: 'read',
  access: 'read',
  input: z.strictObject({ name: RegistryRef }),
  output: History.extend({ keys: z.array(EnvironmentKey) }),
  errors: [],
});

/** A name loses its meaning; its revisions stay under their addresses, and so does every run that was given one. */
const remove = (
  noun: string,
  summary: string,
  segment: string = noun,
  effect: 'mutation' | 'privileged' = 'mutation',
) =>
  operation({
    id: `${noun}.remove`,
    method: 'DELETE',
    path: `${PROJECT}/${segment}/{name}`,
    summary,
    effect,
    access: 'provision',
    input: z.strictObject({ name: Name, dry_run: dryRun }),
    output: z.strictObject({ name: Name, removed: z.boolean() }),
    errors: [],
  });

export const removeCapability = remove(
  'capabilities',
  'Take the meaning of a capability name away; agents that are bound to its content keep it',
);
export const removeAgent = remove(
  'agents',
  'Take the meaning of an agent name away; runs that were given it keep it',
);
export const removeEnvironment = remove(
  'envs',
  'Take the meaning of an environment name away; runs it was given to and its secrets stay as they are',
  'environments',
);
export const removePipeline = remove(
  'pipelines',
  'Take the meaning of a pipeline name away; runs that were given it keep it',
);
export const removeModelEndpoint = remove(
  'model_endpoints',
  'Take the meaning of a model endpoint name away; runs that were given it and its secret stay as they are',
  'model-endpoints',
  'privileged',
);

export const listModelEndpoints = list(
  'model_endpoints',
  'Model endpoints with their latest revision',
  'model-endpoints',
);
/** Where prompts go is shown too; the secret's reference is not (DI-049). */
export const getModelEndpoint = operation({
  id: 'model_endpoints.get',
  method: 'GET',
  path: '/v1/projects/{project}/model-endpoints/{name}',
  summary: "A model endpoint's latest definition and its revisions",
  effect: 'read',
  access: 'read',
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
  method: 'GET',
  path: '/v1/projects/{project}/stale-bindings',
  summary: 'Capabilities that changed since agents were bound to them',
  effect: 'read',
  access: 'read',
  input: z.strictObject({ name: Name.optional() }),
  output: z.strictObject({ data: z.array(StaleBinding) }),
  errors: ['not_found'],
});

export const rebindAgent = operation({
  id: 'agents.rebind',
  method: 'POST',
  path: '/v1/projects/{project}/agents/{name}/rebind',
  summary: 'Register an agent again, bound to the present content of its capabilities',
  effect: 'mutation',
  access: 'provision',
  input: z.strictObject({ name: Name, dry_run: dryRun }),
  output: Registered,
  errors: ['not_found'],
});
