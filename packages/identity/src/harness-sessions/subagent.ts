import type { ReadTx, SqlRow, WriteTx } from '@palisade/kernel';

/** Somebody who works for sessions of a principal, in one project under one name, for ever (AC-060). */
export interface Subagent {
  readonly id: string;
  readonly project: string;
  readonly principal: string;
  readonly name: string;
  /** The session that first had it work; never another one. */
  readonly parent: string;
}

export async function findSubagent(
  tx: ReadTx,
  { project, principal, name }: Pick<Subagent, 'project' | 'principal' | 'name'>,
): Promise<Subagent | undefined> {
  const row = await tx.sql.get(
    'SELECT id, project, principal, name, parent FROM subagents WHERE project = ? AND principal = ? AND name = ?',
    [project, principal, name],
  );
  return row === undefined ? undefined : subagentOf(row);
}

export async function insertSubagent(tx: WriteTx, subagent: Subagent): Promise<void> {
  await tx.sql.run(
    'INSERT INTO subagents (id, project, principal, name, parent, created_at) VALUES (?, ?, ?, ?, ?, ?)',
    [subagent.id, subagent.project, subagent.principal, subagent.name, subagent.parent, tx.now],
  );
}

function subagentOf(row: SqlRow): Subagent {
  return {
    id: String(row['id']),
    project: String(row['project']),
    principal: String(row['principal']),
    name: String(row['name']),
    parent: String(row['parent']),
  };
}
