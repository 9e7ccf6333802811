import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { MemoryDatabase } from '../../store/memory-database.ts';
import { regularFacts } from '../reading/regular-file.ts';
import { keptLine, keptText, LIMITS } from './kept-text.ts';

/** What Codex knows of a session besides its transcript, and the column it is kept in here. */
const COLUMNS = {
  title: 'title',
  git_branch: 'git_branch',
  git_origin_url: 'git_origin_url',
  model: 'model',
  tokens_used: 'tokens_used',
} as const;

/**
 * Takes over the titles and counts of Codex's own database. Its schema is another program's: it is opened to read
 * only and asked for what it has (L-15). Returns notes.
 */
export async function applyCodexThreads(database: MemoryDatabase, home: string): Promise<readonly string[]> {
  const path = newest(home);
  if (path === undefined) return [];
  try {
    const threads = readThreads(path);
    await database.write(() => {
      for (const thread of threads) apply(database, thread);
    });
    return [];
  } catch (error) {
    return [`${path} is left out: ${error instanceof Error ? error.message : String(error)}`];
  }
}

/** `state_5.sqlite` comes after `state_4.sqlite`. */
function newest(home: string): string | undefined {
  let names: string[];
  try {
    names = readdirSync(home);
  } catch {
    return undefined;
  }
  const last = names
    .flatMap((name) => /^state_(\d+)\.sqlite$/.exec(name) ?? [])
    .filter((part) => /^\d+$/.test(part))
    .map(Number)
    .toSorted((one, other) => other - one)[0];
  return last === undefined ? undefined : join(home, `state_${last}.sqlite`);
}

function readThreads(path: string): readonly Record<string, unknown>[] {
  // A pipe in its place would be waited for.
  regularFacts(path);
  const foreign = new DatabaseSync(path, { readOnly: true, timeout: 1000 });
  try {
    const present = new Set(
      foreign
        .prepare("SELECT name FROM pragma_table_info('threads')")
        .all()
        .map(({ name }) => String(name)),
    );
    if (!present.has('id')) return [];
    const known = Object.keys(COLUMNS).filter((column) => present.has(column));
    return foreign.prepare(`SELECT ${['id', ...known].join(', ')} FROM threads`).all();
  } finally {
    foreign.close();
  }
}

/** What the transcript itself says is newer than what is said of it, but for title and count. */
function apply(database: MemoryDatabase, thread: Record<string, unknown>): void {
  const text = (column: keyof typeof COLUMNS, max: number): string | null => {
    const value = thread[column];
    return typeof value === 'string' && value.trim() !== '' ? keptText(value, max) : null;
  };
  const title = text('title', LIMITS.path);
  const tokens = thread['tokens_used'];
  database.run(
    `UPDATE sessions SET title = coalesce(?, title), git_branch = coalesce(git_branch, ?),
       git_origin_url = coalesce(git_origin_url, ?), model = coalesce(model, ?), tokens_used = coalesce(?, tokens_used)
     WHERE harness = 'codex' AND id = ?`,
    title === null ? null : keptLine(title, LIMITS.title),
    text('git_branch', LIMITS.word),
    text('git_origin_url', LIMITS.path),
    text('model', LIMITS.word),
    typeof tokens === 'number' && Number.isSafeInteger(tokens) ? tokens : null,
    String(thread['id']),
  );
}
