import type { MemoryDatabase } from '../../store/memory-database.ts';

/** How the words of a person are asked for in an index of words. */
export interface WordQuery {
  readonly match: string;
  readonly takenAs: 'query' | 'phrase' | 'any';
}

/** A query as it is written, apart. */
interface WrittenQuery {
  /** What is looked for, operators left out. */
  readonly wanted: readonly string[];
  /** What follows each `NOT`, as it is written. */
  readonly excluded: readonly string[];
}

const TOKEN = /"(?:[^"]|"")*"?|[()]|[^\s()"]+/g;
const OPERATOR = /^(?:AND|OR|NOT)$/;

/**
 * The ways to ask, the most exact first (WM-058): as a query in the language of FTS5, or as one phrase when it is
 * none; then any of the words. What follows a `NOT` is in no message that any of them finds. Empty without a word to look for.
 */
export function wordQueries(database: MemoryDatabase, written: string): readonly WordQuery[] {
  const { wanted, excluded } = partsOf(written);
  const words = wordsOf(wanted);
  if (words.length === 0) return [];
  const without = excluded
    .map((each) => (isQuery(database, each) ? `(${each})` : quoted(each)))
    .map((each) => ` NOT ${each}`)
    .join('');
  const any = words.map(quoted).join(' OR ');
  const phrase = quoted(excluded.length === 0 ? written : wanted.join(' '));
  return [
    isQuery(database, written)
      ? { match: written, takenAs: 'query' }
      : { match: `${phrase}${without}`, takenAs: 'phrase' },
    ...(words.length > 1 ? [{ match: `(${any})${without}`, takenAs: 'any' } as const] : []),
  ];
}

/** Words of what is looked for, each once, to show where they are. */
export function wantedWords(written: string): readonly string[] {
  return wordsOf(partsOf(written).wanted);
}

/** What of a query is looked for, and what is not: `NOT` takes what follows it up to the next operator, or what is in its brackets. */
export function partsOf(written: string): WrittenQuery {
  const tokens = written.match(TOKEN) ?? [];
  const wanted: string[] = [];
  const excluded: string[] = [];
  for (let at = 0; at < tokens.length; ) {
    const token = tokens[at] ?? '';
    at++;
    if (token !== 'NOT') {
      if (!OPERATOR.test(token) && !/^[()]$/.test(token)) wanted.push(token);
      continue;
    }
    const from = at;
    for (let depth = 0; at < tokens.length; at++) {
      const next = tokens[at] ?? '';
      if (depth === 0 && (next === ')' || OPERATOR.test(next))) break;
      if (next === '(') depth++;
      if (next === ')') depth--;
    }
    excluded.push(tokens.slice(from, at).join(' '));
  }
  return { wanted, excluded: excluded.filter((each) => wordsOf([each]).length > 0) };
}

function wordsOf(texts: readonly string[]): readonly string[] {
  return [...new Set(texts.flatMap((text) => text.match(/[\p{L}\p{N}\p{M}_]+/gu) ?? []))];
}

function quoted(words: string): string {
  return `"${words.replaceAll('"', '""').replaceAll('\0', ' ')}"`;
}

function isQuery(database: MemoryDatabase, written: string): boolean {
  // A colon names a column, of which there is one that nobody means.
  if (written.includes(':') || written.includes('\0')) return false;
  try {
    database.get('SELECT rowid FROM message_words WHERE message_words MATCH ? LIMIT 1', written);
    return true;
  } catch {
    return false;
  }
}
