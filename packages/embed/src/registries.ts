import {
  type AgentInput,
  type CatalogueRow,
  type EnvironmentInput,
  listAgents,
  listCapabilities,
  listEnvironments,
  listPipelines,
  listSecrets,
  type ModelEndpointInput,
  type PipelineInput,
  putSecret,
  registerAgent,
  registerCapability,
  registerEnvironment,
  registerModelEndpoint,
  registerPipeline,
  removeEnvironment,
  type SecretRow,
} from '@palisade/contracts';
import type { Calls } from './calls.ts';

/** What a registration gave: the same content under the same name is the same revision, with `created: false`. */
export interface Registered {
  readonly name: string;
  /** Counts what the name has meant, from 1. */
  readonly revision: number;
  /** Address of the content. */
  readonly hash: string;
  readonly created: boolean;
}

/** What can be run, by name. */
export interface Agents {
  /** Raises `not_found` for a capability it names, `credential_in_text` when a text of it looks like it holds a key. */
  register(agent: AgentInput): Promise<Registered>;
  list(): Promise<readonly CatalogueRow[]>;
}

/** Files by their path in the bundle: text, bytes, or either with its executable bit. */
export type CapabilityFiles = Readonly<
  Record<
    string,
    string | Uint8Array | { readonly content: string | Uint8Array; readonly executable: boolean }
  >
>;

/** Bundles of files that are laid over a workspace. */
export interface Capabilities {
  /** Raises `unsafe_path`, `credential_in_text`, `too_large`. */
  register(capability: {
    readonly name: string;
    readonly files: CapabilityFiles;
    readonly allow_credential_patterns?: readonly string[];
  }): Promise<Registered>;
  list(): Promise<readonly CatalogueRow[]>;
}

/** Named values and secrets; values of secrets are stored encrypted and never given back. */
export interface Environments {
  register(environment: EnvironmentInput): Promise<Registered>;
  /** Takes the name's meaning away; runs it was given to stay as they are. False when there was none. */
  remove(name: string): Promise<boolean>;
  list(): Promise<readonly CatalogueRow[]>;
}

/** Write-only: no call gives a value back. */
export interface Secrets {
  /** A name that is there gets a new version. */
  put(secret: {
    readonly name: string;
    readonly value: string;
    readonly ttl_ms?: number;
  }): Promise<SecretRow>;
  list(): Promise<readonly SecretRow[]>;
}

/** Where models are reached, and by which stored secret. */
export interface ModelEndpoints {
  register(endpoint: ModelEndpointInput): Promise<Registered>;
}

/** Blocks that work may name in place of its own. */
export interface Pipelines {
  /** Raises `credential_in_text` when a command of it looks like it holds a key. */
  register(pipeline: PipelineInput): Promise<Registered>;
  list(): Promise<readonly CatalogueRow[]>;
}

/** The registries of an installation. */
export interface Registries {
  readonly agents: Agents;
  readonly capabilities: Capabilities;
  readonly environments: Environments;
  readonly secrets: Secrets;
  readonly modelEndpoints: ModelEndpoints;
  readonly pipelines: Pipelines;
}

type Listing = typeof listAgents;

export function registriesOf(calls: Calls): Registries {
  const all = async (operation: Listing): Promise<CatalogueRow[]> => {
    const rows: CatalogueRow[] = [];
    for (let cursor: string | undefined; ; ) {
      const page: { data: CatalogueRow[]; next_cursor?: string | undefined } = await calls.call(
        operation,
        cursor === undefined ? {} : { cursor },
      );
      rows.push(...page.data);
      cursor = page.next_cursor;
      if (cursor === undefined) return rows;
    }
  };
  return {
    agents: {
      register: (agent) => calls.call(registerAgent, agent),
      list: () => all(listAgents),
    },
    capabilities: {
      register: ({ name, files, allow_credential_patterns }) =>
        calls.call(registerCapability, {
          name,
          files: Object.entries(files).map(([path, file]) => bundled(path, file)),
          ...(allow_credential_patterns === undefined
            ? {}
            : { allow_credential_patterns: [...allow_credential_patterns] }),
        }),
      list: () => all(listCapabilities),
    },
    environments: {
      register: (environment) => calls.call(registerEnvironment, environment),
      remove: async (name) => (await calls.call(removeEnvironment, { name })).removed,
      list: () => all(listEnvironments),
    },
    secrets: {
      put: (secret) => calls.call(putSecret, secret),
      list: async () => (await calls.call(listSecrets, {})).data,
    },
    modelEndpoints: {
      register: (endpoint) => calls.call(registerModelEndpoint, endpoint),
    },
    pipelines: {
      register: (pipeline) => calls.call(registerPipeline, pipeline),
      list: () => all(listPipelines),
    },
  };
}

function bundled(path: string, file: CapabilityFiles[string]) {
  const isPlain = typeof file === 'string' || file instanceof Uint8Array;
  const content = isPlain ? file : file.content;
  const base64 = Buffer.from(content as string).toString('base64');
  return { path, base64, ...(isPlain ? {} : { executable: file.executable }) };
}
