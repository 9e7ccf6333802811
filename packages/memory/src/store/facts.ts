import type { MemoryDatabase } from './memory-database.ts';

type FactName = 'heads' | 'shallow' | 'partial' | 'indexed_at' | 'branch' | 'commit' | 'work_tree';

const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** What is known about the index itself. */
export function readFact(database: MemoryDatabase, name: FactName): string | undefined {
  return database.get<{ value: string }>('SELECT value FROM facts WHERE name = ?', name)?.value;
}

/** Commits whose whole history is in the index; none before the first index. Git is told them, so nothing else passes for one. */
export function readHeads(database: MemoryDatabase): readonly string[] {
  const heads: unknown = JSON.parse(readFact(database, 'heads') ?? '[]');
  return Array.isArray(heads) ? heads.filter((head) => typeof head === 'string' && COMMIT.test(head)) : [];
}

/** Within a transaction, with the data it is about (L-04). */
export function writeFact(database: MemoryDatabase, name: FactName, value: string): void {
  database.run(
    'INSERT INTO facts (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
    name,
    value,
  );
}
