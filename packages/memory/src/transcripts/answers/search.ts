import type { TranscriptHit, TranscriptSearch } from '@palisade/contracts';
import type { MemoryDatabase } from '../../store/memory-database.ts';
import { filterClause, type SessionFilter, viewsOf } from './session-view.ts';
import { snippetOf } from './snippet.ts';
import { type WordQuery, wordQueries } from './word-query.ts';

/** Messages that are ranked for one answer: of more that have the words, those that were read last. */
const MAX_RANKED = 20_000;
/** The best of them, of which each session shows one. */
const MAX_MESSAGES = 1000;
/** How much a place in a ranking matters less than the one before (reciprocal rank fusion, Cormack et al. 2009). */
const FUSION = 60;

/** Where something was found; better ones first in a list of them. */
export interface Found {
  readonly source: number;
  /** Of the message. */
  readonly id: number;
}

export interface SearchOptions extends SessionFilter {
  readonly query: string;
  readonly limit: number;
}

/** Sessions by their words, the best message of each. */
export function searchTranscripts(database: MemoryDatabase, options: SearchOptions): TranscriptSearch {
  const { query } = options;
  const { found, takenAs } = findByWords(database, options);
  return {
    query,
    taken_as: takenAs,
    data: hits(database, found, [], options),
    notes: found.length === 0 ? ['nothing was found; pal transcript grep looks for parts of words too'] : [],
  };
}

/** The best message of each session; those that have all words before those that have some. */
export function findByWords(
  database: MemoryDatabase,
  options: SearchOptions,
): { readonly found: readonly Found[]; readonly takenAs: WordQuery['takenAs'] } {
  const found = new Map<number, Found>();
  let takenAs: WordQuery['takenAs'] = 'query';
  for (const [at, query] of wordQueries(database, options.query).entries()) {
    if (found.size >= options.limit) break;
    if (at === 0 || found.size === 0) takenAs = query.takenAs;
    for (const each of bestMessages(database, query, options))
      if (!found.has(each.source)) found.set(each.source, each);
  }
  return { found: [...found.values()], takenAs };
}

function bestMessages(
  database: MemoryDatabase,
  { match }: WordQuery,
  filter: SessionFilter,
): readonly Found[] {
  const { where, values } = filterClause(filter);
  const isFiltered = where !== 'TRUE';
  return database.all<{ source: number; id: number }>(
    `SELECT m.id, m.source FROM (
       SELECT id, score FROM (
         SELECT rowid AS id, bm25(message_words) AS score FROM message_words WHERE message_words MATCH ?
         ${isFiltered ? `AND +rowid IN (SELECT m.id FROM messages m JOIN sessions s ON s.source = m.source WHERE ${where})` : ''}
         ORDER BY rowid DESC LIMIT ${MAX_RANKED})
       ORDER BY score, id LIMIT ${MAX_MESSAGES}) best JOIN messages m ON m.id = best.id ORDER BY score, m.id`,
    match,
    ...values,
  );
}

/** Two rankings of sessions as one; either may be empty. */
export function hits(
  database: MemoryDatabase,
  byWords: readonly Found[],
  byMeaning: readonly Found[],
  { query, limit }: { readonly query: string; readonly limit: number },
): readonly TranscriptHit[] {
  const merged = new Map<
    number,
    { found: Found; score: number; ranks: { words?: number; meaning?: number } }
  >();
  for (const [name, ranking] of [
    ['words', byWords],
    ['meaning', byMeaning],
  ] as const)
    for (const [at, found] of ranking.entries()) {
      const entry = merged.get(found.source) ?? { found, score: 0, ranks: {} };
      entry.score += 1 / (FUSION + at + 1);
      entry.ranks[name] = at + 1;
      merged.set(found.source, entry);
    }
  const best = [...merged.values()].toSorted((one, other) => other.score - one.score).slice(0, limit);
  const views = viewsOf(
    database,
    best.map(({ found }) => found.source),
  );
  return best.flatMap(({ found, score, ranks }) => {
    const session = views.get(found.source);
    const message = database.get<{ line: number; role: TranscriptHit['role']; text: string }>(
      'SELECT line, role, text FROM messages WHERE id = ?',
      found.id,
    );
    if (session === undefined || message === undefined) return [];
    const { line, role, text } = message;
    return [{ session, line, role, snippet: snippetOf(text, query), score, ranks }];
  });
}
