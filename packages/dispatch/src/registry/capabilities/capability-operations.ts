import {
  bindOperation,
  type BlobStore,
  type BoundOperation,
  type ContentHash,
  contentHash,
  getCapability,
  listCapabilities,
  PalisadeError,
  registerCapability,
} from '@palisade/contracts';
import type { Database } from '@palisade/kernel';
import { catalogueReads, findRevision, registerContent } from '../catalogue.ts';
import { bundleOf } from './capability.ts';

const KIND = 'capability';

/** A capability's name and the address of one bundle of it. */
export interface ResolvedCapability {
  readonly name: string;
  readonly hash: ContentHash;
}

/** The operations on capabilities (DI-041, DI-049). */
export function capabilityOperations({
  database,
  blobs,
}: {
  readonly database: Database;
  readonly blobs: BlobStore;
}): BoundOperation[] {
  return [
    bindOperation(registerCapability, async (input, context) => {
      const { name, files, dry_run: dryRun } = input;
      const bundle = bundleOf(name, files, input.allow_credential_patterns);
      // Big data is written before the unit of work, never inside it (FF-088).
      const hash = dryRun === true ? contentHash(bundle) : (await blobs.put(bundle)).hash;
      const call = { operation: registerCapability.id, request: { name, hash }, dryRun };
      return registerContent(database, context, call, { kind: KIND, name, hash });
    }),
    ...catalogueReads(database, KIND, { list: listCapabilities, get: getCapability }),
  ];
}

/** The latest bundle of a name, or the name that an address was registered under (DI-023); `not_found`. */
export async function resolveCapability(database: Database, nameOrHash: string): Promise<ResolvedCapability> {
  const revision = await database.read((tx) => findRevision(tx, KIND, nameOrHash));
  if (revision === null) throw new PalisadeError('not_found', `there is no capability ${nameOrHash}`);
  return { name: revision.name, hash: revision.hash };
}
