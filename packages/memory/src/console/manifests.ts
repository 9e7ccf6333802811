import { type ConsoleManifest, PalisadeError } from '@palisade/contracts';
import { type Change, type Console, changeRow, lines, optionalText, textsOf } from './console.ts';
import { type KnownSession, sessionKey, sessionRow } from './sessions.ts';

/** What a session says of itself; what is not said stays as it was. */
export interface ManifestWords {
  readonly goal?: string | undefined;
  readonly step?: string | undefined;
  readonly stop?: string | undefined;
  /** From the root of the repository. */
  readonly files?: readonly string[] | undefined;
  readonly next?: readonly string[] | undefined;
  readonly risks?: readonly string[] | undefined;
  readonly blockers?: readonly string[] | undefined;
}

export interface ManifestWish extends Change {
  readonly session: KnownSession;
  readonly cwd: string;
  readonly repository: string | null;
  readonly sourcePid: number | null;
  readonly words: ManifestWords;
}

/** Writes a session's manifest (WM-072). An empty text or list takes back what was said. Errors: those of {@link changeRow}. */
export function setManifest(console: Console, wish: ManifestWish): Promise<ConsoleManifest> {
  const { database } = console;
  const { words } = wish;
  const set = (now: number): number => {
    const row = sessionRow(database, wish.session);
    const before = manifestOf(console, row);
    const text = (said: string | undefined, old: string | null | undefined): string | null =>
      said === undefined ? (old ?? null) : optionalText(said);
    const list = (said: readonly string[] | undefined, old: readonly string[] | undefined): string =>
      JSON.stringify(said === undefined ? (old ?? []) : lines(said, 'entries of a list'));
    database.run(
      `INSERT OR REPLACE INTO manifests (session, cwd, repository, goal, current_step, files, next_actions, risks,
         blockers, stop_condition, source_pid, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      row,
      wish.cwd,
      wish.repository,
      text(words.goal, before?.goal),
      text(words.step, before?.current_step),
      list(words.files, before?.files),
      list(words.next, before?.next_actions),
      list(words.risks, before?.risks),
      list(words.blockers, before?.blockers),
      text(words.stop, before?.stop_condition),
      wish.sourcePid,
      now,
    );
    return row;
  };
  return changeRow(console, wish, set, (row) => {
    const after = manifestOf(console, row);
    if (after === undefined) throw new PalisadeError('not_found', 'the manifest was removed since');
    return after;
  });
}

export function manifestOf({ database }: Console, session: number): ConsoleManifest | undefined {
  const row = database.get<Record<string, null | number | string>>(
    'SELECT * FROM manifests WHERE session = ?',
    session,
  );
  if (row === undefined) return undefined;
  const text = (column: string): string | null => {
    const value = row[column];
    return typeof value === 'string' ? value : null;
  };
  return {
    ...sessionKey(database, session),
    cwd: String(row['cwd']),
    repository: text('repository'),
    goal: text('goal'),
    current_step: text('current_step'),
    files: textsOf(row['files']),
    next_actions: textsOf(row['next_actions']),
    risks: textsOf(row['risks']),
    blockers: textsOf(row['blockers']),
    stop_condition: text('stop_condition'),
    source_pid: typeof row['source_pid'] === 'number' ? row['source_pid'] : null,
    updated_at: Number(row['updated_at']),
  };
}
