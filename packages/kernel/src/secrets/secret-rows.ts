import type { ReadTx, WriteTx } from '../database/database.ts';
import type { SecretRef } from './secret-ref.ts';

/** A version as stored. `sealed` is base64 of `nonce‖ciphertext‖tag`, null once the value was swept. */
export interface VersionRow {
  readonly name: string;
  readonly version: number;
  readonly sealed: string | null;
  readonly key_id: string;
  readonly expires_at: number | null;
  readonly created_at: number;
}

export interface SecretRow {
  readonly latest: number;
  readonly removed: number;
}

export interface ListedRow {
  readonly name: string;
  readonly version: number;
  readonly created_at: number;
  readonly updated_at: number;
  readonly expires_at: number | null;
}

const VERSION = 'v.name, v.version, v.sealed, v.key_id, v.expires_at, v.created_at';
const LATEST_JOIN = `kernel_secrets s JOIN kernel_secret_versions v
  ON v.project = s.project AND v.name = s.name AND v.version = s.latest`;
const SELECT_SECRET = 'SELECT latest, removed FROM kernel_secrets WHERE project = ? AND name = ?';
const SELECT_LATEST = `SELECT ${VERSION} FROM ${LATEST_JOIN} WHERE s.project = ? AND s.name = ? AND s.removed = 0`;
const SELECT_VERSION = `SELECT ${VERSION} FROM kernel_secret_versions v
  WHERE v.project = ? AND v.name = ? AND v.version = ?`;
const SELECT_LIST = `SELECT s.name, s.latest AS version, s.created_at, s.updated_at, v.expires_at
  FROM ${LATEST_JOIN} WHERE s.project = ? AND s.removed = 0 AND s.name > ? ORDER BY s.name LIMIT ?`;
const SELECT_OTHER_KEY = `SELECT key_id FROM kernel_secret_versions
  WHERE sealed IS NOT NULL AND key_id <> ? LIMIT 1`;
const UPSERT_SECRET = `INSERT INTO kernel_secrets (project, name, latest, removed, created_at, updated_at)
  VALUES (?, ?, ?, 0, ?, ?)
  ON CONFLICT (project, name) DO UPDATE SET latest = excluded.latest, removed = 0, updated_at = excluded.updated_at`;
const INSERT_VERSION = `INSERT INTO kernel_secret_versions (project, name, version, sealed, key_id, expires_at, created_at)
  VALUES (?, ?, ?, ?, ?, ?, ?)`;
const RESEAL = `UPDATE kernel_secret_versions SET sealed = ?, key_id = ?, expires_at = ?
  WHERE project = ? AND name = ? AND version = ?`;
const REMOVE_SECRET = `UPDATE kernel_secrets SET removed = 1, updated_at = ?
  WHERE project = ? AND name = ? AND removed = 0`;
const DELETE_VERSIONS = 'DELETE FROM kernel_secret_versions WHERE project = ? AND name = ?';
const FORGET = `UPDATE kernel_secret_versions SET sealed = NULL
  WHERE project = ? AND name = ? AND version = ? AND sealed IS NOT NULL AND expires_at <= ?`;
const SWEEP = `UPDATE kernel_secret_versions SET sealed = NULL
  WHERE sealed IS NOT NULL AND (project, name, version) IN (SELECT project, name, version FROM kernel_secret_versions
    WHERE sealed IS NOT NULL AND expires_at IS NOT NULL AND expires_at <= ? LIMIT ?)`;

const COUNT_EXPIRED = `SELECT COUNT(*) AS n FROM kernel_secret_versions
  WHERE sealed IS NOT NULL AND expires_at IS NOT NULL AND expires_at <= ?`;

/** The secret's row even when it was removed: its version numbers are spent. */
export function readSecret(tx: ReadTx, project: string, name: string): Promise<SecretRow | undefined> {
  return tx.sql.get<SecretRow>(SELECT_SECRET, [project, name]);
}

/** The version a reference means now. */
export function readVersion(
  tx: ReadTx,
  project: string,
  { name, version }: SecretRef,
): Promise<VersionRow | undefined> {
  return version === undefined
    ? tx.sql.get<VersionRow>(SELECT_LATEST, [project, name])
    : tx.sql.get<VersionRow>(SELECT_VERSION, [project, name, version]);
}

/** Metadata of the secrets that are not removed, by name, strictly after `after`. */
export function listSecrets(tx: ReadTx, project: string, after: string, limit: number): Promise<ListedRow[]> {
  return tx.sql.all<ListedRow>(SELECT_LIST, [project, after, limit]);
}

/** The id of some other key that a value, of any project, is sealed under. */
export async function otherKey(tx: ReadTx, keyId: string): Promise<string | undefined> {
  return (await tx.sql.get<{ key_id: string }>(SELECT_OTHER_KEY, [keyId]))?.key_id;
}

/** Adds a version and makes it the latest. */
export async function insertVersion(
  tx: WriteTx,
  project: string,
  row: Omit<VersionRow, 'created_at'>,
): Promise<void> {
  const { name, version, sealed, key_id, expires_at } = row;
  await tx.sql.run(UPSERT_SECRET, [project, name, version, tx.now, tx.now]);
  await tx.sql.run(INSERT_VERSION, [project, name, version, sealed, key_id, expires_at, tx.now]);
}

/** Replaces a version's seal, for another expiry or another key; the value is the same. */
export async function resealVersion(
  tx: WriteTx,
  project: string,
  row: Omit<VersionRow, 'created_at'>,
): Promise<void> {
  const { name, version, sealed, key_id, expires_at } = row;
  await tx.sql.run(RESEAL, [sealed, key_id, expires_at, project, name, version]);
}

/** Forgets every version; false when there was no such secret. */
export async function removeSecret(tx: WriteTx, project: string, name: string): Promise<boolean> {
  const isRemoved = (await tx.sql.run(REMOVE_SECRET, [tx.now, project, name])) === 1;
  if (isRemoved) await tx.sql.run(DELETE_VERSIONS, [project, name]);
  return isRemoved;
}

/** Forgets the value of this version if it has expired by now; true when the version has no value any more. */
export async function forgetIfExpired(tx: WriteTx, project: string, row: VersionRow): Promise<boolean> {
  return row.sealed === null || (await tx.sql.run(FORGET, [project, row.name, row.version, tx.now])) === 1;
}

/** How many versions have expired and still have their value. */
export async function countExpired(tx: WriteTx): Promise<number> {
  return (await tx.sql.get<{ n: number }>(COUNT_EXPIRED, [tx.now]))?.n ?? 0;
}

/** Forgets the values of expired versions of every project, at most `limit`; returns how many. */
export function sweepExpired(tx: WriteTx, limit: number): Promise<number> {
  return tx.sql.run(SWEEP, [tx.now, limit]);
}
