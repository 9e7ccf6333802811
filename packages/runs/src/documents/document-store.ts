import { type ContentHash, contentHash, PalisadeError } from '@palisade/contracts';
import type { ReadTx, WriteTx } from '@palisade/kernel';

/** Stores canonical JSON text under its own hash, in the caller's unit of work; storing it again is a no-op. */
export async function putDocument(
  tx: WriteTx,
  body: string,
  ref: ContentHash = contentHash(body),
): Promise<ContentHash> {
  await tx.sql.run('INSERT INTO documents (ref, body) VALUES (?, ?) ON CONFLICT (ref) DO NOTHING', [
    ref,
    body,
  ]);
  return ref;
}

/** The text stored under `ref`, re-hashed on this read; `not_found` or `integrity_mismatch` otherwise. */
export async function getDocument(tx: ReadTx, ref: ContentHash): Promise<string> {
  const row = await tx.sql.get<{ body: string }>('SELECT body FROM documents WHERE ref = ?', [ref]);
  if (row === undefined) throw new PalisadeError('not_found', `no document ${ref}`);
  if (contentHash(row.body) !== ref)
    throw new PalisadeError('integrity_mismatch', `document ${ref} does not hash to its address`);
  return row.body;
}
