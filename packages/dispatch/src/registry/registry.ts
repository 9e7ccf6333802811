import {
  type BoundOperation,
  type ContentHash,
  EnvironmentDefinition,
  type ModelEndpointDefinition,
} from '@palisade/contracts';
import { agentOperations, type ResolvedAgent, resolveAgent } from './agents/agent-operations.ts';
import {
  capabilityOperations,
  type ResolvedCapability,
  resolveCapability,
} from './capabilities/capability-operations.ts';
import {
  environmentOperations,
  environmentSecrets,
  type ResolvedEnvironment,
  resolveEnvironment,
} from './environments/environment-operations.ts';
import { getDefinition } from './definition-store.ts';
import {
  modelCredential,
  modelEndpointOperations,
  type ResolvedModelEndpoint,
  resolveModelEndpoint,
} from './model-endpoints/model-endpoint-operations.ts';
import {
  pipelineOperations,
  type ResolvedPipeline,
  resolvePipeline,
} from './pipelines/pipeline-operations.ts';
import { type RegistryRooms, roomsOf } from './project-rooms.ts';
import { secretOperations } from './secrets/secret-operations.ts';

/** What can be run, with what, and in which environment: names that mean immutable, content-addressed revisions (DI-040). */
export interface Registry {
  readonly operations: readonly BoundOperation[];
  /** What names mean in one project, where alone they mean it (AC-005). */
  of(project: string): ProjectRegistry;
  /** The definition stored under an address. */
  environmentAt(hash: ContentHash): Promise<EnvironmentDefinition>;
}

/** What the names and addresses of one project mean; those of another are `not_found` like absent ones. */
export interface ProjectRegistry {
  /** The latest definition of an agent, or the one an address names; `not_found`. */
  resolveAgent(nameOrHash: string): Promise<ResolvedAgent>;
  /** The latest bundle of a name, or the name an address was registered under; `not_found`. */
  resolveCapability(nameOrHash: string): Promise<ResolvedCapability>;
  /** The latest definition of an environment, or the one an address names; `not_found`. */
  resolveEnvironment(nameOrHash: string): Promise<ResolvedEnvironment>;
  /** The latest definition of a model endpoint, or the one an address names; `not_found`. */
  resolveModelEndpoint(nameOrHash: string): Promise<ResolvedModelEndpoint>;
  /** The latest definition of a pipeline, or the one an address names; `not_found`. */
  resolvePipeline(ref: string): Promise<ResolvedPipeline>;
  /** The credential of a model endpoint, resolved now; see {@link modelCredential}. */
  modelCredential(endpoint: ModelEndpointDefinition): Promise<string>;
  /** Secret values by variable name, resolved now; see {@link environmentSecrets}. */
  environmentSecrets(definitions: readonly EnvironmentDefinition[]): Promise<Record<string, string>>;
}

/** Opens the registry over a database, a blob store and the secrets of projects. */
export function registry(rooms: RegistryRooms): Registry {
  return {
    operations: [
      ...capabilityOperations(rooms),
      ...agentOperations(rooms),
      ...environmentOperations(rooms),
      ...modelEndpointOperations(rooms),
      ...pipelineOperations(rooms),
      ...secretOperations(rooms),
    ],
    of: (project) => projectRegistry(rooms, project),
    environmentAt: (hash) => getDefinition(rooms.blobs, EnvironmentDefinition, hash),
  };
}

function projectRegistry(all: RegistryRooms, project: string): ProjectRegistry {
  const rooms = roomsOf(all, project);
  return {
    resolveAgent: (nameOrHash) => resolveAgent(rooms, nameOrHash),
    resolveCapability: (nameOrHash) => resolveCapability(rooms, nameOrHash),
    resolveEnvironment: (nameOrHash) => resolveEnvironment(rooms, nameOrHash),
    resolveModelEndpoint: (nameOrHash) => resolveModelEndpoint(rooms, nameOrHash),
    resolvePipeline: (ref) => resolvePipeline(rooms, ref),
    modelCredential: (endpoint) => modelCredential(rooms, endpoint),
    environmentSecrets: (definitions) => environmentSecrets(rooms, definitions),
  };
}
