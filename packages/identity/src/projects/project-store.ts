import { noProject } from '@palisade/contracts';
import type { ReadTx, SqlRow, WriteTx } from '@palisade/kernel';
import type { Project } from './project.ts';

const COLUMNS =
  'key, title, repository_url, target_branch, policy_revision, created_at, archived_at, archived_by, archive_reason';

export async function findProject(tx: ReadTx, key: string): Promise<Project | undefined> {
  const row = await tx.sql.get(`SELECT ${COLUMNS} FROM projects WHERE key = ?`, [key]);
  return row === undefined ? undefined : projectOf(row);
}

/** The project, or `not_found`. */
export async function existingProject(tx: ReadTx, key: string): Promise<Project> {
  const project = await findProject(tx, key);
  if (project === undefined) throw noProject(key);
  return project;
}

/** Projects by their keys, after one; `only` is all that the caller may see. */
export async function listProjectRows(
  tx: ReadTx,
  {
    archived,
    only,
    after = '',
    limit,
  }: {
    readonly archived: boolean;
    readonly only: string | null;
    readonly after?: string | undefined;
    readonly limit: number;
  },
): Promise<Project[]> {
  const rows = await tx.sql.all(
    `SELECT ${COLUMNS} FROM projects WHERE archived_at IS ${archived ? 'NOT NULL' : 'NULL'} AND key > ?
     ${only === null ? '' : 'AND key = ?'} ORDER BY key LIMIT ?`,
    [after, ...(only === null ? [] : [only]), limit],
  );
  return rows.map(projectOf);
}

export async function insertProject(tx: WriteTx, project: Project): Promise<void> {
  await tx.sql.run(
    `INSERT INTO projects (key, title, repository_url, target_branch, policy_revision, created_at) VALUES (?, ?, ?, ?, ?, ?)`,
    [
      project.key,
      project.title,
      project.repositoryUrl,
      project.targetBranch,
      project.policyRevision,
      project.createdAt,
    ],
  );
}

export async function markArchived(
  tx: WriteTx,
  key: string,
  archived: { readonly by: string; readonly reason: string } | null,
): Promise<void> {
  await tx.sql.run('UPDATE projects SET archived_at = ?, archived_by = ?, archive_reason = ? WHERE key = ?', [
    archived === null ? null : tx.now,
    archived?.by ?? null,
    archived?.reason ?? null,
    key,
  ]);
}

/** Makes the next revision of its policy the one that holds; false when another one is there already. */
export async function advancePolicy(tx: WriteTx, key: string, from: number): Promise<boolean> {
  return (
    (await tx.sql.run('UPDATE projects SET policy_revision = ? WHERE key = ? AND policy_revision = ?', [
      from + 1,
      key,
      from,
    ])) === 1
  );
}

function projectOf(row: SqlRow): Project {
  const optional = (column: string): string | null => (row[column] === null ? null : String(row[column]));
  const at = row['archived_at'];
  return {
    key: String(row['key']),
    title: String(row['title']),
    repositoryUrl: optional('repository_url'),
    targetBranch: optional('target_branch'),
    policyRevision: Number(row['policy_revision']),
    createdAt: Number(row['created_at']),
    archived:
      at === null
        ? null
        : { at: Number(at), by: optional('archived_by') ?? '', reason: optional('archive_reason') ?? '' },
  };
}
