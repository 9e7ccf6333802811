import {
  PalisadeError,
  type TranscriptDetails,
  type TranscriptMessage,
  type TranscriptUsage,
} from '@palisade/contracts';
import type { MemoryDatabase } from '../../store/memory-database.ts';
import { type SessionRow, sessionRows, sessionView } from './session-view.ts';
import { SUMS } from './stats.ts';

/** Sessions that an error about an ambiguous name tells. */
const SHOWN_CANDIDATES = 5;

export interface ShowOptions {
  /** Messages too: those behind line `after`, at most `limit`. */
  readonly messages?: { readonly after: number; readonly limit: number } | undefined;
}

/** One session by its id, its key or a part of one that no other has (WM-058). Errors: `not_found`, `invalid_input`. */
export function showTranscript(
  database: MemoryDatabase,
  name: string,
  { messages }: ShowOptions = {},
): TranscriptDetails {
  const row = sessionNamed(database, name);
  const source = database.get<Record<string, number | string>>(
    'SELECT * FROM sources WHERE id = ?',
    row.source,
  );
  const number = (column: string): number => Number(source?.[column] ?? 0);
  const rows =
    messages === undefined
      ? undefined
      : database.all<TranscriptMessage & Record<string, null | number | string>>(
          `SELECT line, at, role, tool, text FROM messages WHERE source = ? AND line > ? ORDER BY id LIMIT ?`,
          row.source,
          messages.after,
          messages.limit + 1,
        );
  const text = (column: string): string | null => {
    const value = row[column];
    return typeof value === 'string' ? value : null;
  };
  return {
    ...sessionView(row),
    path: String(source?.['path'] ?? ''),
    first_user_message: row.first_user_message,
    last_agent_message: row.last_agent_message,
    client: text('client'),
    model_provider: text('model_provider'),
    cli_version: text('cli_version'),
    git_origin_url: row.git_origin_url,
    files_touched: database
      .all<{ path: string }>('SELECT path FROM session_files WHERE source = ? ORDER BY path', row.source)
      .map(({ path }) => path),
    commands: texts(row, 'commands'),
    tool_names: texts(row, 'tool_names'),
    errors: texts(row, 'errors'),
    usage: usageOf(database, row.source),
    tokens_used: typeof row['tokens_used'] === 'number' ? row['tokens_used'] : null,
    sides: sessionRows(database, 's.parent = ? ORDER BY s.source', row.id).map(({ id }) => id),
    reading: {
      lines: number('lines'),
      unknown_records: number('unknown_records'),
      malformed_lines: number('malformed_lines'),
      oversized_lines: number('oversized_lines'),
      skipped_bytes: number('skipped_bytes'),
      indexed_at: number('indexed_at'),
    },
    ...(rows === undefined || messages === undefined
      ? {}
      : {
          messages: rows.slice(0, messages.limit).map((each) => ({ ...each })),
          has_more: rows.length > messages.limit,
        }),
  };
}

function texts(row: SessionRow, column: 'commands' | 'tool_names' | 'errors'): readonly string[] {
  return JSON.parse(String(row[column])) as string[];
}

/** What one session used: each answer once, as the file tells it; null when it tells of none. */
function usageOf(database: MemoryDatabase, source: number): TranscriptUsage | null {
  const sum = database.get<TranscriptUsage & Record<string, number>>(
    `SELECT ${SUMS} FROM usage WHERE source = ? GROUP BY source`,
    source,
  );
  return sum === undefined ? null : { ...sum };
}

export function sessionNamed(database: MemoryDatabase, name: string): SessionRow {
  const exact = sessionRows(database, 's.id = ? OR f.key = ? ORDER BY s.source', name, name);
  const found = exact.length > 0 ? exact : fragments(database, name);
  const [row, ...others] = found;
  if (row === undefined)
    throw new PalisadeError('not_found', `no transcript has an id with ${JSON.stringify(name)} in it`, {
      next: 'pal transcript list',
    });
  if (others.length === 0) return row;
  throw new PalisadeError(
    'invalid_input',
    `${found.length} transcripts have ${JSON.stringify(name)} in their ids`,
    {
      why: found
        .slice(0, SHOWN_CANDIDATES)
        .map(({ id, key, title }) => `${id} (key ${key.slice(0, 12)}) ${title.slice(0, 40)}`.trimEnd())
        .join('; '),
      next: `pal transcript show ${row.key.slice(0, 12)}`,
    },
  );
}

function fragments(database: MemoryDatabase, name: string): readonly SessionRow[] {
  // What is named by the id of a parent is the parent, not its side conversations.
  const found = sessionRows(
    database,
    'instr(s.id, ?) > 0 OR substr(f.key, 1, ?) = ? ORDER BY s.source',
    name,
    name.length,
    name,
  );
  const parents = found.filter(({ parent }) => parent === null);
  return parents.length > 0 && parents.length < found.length ? parents : found;
}
