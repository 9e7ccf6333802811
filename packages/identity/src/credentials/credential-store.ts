import { CredentialClass, PalisadeError, Scope } from '@palisade/contracts';
import type { ReadTx, SqlRow, SqlValue, WriteTx } from '@palisade/kernel';
import { closeHarnessSessionsOf } from '../harness-sessions/harness-session-store.ts';
import type { Principal } from '../principals/principal.ts';
import { JOINED_COLUMNS, principalOf } from '../principals/principal-store.ts';
import type { Credential } from './credential.ts';

const COLUMNS =
  'id, principal, name, class, scopes, project, created_at, expires_at, revoked_at, hidden, last_used_at';

export async function findCredential(tx: ReadTx, id: string): Promise<Credential | undefined> {
  const row = await tx.sql.get(`SELECT ${COLUMNS} FROM credentials WHERE id = ?`, [id]);
  return row === undefined ? undefined : credentialOf(row);
}

/** The credential, or `not_found`. */
export async function existingCredential(tx: ReadTx, id: string): Promise<Credential> {
  const found = await findCredential(tx, id);
  if (found !== undefined) return found;
  throw new PalisadeError('not_found', `there is no credential ${id}`, {
    next: 'list the credentials to see their ids',
  });
}

const HELD = `SELECT ${COLUMNS.split(', ')
  .map((column) => `c.${column}`)
  .join(', ')}, ${JOINED_COLUMNS} FROM credentials c JOIN principals p ON p.id = c.principal WHERE`;
const HELD_BY = { id: `${HELD} c.id = ?`, token_hash: `${HELD} c.token_hash = ?` };

/** A credential and whose it is. Every call asks for it, so that is one statement. */
export async function heldCredential(
  tx: ReadTx,
  by: 'id' | 'token_hash',
  value: string,
): Promise<{ readonly credential: Credential; readonly principal: Principal } | undefined> {
  const row = await tx.sql.get(HELD_BY[by], [value]);
  return row === undefined ? undefined : { credential: credentialOf(row), principal: principalOf(row, 'p_') };
}

/** The newest credential of a principal, revoked or not (AC-053). */
export async function newestCredential(tx: ReadTx, principal: string): Promise<Credential | undefined> {
  const row = await tx.sql.get(
    `SELECT ${COLUMNS} FROM credentials WHERE principal = ? ORDER BY created_at DESC, id DESC LIMIT 1`,
    [principal],
  );
  return row === undefined ? undefined : credentialOf(row);
}

/** In the order they were issued, after the id `after`. */
export async function credentials(
  tx: ReadTx,
  filter: {
    readonly principal?: string | undefined;
    readonly hidden: boolean;
    readonly after?: string | undefined;
    readonly limit: number;
  },
): Promise<Credential[]> {
  const conditions = ['id > ?'];
  const params: SqlValue[] = [filter.after ?? ''];
  if (!filter.hidden) conditions.push('hidden = 0');
  if (filter.principal !== undefined) {
    conditions.push('principal = ?');
    params.push(filter.principal);
  }
  const rows = await tx.sql.all(
    `SELECT ${COLUMNS} FROM credentials WHERE ${conditions.join(' AND ')} ORDER BY id LIMIT ?`,
    [...params, filter.limit],
  );
  return rows.map(credentialOf);
}

export async function insertCredential(tx: WriteTx, credential: Credential, hash: string): Promise<void> {
  await tx.sql.run(
    `INSERT INTO credentials (id, principal, name, token_hash, class, scopes, project, created_at, expires_at, revoked_at, hidden, last_used_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, 0, NULL)`,
    [
      credential.id,
      credential.principal,
      credential.name,
      hash,
      credential.class,
      JSON.stringify(credential.scopes),
      credential.project,
      credential.createdAt,
      credential.expiresAt,
    ],
  );
}

/** Revokes it now with its sessions, if it is not revoked already; false in that case. */
export async function markRevoked(tx: WriteTx, id: string): Promise<boolean> {
  await closeHarnessSessionsOf(tx, id);
  return (
    (await tx.sql.run('UPDATE credentials SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL', [
      tx.now,
      id,
    ])) === 1
  );
}

export async function markHidden(tx: WriteTx, id: string): Promise<boolean> {
  return (
    (await tx.sql.run(
      'UPDATE credentials SET hidden = 1 WHERE id = ? AND hidden = 0 AND revoked_at IS NOT NULL',
      [id],
    )) === 1
  );
}

/** Records that it was presented, unless that was recorded after `since`. */
export async function markUsed(tx: WriteTx, id: string, since: number): Promise<void> {
  await tx.sql.run(
    'UPDATE credentials SET last_used_at = ? WHERE id = ? AND (last_used_at IS NULL OR last_used_at <= ?)',
    [tx.now, id, since],
  );
}

const Scopes = Scope.array();

function credentialOf(row: SqlRow): Credential {
  const time = (column: string): number | null => (row[column] === null ? null : Number(row[column]));
  const scopes = Scopes.safeParse(JSON.parse(String(row['scopes'])));
  if (!scopes.success)
    throw new PalisadeError('internal', `the scopes of the credential ${String(row['id'])} cannot be read`);
  return {
    id: String(row['id']),
    principal: String(row['principal']),
    name: String(row['name']),
    class: CredentialClass.parse(row['class']),
    scopes: scopes.data,
    project: row['project'] === null ? null : String(row['project']),
    createdAt: Number(row['created_at']),
    expiresAt: time('expires_at'),
    revokedAt: time('revoked_at'),
    hidden: row['hidden'] === 1,
    lastUsedAt: time('last_used_at'),
  };
}
