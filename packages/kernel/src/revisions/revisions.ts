import { type ContentHash, PalisadeError } from '@palisade/contracts';
import type { ReadTx, Revision, WriteTx } from '../database/database.ts';

/*
 * Registered names (DI-022, DI-029, DI-030), each project's its own. A row holds only the address of the content; the content
 * is a blob that was durable before the row was written. "Latest" is a pointer that moves by one with
 * every registration, so no clock decides it: registering A, B, A makes A the latest again, as a third
 * revision.
 */

/** Names of one kind in one project: what a name means, it means here alone. */
export interface Namespace {
  readonly project: string;
  readonly kind: string;
}

interface Row {
  readonly kind: string;
  readonly name: string;
  readonly revision: number;
  readonly hash: ContentHash;
  readonly registered_at: number;
}

const COLUMNS = 'r.kind, r.name, r.revision, r.hash, r.registered_at';
const LATEST = `kernel_revision_names n JOIN kernel_revisions r
  ON r.project = n.project AND r.kind = n.kind AND r.name = n.name AND r.revision = n.latest`;
const SELECT_LATEST = `SELECT ${COLUMNS} FROM ${LATEST} WHERE n.project = ? AND n.kind = ? AND n.name = ?`;
const SELECT_NAMES = `SELECT ${COLUMNS} FROM ${LATEST} WHERE n.project = ? AND n.kind = ? AND n.name > ? ORDER BY n.name LIMIT ?`;
const SELECT_BY_HASH = `SELECT ${COLUMNS} FROM kernel_revisions r WHERE r.project = ? AND r.kind = ? AND r.hash = ?
  ORDER BY r.name, r.revision DESC LIMIT 1`;
const SELECT_REVISIONS = `SELECT ${COLUMNS} FROM kernel_revisions r
  WHERE r.project = ? AND r.kind = ? AND r.name = ? AND r.revision < ? ORDER BY r.revision DESC LIMIT ?`;
const SELECT_HASHES = `SELECT DISTINCT hash FROM kernel_revisions WHERE hash > ? ORDER BY hash LIMIT ?`;
const SELECT_OWNER = 'SELECT owner FROM kernel_revision_names WHERE project = ? AND kind = ? AND name = ?';
const SELECT_OWNED = `SELECT ${COLUMNS} FROM ${LATEST} WHERE n.project = ? AND n.owner = ? ORDER BY n.kind, n.name`;
const GIVE = 'UPDATE kernel_revision_names SET owner = ? WHERE project = ? AND kind = ? AND name = ?';
const SELECT_LAST =
  'SELECT MAX(revision) AS last FROM kernel_revisions WHERE project = ? AND kind = ? AND name = ?';
const UNPOINT = 'DELETE FROM kernel_revision_names WHERE project = ? AND kind = ? AND name = ?';
const INSERT = `INSERT INTO kernel_revisions (project, kind, name, revision, hash, registered_at)
  VALUES (?, ?, ?, ?, ?, ?)`;
// Whoever made the name keeps it, also when somebody else registers under it.
const POINT = `INSERT INTO kernel_revision_names (project, kind, name, latest, owner) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (project, kind, name) DO UPDATE SET latest = excluded.latest WHERE kernel_revision_names.latest = excluded.latest - 1`;

/**
 * Makes `hash` the latest content of the name. Registering what is the latest already changes nothing
 * (`created: false`). The blob must be durable before this unit of work commits. A name that has no
 * meaning yet belongs to `owner` from now on, or to nobody; one that has stays whose it is.
 */
export async function registerRevision(
  tx: WriteTx,
  { project, kind, name, hash }: Namespace & Pick<Revision, 'name' | 'hash'>,
  owner: string | null = null,
): Promise<{ readonly revision: Revision; readonly created: boolean }> {
  const present = await latestRevision(tx, { project, kind }, name);
  if (present?.hash === hash) return { revision: present, created: false };
  // A name that was removed goes on counting where it was: no revision is ever another content.
  const last =
    present?.revision ??
    (await tx.sql.get<{ last: number | null }>(SELECT_LAST, [project, kind, name]))?.last;
  const revision = { kind, name, hash, revision: (last ?? 0) + 1, registeredAt: tx.now };
  await tx.sql.run(INSERT, [project, kind, name, revision.revision, hash, tx.now]);
  if ((await tx.sql.run(POINT, [project, kind, name, revision.revision, owner])) !== 1)
    throw new PalisadeError('stale_revision', `somebody else registered ${kind} ${name} meanwhile`);
  return { revision, created: true };
}

/** Takes the name's meaning away: false when it had none. Its revisions and their content stay, by address. */
export async function removeName(tx: WriteTx, { project, kind }: Namespace, name: string): Promise<boolean> {
  return (await tx.sql.run(UNPOINT, [project, kind, name])) === 1;
}

/** Whose name it is; null for nobody's and for one without a meaning. */
export async function ownerOf(
  tx: ReadTx,
  { project, kind }: Namespace,
  name: string,
): Promise<string | null> {
  const row = await tx.sql.get<{ readonly owner: string | null }>(SELECT_OWNER, [project, kind, name]);
  return row?.owner ?? null;
}

/** The latest revisions of a project's names that belong to `owner`, by kind and name. */
export async function namesOf(tx: ReadTx, project: string, owner: string): Promise<Revision[]> {
  return (await tx.sql.all<Row>(SELECT_OWNED, [project, owner])).map(toRevision);
}

/** Makes a name that has a meaning belong to `owner`. */
export async function giveName(
  tx: WriteTx,
  { project, kind }: Namespace,
  name: string,
  owner: string,
): Promise<void> {
  await tx.sql.run(GIVE, [owner, project, kind, name]);
}

/** What the name means now; null when nothing was registered under it. */
export async function latestRevision(
  tx: ReadTx,
  { project, kind }: Namespace,
  name: string,
): Promise<Revision | null> {
  const row = await tx.sql.get<Row>(SELECT_LATEST, [project, kind, name]);
  return row === undefined ? null : toRevision(row);
}

/** The registration of this content: under several names that of the first name, its newest (DI-023). */
export async function revisionByHash(
  tx: ReadTx,
  { project, kind }: Namespace,
  hash: ContentHash,
): Promise<Revision | null> {
  const row = await tx.sql.get<Row>(SELECT_BY_HASH, [project, kind, hash]);
  return row === undefined ? null : toRevision(row);
}

/** The latest revision of each name, ordered by name, strictly after `after`, at most `limit` (DI-024). */
export async function listNames(
  tx: ReadTx,
  { project, kind }: Namespace,
  { after = '', limit }: { readonly after?: string | undefined; readonly limit: number },
): Promise<{ readonly revisions: Revision[]; readonly next: string | null }> {
  const rows = await tx.sql.all<Row>(SELECT_NAMES, [project, kind, after, limit + 1]);
  const revisions = rows.slice(0, limit).map(toRevision);
  return { revisions, next: rows.length > limit ? (revisions.at(-1)?.name ?? null) : null };
}

/** Revisions of a name, newest first, strictly before revision `before`, at most `limit` (DI-022). */
export async function listRevisions(
  tx: ReadTx,
  { project, kind }: Namespace,
  name: string,
  { before = Number.MAX_SAFE_INTEGER, limit }: { readonly before?: number; readonly limit: number },
): Promise<Revision[]> {
  return (await tx.sql.all<Row>(SELECT_REVISIONS, [project, kind, name, before, limit])).map(toRevision);
}

/** Addresses that some revision of any project and kind refers to, in order: what a collection of blobs must keep (DI-030). */
export async function revisionHashes(
  tx: ReadTx,
  { after = '', limit }: { readonly after?: string; readonly limit: number },
): Promise<ContentHash[]> {
  const rows = await tx.sql.all<{ readonly hash: ContentHash }>(SELECT_HASHES, [after, limit]);
  return rows.map(({ hash }) => hash);
}

function toRevision({ kind, name, revision, hash, registered_at }: Row): Revision {
  return { kind, name, revision, hash, registeredAt: registered_at };
}
