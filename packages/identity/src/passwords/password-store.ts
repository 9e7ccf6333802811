import type { ReadTx, WriteTx } from '@palisade/kernel';

/** The hash of a person's password; null for whoever has none. */
export async function passwordHash(tx: ReadTx, principal: string): Promise<string | null> {
  const row = await tx.sql.get<{ hash: string }>('SELECT hash FROM passwords WHERE principal = ?', [
    principal,
  ]);
  return row?.hash ?? null;
}

export async function putPassword(tx: WriteTx, principal: string, hash: string): Promise<void> {
  await tx.sql.run(
    `INSERT INTO passwords (principal, hash, changed_at) VALUES (?, ?, ?)
     ON CONFLICT (principal) DO UPDATE SET hash = excluded.hash, changed_at = excluded.changed_at`,
    [principal, hash, tx.now],
  );
}
