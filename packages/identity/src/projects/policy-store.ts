import { DEFAULT_POLICY, PolicyFields, type PolicyProvenance, PolicyRevision } from '@palisade/contracts';
import type { ReadTx, SqlRow, WriteTx } from '@palisade/kernel';
import type { Project } from './project.ts';

const COLUMNS = 'revision, policy, actor, provenance, set_at';

/** What a project starts with: revision 1, which is no row. */
function firstPolicy({ createdAt }: Project): PolicyRevision {
  return { revision: 1, policy: DEFAULT_POLICY, set_at: createdAt };
}

/** A revision of the project's policy, or undefined. */
export async function findPolicy(
  tx: ReadTx,
  project: Project,
  revision: number,
): Promise<PolicyRevision | undefined> {
  const row = await tx.sql.get(`SELECT ${COLUMNS} FROM project_policies WHERE project = ? AND revision = ?`, [
    project.key,
    revision,
  ]);
  if (row !== undefined) return policyOf(row);
  return revision === 1 ? firstPolicy(project) : undefined;
}

/** Revisions before one, newest first, at most `limit`. */
export async function listPolicyRows(
  tx: ReadTx,
  project: Project,
  {
    before = Number.MAX_SAFE_INTEGER,
    limit,
  }: { readonly before?: number | undefined; readonly limit: number },
): Promise<PolicyRevision[]> {
  const rows = await tx.sql.all(
    `SELECT ${COLUMNS} FROM project_policies WHERE project = ? AND revision < ? ORDER BY revision DESC LIMIT ?`,
    [project.key, before, limit],
  );
  const found = rows.map(policyOf);
  return found.length < limit && before > 1 ? [...found, firstPolicy(project)] : found;
}

export async function insertPolicy(
  tx: WriteTx,
  project: string,
  {
    revision,
    policy,
    actor,
    provenance,
  }: {
    readonly revision: number;
    readonly policy: PolicyFields;
    readonly actor: string;
    readonly provenance: PolicyProvenance | undefined;
  },
): Promise<void> {
  await tx.sql.run(
    `INSERT INTO project_policies (project, revision, policy, actor, provenance, set_at) VALUES (?, ?, ?, ?, ?, ?)`,
    [
      project,
      revision,
      JSON.stringify(policy),
      actor,
      provenance === undefined ? null : JSON.stringify(provenance),
      tx.now,
    ],
  );
}

function policyOf(row: SqlRow): PolicyRevision {
  const json = (column: string): unknown =>
    typeof row[column] === 'string' ? JSON.parse(row[column]) : undefined;
  return PolicyRevision.parse({
    revision: Number(row['revision']),
    // A field that came later has the value it was given then.
    policy: { ...DEFAULT_POLICY, ...PolicyFields.partial().parse(json('policy')) },
    ...(row['actor'] === null ? {} : { actor: String(row['actor']) }),
    set_at: Number(row['set_at']),
    ...(row['provenance'] === null ? {} : { provenance: json('provenance') }),
  });
}
