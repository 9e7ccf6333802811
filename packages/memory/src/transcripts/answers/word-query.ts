import type { MemoryDatabase } from '../../store/memory-database.ts';

/** How the words of a person are asked for in an index of words. */
export interface WordQuery {
  readonly match: string;
  readonly takenAs: 'query' | 'phrase' | 'any';
}

/**
 * The ways to ask, the most exact first (WM-058): as a query in the language of FTS5, or as one phrase when it is
 * none; then any of the words. Empty without a word.
 */
export function wordQueries(database: MemoryDatabase, written: string): readonly WordQuery[] {
  const words = written.match(/[\p{L}\p{N}\p{M}_]+/gu) ?? [];
  if (words.length === 0) return [];
  const any = [...new Set(words)].map(quoted).join(' OR ');
  return [
    isQuery(database, written)
      ? { match: written, takenAs: 'query' }
      : { match: quoted(written), takenAs: 'phrase' },
    ...(words.length > 1 ? [{ match: any, takenAs: 'any' } as const] : []),
  ];
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
