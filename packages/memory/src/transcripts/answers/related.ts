import { isAbsolute, resolve } from 'node:path';
import type { RelatedTranscripts } from '@palisade/contracts';
import type { MemoryDatabase } from '../../store/memory-database.ts';
import { sourcesWith } from './grep.ts';
import { originOf, type RepositoryScope } from './repository-scope.ts';
import { type SessionRow, sessionRows, sessionView } from './session-view.ts';

/** What each sign adds (WM-059). */
const WEIGHTS = {
  'same folder': 80,
  'folder within': 45,
  'same origin': 50,
  'file touched': 70,
  'file mentioned': 25,
  'same branch': 20,
  word: 8,
} as const;
const HOUR_MS = 3_600_000;
const RECENCY = [
  { within: 48 * HOUR_MS, adds: 12 },
  { within: 7 * 24 * HOUR_MS, adds: 8 },
  { within: 30 * 24 * HOUR_MS, adds: 4 },
] as const;
const MAX_WORDS = 16;

export interface RelatedOptions {
  readonly scope: RepositoryScope;
  /** Where paths of `files` start. */
  readonly directory: string;
  readonly files: readonly string[];
  readonly query?: string | undefined;
  /** Sessions of all repositories. */
  readonly isEverywhere?: boolean;
  readonly limit: number;
  /** Unix ms. */
  readonly now: number;
}

type Signals = Record<string, number>;

/**
 * Sessions that have to do with a repository: only those that worked in it (L-25), and when files or words are
 * asked for only those that have to do with them. What is merely recent is not related (D-07).
 */
export function relatedTranscripts(database: MemoryDatabase, options: RelatedOptions): RelatedTranscripts {
  const { scope, files, query, isEverywhere = false, limit, now } = options;
  const asked = askedFor(database, options);
  const data = sessionRows(database, 's.parent IS NULL')
    .flatMap((row) => {
      const place = placeSignals(row, scope);
      const about = asked.get(row.source) ?? {};
      const isAsked = files.length > 0 || (query ?? '') !== '';
      if (Object.keys(isAsked ? about : place).length === 0) return [];
      if (!isEverywhere && Object.keys(place).length === 0) return [];
      const branch: Signals =
        scope.branch !== null && row.git_branch === scope.branch && Object.keys(place).length > 0
          ? { 'same branch': WEIGHTS['same branch'] }
          : {};
      const signals = { ...place, ...branch, ...about, ...recency(row.updated_at, now) };
      return [{ row, signals, score: Object.values(signals).reduce((sum, each) => sum + each, 0) }];
    })
    .toSorted((one, other) => other.score - one.score || other.row.updated_at - one.row.updated_at)
    .slice(0, limit);
  return {
    repository: scope.workTree,
    data: data.map(({ row, signals, score }) => ({ session: sessionView(row), score, signals })),
    notes:
      data.length > 0 || isEverywhere
        ? []
        : ['sessions of other repositories are only looked at with --everywhere'],
  };
}

function placeSignals({ cwd, git_origin_url: origin }: SessionRow, scope: RepositoryScope): Signals {
  const signals: Signals = {};
  if (cwd !== null && scope.folders.includes(cwd)) signals['same folder'] = WEIGHTS['same folder'];
  else if (cwd !== null && scope.folders.some((folder) => cwd.startsWith(`${folder}/`)))
    signals['folder within'] = WEIGHTS['folder within'];
  if (origin !== null && scope.origin !== null && originOf(origin) === scope.origin)
    signals['same origin'] = WEIGHTS['same origin'];
  return signals;
}

function recency(at: number, now: number): Signals {
  const adds = RECENCY.find(({ within }) => now - at <= within)?.adds;
  return adds === undefined ? {} : { recent: adds };
}

/** What each session, with its side conversations, has to do with what is asked for. */
function askedFor(
  database: MemoryDatabase,
  { scope, directory, files, query = '' }: RelatedOptions,
): ReadonlyMap<number, Signals> {
  const parents = new Map(
    database
      .all<{ side: number; main: number }>(
        'SELECT side.source AS side, main.source AS main FROM sessions side JOIN sessions main ON main.id = side.parent',
      )
      .map(({ side, main }) => [side, main]),
  );
  const found = new Map<number, Signals>();
  const add = (source: number, name: string, value: number): void => {
    const main = parents.get(source) ?? source;
    const signals = found.get(main) ?? {};
    signals[name] = value;
    found.set(main, signals);
  };
  for (const file of files) {
    const inner = withinTree(file, directory, scope.workTree);
    const paths = scope.folders.map((folder) => `${folder}/${inner}`);
    for (const { source } of database.all<{ source: number }>(
      'SELECT DISTINCT source FROM session_files WHERE path IN (SELECT value FROM json_each(?))',
      JSON.stringify(paths),
    ))
      add(source, `file touched: ${inner}`, WEIGHTS['file touched']);
    for (const source of sourcesWith(database, inner))
      if (found.get(parents.get(source) ?? source)?.[`file touched: ${inner}`] === undefined)
        add(source, `file mentioned: ${inner}`, WEIGHTS['file mentioned']);
  }
  for (const word of new Set((query.match(/[\p{L}\p{N}_]+/gu) ?? []).slice(0, MAX_WORDS)))
    for (const { source } of database.all<{ source: number }>(
      `SELECT DISTINCT m.source FROM messages m WHERE m.id IN (
         SELECT rowid FROM message_words WHERE message_words MATCH ?)`,
      `"${word}"`,
    ))
      add(source, `word: ${word}`, WEIGHTS.word);
  return found;
}

/** The path within the work tree, of one as it is written. */
function withinTree(written: string, directory: string, workTree: string): string {
  const path = isAbsolute(written) ? written : resolve(directory, written);
  return path.startsWith(`${workTree}/`) ? path.slice(workTree.length + 1) : written;
}
