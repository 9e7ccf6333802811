import {
  AnyManifest,
  type BoundOperation,
  bindOperation,
  type ContentHash,
  exportEvidence,
  type AttesterView,
  getEvidenceStatus,
  getTrustRoot,
  isPalisadeError,
  type LogInclusion,
  type NamedFiles,
  PalisadeError,
  parseInput,
  revokeKey,
  rotateKey,
  type TrustRoot,
} from '@palisade/contracts';
import { buildBundle, LogReader, trustRootFrom } from '@palisade/evidence';
import type { Database } from '@palisade/kernel';
import type * as z from 'zod';
import { type AttesterState, checkpointsOver, listAttesters } from '../attestation/attestation-store.ts';
import { chooseCheckpoint } from '../attestation/choose-checkpoint.ts';
import { getDocument } from '../documents/document-store.ts';
import { resolveRun } from '../run/run-store.ts';
import { revoke } from './key-revocation.ts';
import { type RotationDeps, rotate } from './key-rotation.ts';
import { findSeal, listKeys, logSize, type StoredSeal } from './seal-store.ts';
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
  /** Asks authorities and witnesses about the published log, those that may be asked now. Never rejects. */
  readonly attest?: () => Promise<void>;
  /** What this installation proposes to its auditors about the parties it asks. */
  readonly trusted?: Pick<TrustRoot, 'witnesses' | 'timestamps'>;
}

/** The operations on evidence. */
export function evidenceOperations(deps: EvidenceDeps): BoundOperation[] {
  return [
    bindOperation(exportEvidence, async ({ run: ref }, { project }) => {
      const look = () =>
        deps.database.read(async (tx) => {
          const run = await resolveRun(tx, project, ref);
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
      const root = trustRootFrom(deps.origin, keys, deps.trusted);
      return { trust_root: JSON.parse(JSON.stringify(root)) };
    }),
    bindOperation(getEvidenceStatus, () =>
      deps.database.read(async (tx) => ({
        log_origin: deps.origin,
        leaves: await logSize(tx),
        attesters: (await listAttesters(tx)).map((state) => attesterView(state, deps.trusted)),
      })),
    ),
    bindOperation(rotateKey, (input, context) => rotate(deps, input, context)),
    bindOperation(revokeKey, (input, context) => revoke(deps.database, input, context)),
  ];
}

function attesterView(state: AttesterState, trusted: EvidenceDeps['trusted']): z.output<typeof AttesterView> {
  return {
    name: state.name,
    kind: state.kind,
    leaves: state.treeSize,
    ...(state.attestedAt === null ? {} : { attested_at: state.attestedAt }),
    ...(state.kind === 'timestamp' && trusted?.timestamps === undefined ? { unverified: true as const } : {}),
    failures: state.failures,
    ...(state.lastError === null ? {} : { error: state.lastError, next_try_at: state.nextTryAt }),
  };
}

/**
 * Proves a seal under the head of the log that others said most about, or under the present one. What is not
 * attested yet may be now.
 */
async function prove(deps: EvidenceDeps, seal: StoredSeal): Promise<LogInclusion> {
  const present = await provePresent(deps, seal);
  await deps.attest?.();
  const chosen = await deps.database.read(async (tx) =>
    chooseCheckpoint(await checkpointsOver(tx, seal.index), {
      origin: deps.origin,
      keys: await listKeys(tx),
      keyid: seal.envelope.signatures[0]?.keyid ?? '',
      authorities:
        deps.trusted?.timestamps?.authorities.map((certificate) => Buffer.from(certificate, 'base64')) ??
        null,
    }),
  );
  if (chosen === null) return present;
  const log = await new LogReader(deps.files).proveUnder(chosen.note, seal.index, seal.leaf);
  return chosen.token === null ? log : { ...log, timestamp: chosen.token.toString('base64') };
}

/** Proves a seal out of the log's files, which are made from the database when they do not prove it. */
async function provePresent(deps: EvidenceDeps, seal: StoredSeal): Promise<LogInclusion> {
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
