import type { TranscriptSession } from '@palisade/contracts';
import type { SQLInputValue } from 'node:sqlite';
import type { MemoryDatabase } from '../../store/memory-database.ts';
import type { Harness } from '../events.ts';

type Value = null | number | string;

export interface SessionRow extends Record<string, Value> {
  readonly source: number;
  readonly id: string;
  readonly key: string;
  readonly parent: string | null;
  readonly harness: Harness;
  readonly machine: string;
  readonly title: string;
  readonly first_user_message: string | null;
  readonly last_agent_message: string | null;
  readonly cwd: string | null;
  readonly git_branch: string | null;
  readonly git_origin_url: string | null;
  readonly model: string | null;
  readonly status: TranscriptSession['status'];
  readonly is_truncated: number;
  readonly created_at: number | null;
  readonly updated_at: number;
  readonly message_count: number;
  readonly side_count: number;
}

/** Which sessions are asked for. */
export interface SessionFilter {
  readonly harness?: Harness | undefined;
  readonly machine?: string | undefined;
  /** Absolute folders: those that worked in one of them or below. */
  readonly folders?: readonly string[] | undefined;
}

/** A condition on `sessions s` and its values. */
export function filterClause({ harness, machine, folders }: SessionFilter): {
  readonly where: string;
  readonly values: SQLInputValue[];
} {
  const parts: string[] = [];
  const values: SQLInputValue[] = [];
  const add = (part: string, ...more: SQLInputValue[]): void => {
    parts.push(part);
    values.push(...more);
  };
  if (harness !== undefined) add('s.harness = ?', harness);
  if (machine !== undefined) add('s.machine = ?', machine);
  if (folders !== undefined)
    add(
      `(${folders.map(() => 's.cwd = ? OR substr(s.cwd, 1, ?) = ?').join(' OR ') || 'FALSE'})`,
      ...folders.flatMap((folder) => [folder, folder.length + 1, `${folder}/`]),
    );
  return { where: parts.length === 0 ? 'TRUE' : parts.join(' AND '), values };
}

const COLUMNS = `s.*, f.key,
  (SELECT count(*) FROM messages m WHERE m.source = s.source) AS message_count,
  (SELECT count(*) FROM sessions side WHERE side.parent = s.id) AS side_count`;

export function sessionRows(
  database: MemoryDatabase,
  condition: string,
  ...values: SQLInputValue[]
): readonly SessionRow[] {
  return database.all<SessionRow>(
    `SELECT ${COLUMNS} FROM sessions s JOIN sources f ON f.id = s.source WHERE ${condition}`,
    ...values,
  );
}

export function sessionView(row: SessionRow): TranscriptSession {
  const { id, key, parent, harness, machine, title, cwd, git_branch, model, status } = row;
  return {
    id,
    key: key.slice(0, 12),
    parent,
    harness,
    machine,
    title,
    cwd,
    git_branch,
    model,
    status,
    truncated: row.is_truncated === 1,
    created_at: row.created_at,
    updated_at: row.updated_at,
    message_count: row.message_count,
    side_count: row.side_count,
  };
}

/** Views of sessions by their sources. */
export function viewsOf(
  database: MemoryDatabase,
  sources: readonly number[],
): ReadonlyMap<number, TranscriptSession> {
  return new Map(
    sessionRows(database, 's.source IN (SELECT value FROM json_each(?))', JSON.stringify(sources)).map(
      (row) => [row.source, sessionView(row)],
    ),
  );
}
