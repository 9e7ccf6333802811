import type { ReadTx, SqlRow, WriteTx } from '@palisade/kernel';
import { type BrowserSession, SESSION_MS } from './browser-session.ts';

const COLUMNS = 'id, principal, created_at, expires_at, revoked_at';

/** How long a session that ended is still listed, ms. */
const KEPT_MS = 30 * 86_400_000;

export async function findSession(tx: ReadTx, id: string): Promise<BrowserSession | undefined> {
  const row = await tx.sql.get(`SELECT ${COLUMNS} FROM browser_sessions WHERE id = ?`, [id]);
  return row === undefined ? undefined : sessionOf(row);
}

export async function sessionByValue(tx: ReadTx, hash: string): Promise<BrowserSession | undefined> {
  const row = await tx.sql.get(`SELECT ${COLUMNS} FROM browser_sessions WHERE value_hash = ?`, [hash]);
  return row === undefined ? undefined : sessionOf(row);
}

/** Of one person, in the order they began, after the id `after`. */
export async function sessionsOf(
  tx: ReadTx,
  principal: string,
  { after = '', limit }: { readonly after?: string | undefined; readonly limit: number },
): Promise<BrowserSession[]> {
  const rows = await tx.sql.all(
    `SELECT ${COLUMNS} FROM browser_sessions WHERE principal = ? AND id > ? ORDER BY id LIMIT ?`,
    [principal, after, limit],
  );
  return rows.map(sessionOf);
}

/** Begins a session, and forgets the person's sessions that ended long ago. */
export async function insertSession(
  tx: WriteTx,
  id: string,
  principal: string,
  hash: string,
): Promise<BrowserSession> {
  await tx.sql.run('DELETE FROM browser_sessions WHERE principal = ? AND expires_at < ?', [
    principal,
    tx.now - KEPT_MS,
  ]);
  const expiresAt = tx.now + SESSION_MS;
  await tx.sql.run(
    `INSERT INTO browser_sessions (id, principal, value_hash, created_at, expires_at, revoked_at) VALUES (?, ?, ?, ?, ?, NULL)`,
    [id, principal, hash, tx.now, expiresAt],
  );
  return { id, principal, createdAt: tx.now, expiresAt, revokedAt: null };
}

/** Ends a session; false when it was revoked already. */
export async function revokeSession(tx: WriteTx, id: string): Promise<boolean> {
  return (
    (await tx.sql.run('UPDATE browser_sessions SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL', [
      tx.now,
      id,
    ])) === 1
  );
}

/** Ends every session of a person. */
export async function revokeSessionsOf(tx: WriteTx, principal: string): Promise<void> {
  await tx.sql.run('UPDATE browser_sessions SET revoked_at = ? WHERE principal = ? AND revoked_at IS NULL', [
    tx.now,
    principal,
  ]);
}

function sessionOf(row: SqlRow): BrowserSession {
  return {
    id: String(row['id']),
    principal: String(row['principal']),
    createdAt: Number(row['created_at']),
    expiresAt: Number(row['expires_at']),
    revokedAt: row['revoked_at'] === null ? null : Number(row['revoked_at']),
  };
}
