import type { TranscriptHit, TranscriptSearch } from '@palisade/contracts';
import type { MemoryDatabase } from '../../store/memory-database.ts';
import { nothingIndexed } from './nothing-indexed.ts';
import { filterClause, type SessionFilter, viewsOf } from './session-view.ts';
import { snippetOf } from './snippet.ts';
import { wantedWords, type WordQuery, wordQueries } from './word-query.ts';

/** Messages that are ranked for one answer: of more that have the words, those that were read last. */
const MAX_RANKED = 20_000;
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
  const { found, takenAs, notes } = findByWords(database, options);
  return {
    query,
    taken_as: takenAs,
    data: hits(database, found, [], options),
    notes: found.length === 0 ? [whyNothing(database, options)] : notes,
  };
}

function whyNothing(database: MemoryDatabase, options: SearchOptions): string {
  return (
    nothingIndexed(database, options) ??
    (wantedWords(options.query).length === 0
      ? 'there is no word to look for'
      : 'nothing was found; pal transcript grep looks for parts of words too')
  );
}

export interface FoundByWords {
  readonly found: readonly Found[];
  readonly takenAs: WordQuery['takenAs'];
  /** What was not looked at. */
  readonly notes: readonly string[];
}

/** The best message of each session; those that have all words before those that have some. */
export function findByWords(database: MemoryDatabase, options: SearchOptions): FoundByWords {
  const found = new Map<number, Found>();
  let takenAs: WordQuery['takenAs'] = 'query';
  let isCut = false;
  for (const [at, query] of wordQueries(database, options.query).entries()) {
    if (found.size >= options.limit) break;
    if (at === 0 || found.size === 0) takenAs = query.takenAs;
    const best = bestMessages(database, query, options);
    for (const each of best) if (!found.has(each.source)) found.set(each.source, each);
    isCut ||= best.reduce((sum, { messages }) => sum + messages, 0) > MAX_RANKED;
  }
  const count = MAX_RANKED.toLocaleString('en');
  const notes = isCut
    ? [`more than ${count} messages have the words: only the ${count} that were read last were ranked`]
    : [];
  return { found: [...found.values()], takenAs, notes };
}

/** The best message of each session, and how many of it were ranked; one more than are looked at tells of others. */
function bestMessages(
  database: MemoryDatabase,
  { match }: WordQuery,
  filter: SessionFilter,
): readonly (Found & { readonly messages: number })[] {
  const { where, values } = filterClause(filter);
  const within =
    where === 'TRUE'
      ? ''
      : `AND +rowid IN (SELECT m.id FROM messages m JOIN sessions s ON s.source = m.source WHERE ${where})`;
  return database.all<{ source: number; id: number; score: number; messages: number }>(
    `SELECT m.source, m.id, min(score) AS score, count(*) AS messages FROM (
       SELECT rowid AS id, bm25(message_words) AS score FROM message_words WHERE message_words MATCH ? ${within}
       ORDER BY rowid DESC LIMIT ${MAX_RANKED + 1}) best CROSS JOIN messages m ON m.id = best.id
     GROUP BY m.source ORDER BY score, m.id`,
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
  const words = wantedWords(query);
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
    return [{ session, line, role, snippet: snippetOf(text, words), score, ranks }];
  });
}
