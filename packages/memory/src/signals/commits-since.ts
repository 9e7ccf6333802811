import type { Memory } from '../open-memory.ts';

/**
 * Each commit that leads to the caller's `HEAD` as `id`, and as `since` how many of them are later, the latest first. By their times:
 * ids of rows also count what was indexed on other branches, and depend on when each was.
 */
export const COMMITS_SINCE = `SELECT id, ROW_NUMBER() OVER (ORDER BY committed_at DESC, id DESC) - 1 AS since
  FROM commits WHERE id NOT IN (SELECT id FROM elsewhere) ORDER BY committed_at DESC, id DESC`;

const kept = new WeakSet<Memory>();

/** Keeps {@link COMMITS_SINCE} as the table `ages`, for what asks of single commits; a memory is of one moment, so once. */
export function keepAges(memory: Memory): void {
  if (kept.has(memory)) return;
  memory.database.run('CREATE TEMP TABLE ages (id INTEGER PRIMARY KEY, since INTEGER NOT NULL)');
  memory.database.run(`INSERT INTO ages ${COMMITS_SINCE}`);
  kept.add(memory);
}
