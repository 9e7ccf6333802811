import type { LiveTranscripts } from '@palisade/contracts';
import type { MemoryDatabase } from '../../store/memory-database.ts';
import { type SessionRow, sessionRows } from '../answers/session-view.ts';
import { around } from '../answers/snippet.ts';
import { indexTranscripts } from '../index-transcripts.ts';
import { sourceKey } from '../store/sources.ts';
import type { AgentProcess } from './agent-processes.ts';

/** A file may be begun a little before its process is seen to have started (WM-061). */
const SLACK_MS = 30_000;

export interface LiveOptions {
  readonly processes: readonly AgentProcess[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Unix ms. */
  readonly now: number;
  readonly host: string;
  readonly signal: AbortSignal;
}

/**
 * The agents that run and the sessions they are in: by the file that one has open, or else by its folder and what
 * was written there since it started. What has written nothing yet is starting up.
 */
export async function liveTranscripts(
  database: MemoryDatabase,
  options: LiveOptions,
): Promise<LiveTranscripts> {
  const { processes, now, host } = options;
  const first = processes.reduce((least, { startedAt }) => Math.min(least, startedAt), now);
  // What is being written is read now, however busy it is.
  const report =
    processes.length === 0
      ? undefined
      : await indexTranscripts({ ...options, database, since: first - SLACK_MS, quietMs: 0 });
  const taken = new Set<number>();
  const sessions = processes
    .toSorted((one, other) => other.startedAt - one.startedAt)
    .map((process) => {
      const row = sessionOf(database, process, taken);
      if (row !== undefined) taken.add(row.source);
      return liveSession(database, process, row, now);
    })
    .toSorted((one, other) => (other.last_active_at ?? now) - (one.last_active_at ?? now));
  return { generated_at: now, host, sessions, notes: report?.notes ?? [] };
}

function sessionOf(
  database: MemoryDatabase,
  { harness, files, directory, startedAt }: AgentProcess,
  taken: ReadonlySet<number>,
): SessionRow | undefined {
  const keys = files.map((path) => sourceKey('', path));
  const rows = sessionRows(
    database,
    `s.harness = ? AND s.parent IS NULL AND (f.key IN (SELECT value FROM json_each(?)) OR (
       s.cwd = ? AND f.modified_at >= ? AND f.root IN (SELECT id FROM roots WHERE machine = '')))
     ORDER BY f.key IN (SELECT value FROM json_each(?)) DESC, f.modified_at DESC`,
    harness,
    JSON.stringify(keys),
    directory,
    startedAt - SLACK_MS,
    JSON.stringify(keys),
  );
  return rows.find(({ source }) => !taken.has(source));
}

function liveSession(
  database: MemoryDatabase,
  { harness, pid, terminal, startedAt, directory }: AgentProcess,
  row: SessionRow | undefined,
  now: number,
): LiveTranscripts['sessions'][number] {
  const action =
    row === undefined
      ? undefined
      : database.get<{ text: string }>(
          'SELECT text FROM messages WHERE source = ? ORDER BY id DESC LIMIT 1',
          row.source,
        );
  return {
    harness,
    pid,
    tty: terminal,
    age_seconds: Math.max(0, Math.round((now - startedAt) / 1000)),
    id: row?.id ?? null,
    title: row?.title ?? null,
    first_user_message: row?.first_user_message ?? null,
    session_cwd: row?.cwd ?? null,
    effective_workdir: directory,
    last_active_at: row?.updated_at ?? null,
    git_branch: row?.git_branch ?? null,
    git_origin_url: row?.git_origin_url ?? null,
    status: row?.status ?? 'starting',
    recent_action: action === undefined ? null : around(action.text, 0, 0),
  };
}
