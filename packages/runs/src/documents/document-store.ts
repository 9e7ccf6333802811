import { type ContentHash, contentHash, PalisadeError } from '@palisade/contracts';
import type { ReadTx, WriteTx } from '@palisade/kernel';

/**
 * Stores canonical JSON text of a root run under the text's own hash, in the caller's unit of work; storing
 * it again is a no-op. A run's documents lie together and go together: keyed by the hash alone, every one
 * of them would touch a page of its own (a fifth of what two-step runs wrote to disk).
 */
export async function putDocument(tx: WriteTx, rootRunId: string, body: string): Promise<ContentHash> {
  const ref = contentHash(body);
  await tx.sql.run(
    'INSERT INTO documents (run_id, ref, body) VALUES (?, ?, ?) ON CONFLICT (run_id, ref) DO NOTHING',
    [rootRunId, ref, body],
  );
  return ref;
}

/** The text stored under `ref`, re-hashed on this read; `not_found` or `integrity_mismatch` otherwise. */
export async function getDocument(tx: ReadTx, rootRunId: string, ref: ContentHash): Promise<string> {
  const row = await tx.sql.get<{ body: string }>('SELECT body FROM documents WHERE run_id = ? AND ref = ?', [
    rootRunId,
    ref,
  ]);
  if (row === undefined) throw new PalisadeError('not_found', `no document ${ref}`);
  if (contentHash(row.body) !== ref)
    throw new PalisadeError('integrity_mismatch', `document ${ref} does not hash to its address`);
  return row.body;
}
