import {
  AnyManifest,
  type BoundOperation,
  bindOperation,
  type ContentHash,
  exportEvidence,
  getTrustRoot,
  isPalisadeError,
  type NamedFiles,
  PalisadeError,
  parseInput,
  rotateKey,
} from '@palisade/contracts';
import { buildBundle, LogReader, trustRootFrom } from '@palisade/evidence';
import type { Database } from '@palisade/kernel';
import { getDocument } from '../documents/document-store.ts';
import { resolveRun } from '../run/run-store.ts';
import { type RotationDeps, rotate } from './key-rotation.ts';
import { findSeal, listKeys, type StoredSeal } from './seal-store.ts';
import { readLedger } from './sealer.ts';

export interface EvidenceDeps {
  readonly database: Database;
  readonly files: NamedFiles;
  readonly origin: string;
  /** Publishes the log when a seal is not in its files yet; makes all of them again when they were lost or damaged. */
  readonly publish: (options: { readonly rebuild: boolean }) => Promise<void>;
  /** Seals whatever has ended and is not sealed: a crash may have come between, and no engine may be running. */
  readonly seal: () => Promise<void>;
  readonly keys: RotationDeps['keys'];
  readonly whileUnpublished: RotationDeps['whileUnpublished'];
}

/** The operations on evidence. */
export function evidenceOperations(deps: EvidenceDeps): BoundOperation[] {
  return [
    bindOperation(exportEvidence, async ({ run: ref }) => {
      const look = () =>
        deps.database.read(async (tx) => {
          const run = await resolveRun(tx, ref);
          return { run, seal: await findSeal(tx, run.id) };
        });
      let { run, seal } = await look();
      if (run.finishedAt === null)
        throw new PalisadeError('invalid_state', `run ${run.id} has not ended`, {
          next: `palisade watch ${run.id}`,
        });
      if (seal === undefined) {
        await deps.seal();
        ({ run, seal } = await look());
      }
      if (seal === undefined) {
        throw new PalisadeError('invalid_state', `run ${run.id} has ended and is not sealed yet`, {
          next: 'try again in a moment: an engine seals it',
        });
      }
      const entries = await readLedger(deps.database, run.id);
      const refs = entries.flatMap((entry) =>
        entry.type === 'item.fired' ? [entry.data['manifest_ref'] as ContentHash] : [],
      );
      const manifests = await deps.database.read(async (tx) => {
        const found: AnyManifest[] = [];
        for (const manifest of refs)
          found.push(
            parseInput(
              AnyManifest,
              JSON.parse(await getDocument(tx, run.id, manifest)),
              `manifest ${manifest}`,
              'integrity_mismatch',
            ),
          );
        return found;
      });
      return buildBundle({
        runId: run.id,
        entries,
        manifests,
        seal: seal.envelope,
        log: await prove(deps, seal),
      });
    }),
    bindOperation(getTrustRoot, async () => {
      const keys = await deps.database.read(listKeys);
      return { trust_root: JSON.parse(JSON.stringify(trustRootFrom(deps.origin, keys))) };
    }),
    bindOperation(rotateKey, (input, context) => rotate(deps, input, context)),
  ];
}

/** Proves a seal out of the log's files, which are made from the database when they do not prove it. */
async function prove(deps: EvidenceDeps, seal: StoredSeal) {
  const reader = new LogReader(deps.files);
  try {
    return await reader.prove(seal.index, seal.leaf);
  } catch (error) {
    const isDamaged = isPalisadeError(error, 'integrity_mismatch');
    if (!isDamaged && !isPalisadeError(error, 'not_found')) throw error;
    await deps.publish({ rebuild: isDamaged });
    return reader.prove(seal.index, seal.leaf);
  }
}
