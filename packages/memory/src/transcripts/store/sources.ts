import { createHash } from 'node:crypto';
import type { MemoryDatabase } from '../../store/memory-database.ts';
import type { Harness } from '../events.ts';
import type { Progress } from '../reading/read-records.ts';
import type { Mark, Ranges } from '../reading/source.ts';
import type { SessionWriter, WriterState } from '../session-writer.ts';
import { keptText, LIMITS } from './kept-text.ts';

export interface SourceRow extends Record<string, null | number | string> {
  readonly id: number;
  readonly key: string;
  readonly root: number;
  readonly harness: Harness | null;
  readonly path: string;
  readonly file: string;
  readonly size: number;
  readonly modified_at: number;
  readonly ranges: string;
  readonly crc: number;
  readonly lines: number;
  readonly unknown_records: number;
  readonly malformed_lines: number;
  readonly oversized_lines: number;
  readonly skipped_bytes: number;
  readonly revision: number;
  readonly state: string;
}

/** What a file is found by; the path itself is only kept redacted. */
export function sourceKey(machine: string, path: string): string {
  return createHash('sha256').update(`${machine}\0${path}`).digest('hex').slice(0, 32);
}

export function sourceByKey(database: MemoryDatabase, key: string): SourceRow | undefined {
  return database.get<SourceRow>('SELECT * FROM sources WHERE key = ?', key);
}

export function markOf({ ranges, crc }: SourceRow): Mark {
  return { ranges: JSON.parse(ranges) as Ranges, crc };
}

export function stateOf({ state }: SourceRow): WriterState {
  return JSON.parse(state) as WriterState;
}

/** Makes the row of a file that is not known yet. Within a transaction. Returns its id. */
export function addSource(database: MemoryDatabase, key: string, root: number, path: string): number {
  return database.run(
    `INSERT INTO sources (key, root, path, file, size, modified_at, ranges, crc, lines, unknown_records,
       malformed_lines, oversized_lines, skipped_bytes, indexed_at, revision, state)
     VALUES (?, ?, ?, '', 0, 0, '[]', 0, 0, 0, 0, 0, 0, 0, 0, '')`,
    key,
    root,
    keptText(path, LIMITS.path),
  );
}

export interface ReadFile {
  readonly file: string;
  readonly size: number;
  readonly modifiedAt: number;
  readonly mark: Mark;
  readonly progress: Progress;
  readonly state: WriterState | undefined;
  /** Unix ms. */
  readonly now: number;
}

/** Says how far a file was read. Within the transaction that wrote what it says (L-04). */
export function saveSource(database: MemoryDatabase, id: number, read: ReadFile): void {
  const { progress, mark } = read;
  database.run(
    `UPDATE sources SET harness = ?, file = ?, size = ?, modified_at = ?, ranges = ?, crc = ?, lines = ?,
       unknown_records = ?, malformed_lines = ?, oversized_lines = ?, skipped_bytes = ?, indexed_at = ?,
       revision = revision + 1, state = ? WHERE id = ?`,
    progress.reader?.harness ?? null,
    read.file,
    read.size,
    read.modifiedAt,
    JSON.stringify(mark.ranges),
    mark.crc,
    progress.lines,
    progress.unknown,
    progress.malformed,
    progress.oversized,
    progress.skipped,
    read.now,
    JSON.stringify(read.state ?? null),
    id,
  );
}

/** Takes every trace of what a file said out of the database (FF-144). Within a transaction. */
export function clearSource(database: MemoryDatabase, id: number): void {
  database.run(
    `INSERT INTO message_words (message_words, rowid, text) SELECT 'delete', id, text FROM messages WHERE source = ?`,
    id,
  );
  database.run(
    `DELETE FROM vectors WHERE (embedding, hash) IN (
       SELECT embedding, hash FROM chunks mine WHERE source = ? AND NOT EXISTS (
         SELECT 1 FROM chunks other WHERE other.embedding = mine.embedding AND other.hash = mine.hash
           AND other.source <> mine.source))`,
    id,
  );
  for (const table of ['messages', 'text_blocks', 'usage', 'session_files', 'sessions', 'chunks', 'embedded'])
    database.run(`DELETE FROM ${table} WHERE source = ?`, id);
}

export function removeSource(database: MemoryDatabase, id: number): void {
  clearSource(database, id);
  database.run('DELETE FROM sources WHERE id = ?', id);
}

/** The row of the session that a file is. Within a transaction. */
export function saveSession(
  database: MemoryDatabase,
  { id, key, machine, harness }: { id: number; key: string; machine: string; harness: Harness },
  { draft }: SessionWriter,
  modifiedAt: number,
): void {
  const { facts } = draft;
  database.run(
    `INSERT OR REPLACE INTO sessions (source, id, parent, agent, harness, machine, title, first_user_message,
       last_agent_message, cwd, client, model_provider, model, cli_version, git_branch, git_origin_url, created_at,
       updated_at, status, is_truncated, tokens_used, commands, tool_names, errors)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, ?, ?, ?)`,
    id,
    facts.id ?? key.slice(0, 12),
    facts.parent ?? null,
    facts.agent ?? null,
    harness,
    keptText(machine, LIMITS.word),
    draft.title,
    draft.firstSaid,
    draft.lastAnswer,
    facts.cwd ?? null,
    facts.client ?? null,
    facts.modelProvider ?? null,
    facts.model ?? null,
    facts.version ?? null,
    facts.branch ?? null,
    facts.origin ?? null,
    draft.createdAt,
    draft.updatedAt ?? modifiedAt,
    facts.status ?? 'seen',
    draft.isTruncated ? 1 : 0,
    JSON.stringify([...draft.commands]),
    JSON.stringify([...draft.tools]),
    JSON.stringify([...draft.errors]),
  );
}
