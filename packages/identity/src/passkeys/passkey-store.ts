import { PalisadeError, type PasskeyView } from '@palisade/contracts';
import type { ReadTx, SqlRow, WriteTx } from '@palisade/kernel';

/** A public key of a person's authenticator. */
export interface Passkey {
  readonly id: string;
  readonly principal: string;
  /** As the authenticator names it, base64url. */
  readonly credentialId: string;
  /** COSE key, base64url. */
  readonly publicKey: string;
  /** As the authenticator counted when it last signed; some never count. */
  readonly counter: number;
  readonly name: string;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
}

const COLUMNS = 'id, principal, credential_id, public_key, counter, name, created_at, last_used_at';

/** At most as many as a person may have. */
export async function passkeysOf(tx: ReadTx, principal: string): Promise<Passkey[]> {
  const rows = await tx.sql.all(`SELECT ${COLUMNS} FROM passkeys WHERE principal = ? ORDER BY id`, [
    principal,
  ]);
  return rows.map(passkeyOf);
}

export async function passkeyByCredential(tx: ReadTx, credentialId: string): Promise<Passkey | undefined> {
  const row = await tx.sql.get(`SELECT ${COLUMNS} FROM passkeys WHERE credential_id = ?`, [credentialId]);
  return row === undefined ? undefined : passkeyOf(row);
}

/** Keeps a passkey. Raises `already_exists` when it is somebody's already. */
export async function insertPasskey(tx: WriteTx, passkey: Omit<Passkey, 'lastUsedAt'>): Promise<void> {
  const { id, principal, credentialId, publicKey, counter, name, createdAt } = passkey;
  const added = await tx.sql.run(
    `INSERT INTO passkeys (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, NULL) ON CONFLICT (credential_id) DO NOTHING`,
    [id, principal, credentialId, publicKey, counter, name, createdAt],
  );
  if (added === 0)
    throw new PalisadeError('already_exists', 'this passkey is registered already', {
      next: 'use another authenticator',
    });
}

/** Records a use; false when another use was recorded since the passkey was read. */
export async function markPasskeyUsed(tx: WriteTx, { id, counter }: Passkey, now: number): Promise<boolean> {
  return (
    (await tx.sql.run('UPDATE passkeys SET counter = ?, last_used_at = ? WHERE id = ? AND counter = ?', [
      now,
      tx.now,
      id,
      counter,
    ])) === 1
  );
}

export async function deletePasskey(tx: WriteTx, id: string): Promise<void> {
  await tx.sql.run('DELETE FROM passkeys WHERE id = ?', [id]);
}

export function passkeyView({ id, name, createdAt, lastUsedAt }: Passkey): PasskeyView {
  return { id, name, created_at: createdAt, ...(lastUsedAt === null ? {} : { last_used_at: lastUsedAt }) };
}

function passkeyOf(row: SqlRow): Passkey {
  return {
    id: String(row['id']),
    principal: String(row['principal']),
    credentialId: String(row['credential_id']),
    publicKey: String(row['public_key']),
    counter: Number(row['counter']),
    name: String(row['name']),
    createdAt: Number(row['created_at']),
    lastUsedAt: row['last_used_at'] === null ? null : Number(row['last_used_at']),
  };
}
