import {
  bindOperation,
  type BoundOperation,
  type ContentHash,
  getModelEndpoint,
  isHost,
  listModelEndpoints,
  ModelEndpointDefinition,
  type ModelEndpointInput,
  PalisadeError,
  registerModelEndpoint,
  removeModelEndpoint,
} from '@palisade/contracts';
import {
  catalogueList,
  catalogueRemove,
  findRevision,
  history,
  registerContent,
  type Registered,
  type Registration,
} from '../catalogue.ts';
import { getDefinition, putDefinition } from '../definition-store.ts';
import { type ProjectRooms, type RegistryRooms, roomsOf } from '../project-rooms.ts';
import { modelEndpointDefinition, scanModelEndpoint } from './model-endpoint.ts';

const KIND = 'model-endpoint';

/** A model endpoint's definition and its address. */
export interface ResolvedModelEndpoint {
  readonly hash: ContentHash;
  readonly definition: ModelEndpointDefinition;
}

/** The operations on model endpoints. */
export function modelEndpointOperations(all: RegistryRooms): BoundOperation[] {
  const { database, blobs } = all;
  return [
    bindOperation(registerModelEndpoint, ({ dry_run: dryRun, ...input }, context) =>
      registerModelEndpointAs(roomsOf(all, context.project), input, { context, dryRun }),
    ),
    catalogueRemove(database, KIND, removeModelEndpoint),
    catalogueList(database, KIND, listModelEndpoints),
    bindOperation(getModelEndpoint, async ({ name }, { project }) => {
      const found = await database.read((tx) => history(tx, { project, kind: KIND }, name));
      if (found.row === null) return { ...found, endpoint: null };
      const definition = await getDefinition(blobs, ModelEndpointDefinition, found.row.hash);
      const { schema_version: _version, secret: _secret, ...endpoint } = definition;
      return { ...found, endpoint };
    }),
  ];
}

/** The definition that registering a model endpoint gives. Raises `credential_in_text`, `secret_missing`. */
export async function draftModelEndpoint(
  { secrets }: Pick<ProjectRooms, 'secrets'>,
  input: ModelEndpointInput,
): Promise<ModelEndpointDefinition> {
  scanModelEndpoint(input);
  await secrets.check([input.secret]);
  return modelEndpointDefinition(input);
}

/** Registers a model endpoint; see {@link draftModelEndpoint}. */
export async function registerModelEndpointAs(
  rooms: ProjectRooms,
  input: ModelEndpointInput,
  registration: Registration,
): Promise<Registered> {
  const { caller } = registration.context;
  if (input.private === true && !isHost(caller) && !caller.scopes.has('system'))
    throw new PalisadeError('operation_not_permitted', 'private needs the scope system', {
      next: 'leave it out, or register the endpoint where the control plane is',
    });
  const content = async () =>
    putDefinition(rooms.blobs, await draftModelEndpoint(rooms, input), registration.dryRun);
  const call = { operation: registerModelEndpoint.id, request: input };
  return registerContent(rooms.database, registration, call, { kind: KIND, name: input.name, content });
}

/** The latest definition of a model endpoint, or the one an address names; `not_found`. */
export async function resolveModelEndpoint(
  { project, database, blobs }: Omit<ProjectRooms, 'secrets'>,
  nameOrHash: string,
): Promise<ResolvedModelEndpoint> {
  const revision = await database.read((tx) => findRevision(tx, { project, kind: KIND }, nameOrHash));
  if (revision === null)
    throw new PalisadeError('not_found', `there is no model endpoint ${nameOrHash}`, {
      next: 'pal model-endpoint set NAME --kind anthropic|openai --url URL --secret REF',
    });
  return {
    hash: revision.hash,
    definition: await getDefinition(blobs, ModelEndpointDefinition, revision.hash),
  };
}

/**
 * The credential of a model endpoint, resolved now. For handing to a worker at once, never for keeping.
 * Raises `secret_missing`, `secret_expired`, `secret_undecryptable`.
 */
export async function modelCredential(
  { secrets }: Pick<ProjectRooms, 'secrets'>,
  { name, secret }: ModelEndpointDefinition,
): Promise<string> {
  const [value] = await secrets.resolve([secret]);
  if (value === undefined)
    throw new PalisadeError('secret_missing', `the credential of the model endpoint ${name} does not exist`);
  return value;
}
