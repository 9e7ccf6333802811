import { AnyManifest, type BundleEntry, type CheckName, type ContentHash } from '@palisade/contracts';
import { buildBundle, ed25519Signer, generateEd25519, sealRun, verifyBundle } from '@palisade/evidence';
import type { Database } from '@palisade/kernel';
import { getDocument, isRetired, runStream } from '@palisade/runs';

const signer = ed25519Signer(generateEd25519().privateKeyPkcs8Der);
/** What a verifier finds out from ledger and manifests alone. */
const ROWS: readonly CheckName[] = ['chain', 'root', 'manifest', 'handoff'];

/** What a verifier finds wrong with the ledger of a run that has ended; nothing when it is not kept any more. */
export async function ledgerProblems(database: Database, runId: string): Promise<string[]> {
  const bundle = await database.read(async (tx) => {
    if (await isRetired(tx, runId)) return null;
    const journal = await tx.journal.read(runStream(runId), -1, 100_000);
    const entries: BundleEntry[] = journal.map(({ seq, type, at, data, hash }) => ({
      seq,
      type,
      at,
      data,
      hash,
    }));
    const manifests: AnyManifest[] = [];
    for (const { type, data } of entries)
      if (type === 'item.fired') {
        const text = await getDocument(tx, runId, data['manifest_ref'] as ContentHash);
        manifests.push(AnyManifest.parse(JSON.parse(text)));
      }
    const { envelope } = await sealRun({ runId, entries, signer });
    const log = { checkpoint: '', leaf_index: 0, proof: [], tree_size: 1 };
    return buildBundle({ runId, entries, manifests, seal: envelope, log });
  });
  if (bundle === null) return [];
  return verifyBundle(bundle, null)
    .checks.filter(({ name, ok }) => ok === false && ROWS.includes(name))
    .map(({ name, detail }) => `${runId}: ${name}: ${detail}`);
}
