import {
  bindOperation,
  type BoundOperation,
  type ContentHash,
  EnvironmentDefinition,
  type EnvironmentInput,
  getEnvironment,
  listEnvironments,
  PalisadeError,
  registerEnvironment,
  removeEnvironment,
} from '@palisade/contracts';
import { receiptOf, type SecretStore } from '@palisade/kernel';
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
import {
  checkEnvironment,
  environmentDefinition,
  environmentKeys,
  inlineSecrets,
  mergeEnvironments,
  secretRefs,
} from './environment.ts';

const KIND = 'env';

/** An environment's latest definition and its address. */
export interface ResolvedEnvironment {
  readonly hash: ContentHash;
  readonly definition: EnvironmentDefinition;
}

/** The operations on environments (DI-046, DI-047, DI-049). */
export function environmentOperations(all: RegistryRooms): BoundOperation[] {
  const { database, blobs } = all;
  return [
    bindOperation(registerEnvironment, ({ dry_run: dryRun, ...input }, context) =>
      registerEnvironmentAs(roomsOf(all, context.project), input, { context, dryRun }),
    ),
    catalogueRemove(database, KIND, removeEnvironment),
    catalogueList(database, KIND, listEnvironments),
    bindOperation(getEnvironment, async ({ name }, { project }) => {
      const found = await database.read((tx) => history(tx, { project, kind: KIND }, name));
      if (found.row === null) return { ...found, keys: [] };
      return {
        ...found,
        keys: environmentKeys(await getDefinition(blobs, EnvironmentDefinition, found.row.hash)),
      };
    }),
  ];
}

/**
 * The definition that registering an environment gives; unless it is a dry run, with its inline secrets
 * stored. Everything that can be refused is refused before the first write.
 */
export async function draftEnvironment(
  { secrets }: Pick<ProjectRooms, 'secrets'>,
  input: EnvironmentInput,
  { context, dryRun }: Registration,
): Promise<EnvironmentDefinition> {
  checkEnvironment(input);
  const refs = secretRefs(input);
  await secrets.check([...refs.values()]);
  /*
   * An inline value is stored first, and the definition names exactly the version it got. A crash in
   * between leaves a version that nothing refers to and that the repeated call finds again: putting
   * an equal value keeps its version, so equal content has an equal definition.
   */
  for (const { key, secretName, value, ttlMs } of inlineSecrets(input)) {
    const receipt = receiptOf(context, `${registerEnvironment.id}|${secretName}`);
    refs.set(key, (await secrets.put(secretName, value, { ttlMs, receipt, dryRun })).ref);
  }
  return environmentDefinition(input, refs);
}

/** Registers an environment; see {@link draftEnvironment}. */
export async function registerEnvironmentAs(
  rooms: ProjectRooms,
  input: EnvironmentInput,
  registration: Registration,
): Promise<Registered> {
  const content = async () =>
    putDefinition(rooms.blobs, await draftEnvironment(rooms, input, registration), registration.dryRun);
  const call = { operation: registerEnvironment.id, request: fingerprinted(input, rooms.secrets) };
  return registerContent(rooms.database, registration, call, { kind: KIND, name: input.name, content });
}

/** The latest definition of an environment, or the one an address names; `not_found`. */
export async function resolveEnvironment(
  { project, database, blobs }: Omit<ProjectRooms, 'secrets'>,
  nameOrHash: string,
): Promise<ResolvedEnvironment> {
  const revision = await database.read((tx) => findRevision(tx, { project, kind: KIND }, nameOrHash));
  if (revision === null)
    throw new PalisadeError('not_found', `there is no environment ${nameOrHash}`, {
      next: 'palisade env list',
    });
  return {
    hash: revision.hash,
    definition: await getDefinition(blobs, EnvironmentDefinition, revision.hash),
  };
}

/**
 * The secret values of the merged environments, resolved now, by variable name. For handing to a worker
 * at once, never for keeping. Raises `secret_missing`, `secret_expired`, `secret_undecryptable`.
 */
export async function environmentSecrets(
  { secrets }: Pick<ProjectRooms, 'secrets'>,
  definitions: readonly EnvironmentDefinition[],
): Promise<Record<string, string>> {
  const refs = Object.entries(mergeEnvironments(definitions).secretRefs);
  const values = await secrets.resolve(refs.map(([, ref]) => ref));
  return Object.fromEntries(refs.map(([key], i) => [key, values[i] ?? '']));
}

/** The request with a keyed digest in place of each value: a receipt must not let anybody guess a secret. */
export function fingerprinted(input: EnvironmentInput, secrets: SecretStore): unknown {
  const shown = Object.entries(input.secrets ?? {}).map(([key, secret]) => [
    key,
    'inline' in secret ? { ...secret, inline: secrets.fingerprint(secret.inline) } : secret,
  ]);
  return { ...input, secrets: Object.fromEntries(shown) as unknown };
}
