import {
  bindOperation,
  type BoundOperation,
  type CapabilityInput,
  type ContentHash,
  contentHash,
  getCapability,
  listCapabilities,
  PalisadeError,
  registerCapability,
  removeCapability,
} from '@palisade/contracts';
import {
  catalogueReads,
  catalogueRemove,
  findRevision,
  registerContent,
  type Registered,
  type Registration,
} from '../catalogue.ts';
import type { ProjectRooms, RegistryRooms } from '../project-rooms.ts';
import { bundleOf } from './capability.ts';

const KIND = 'capability';

/** A capability's name and the address of one bundle of it. */
export interface ResolvedCapability {
  readonly name: string;
  readonly hash: ContentHash;
}

/** The operations on capabilities (DI-041, DI-049). */
export function capabilityOperations({ database, blobs }: RegistryRooms): BoundOperation[] {
  return [
    bindOperation(registerCapability, ({ dry_run: dryRun, ...input }, context) =>
      registerCapabilityAs({ database, blobs }, input, { context, dryRun }),
    ),
    ...catalogueReads(database, KIND, { list: listCapabilities, get: getCapability }),
    catalogueRemove(database, KIND, removeCapability),
  ];
}

/** Registers a bundle of files; see {@link bundleOf}. */
export async function registerCapabilityAs(
  { database, blobs }: Pick<ProjectRooms, 'database' | 'blobs'>,
  input: CapabilityInput,
  registration: Registration,
): Promise<Registered> {
  const { name } = input;
  const bundle = bundleOf(name, input.files, input.allow_credential_patterns);
  const hash = contentHash(bundle);
  // Big data is written before the unit of work, never inside it (FF-088).
  const content = async () => (registration.dryRun === true ? hash : (await blobs.put(bundle)).hash);
  const call = { operation: registerCapability.id, request: { name, hash } };
  return registerContent(database, registration, call, { kind: KIND, name, content });
}

/** The latest bundle of a name, or the name that an address was registered under (DI-023); `not_found`. */
export async function resolveCapability(
  { project, database }: Pick<ProjectRooms, 'project' | 'database'>,
  nameOrHash: string,
): Promise<ResolvedCapability> {
  const revision = await database.read((tx) => findRevision(tx, { project, kind: KIND }, nameOrHash));
  if (revision === null)
    throw new PalisadeError('not_found', `there is no capability ${nameOrHash}`, {
      next: 'palisade capability list',
    });
  return { name: revision.name, hash: revision.hash };
}
