import { readdir } from 'node:fs/promises';
import type { Database } from '@palisade/kernel';
import type { Executor } from './executor.ts';

/**
 * Removes what attempts left on this machine whose end is committed: a crash between the commit and the
 * removal leaves them behind (FF-031). An attempt still open, of any run, is left alone. Returns how many
 * were removed; trouble with one does not keep the others.
 */
export async function sweepAttempts(
  database: Database,
  root: string,
  executor: Pick<Executor, 'discard'>,
  onFault: (error: unknown, runId: string) => void,
): Promise<number> {
  const names = await readdir(root).catch(() => []);
  let removed = 0;
  for (const name of names) {
    const open = await database.read((tx) =>
      tx.sql.get('SELECT id FROM runs WHERE id = ? AND finished_at IS NULL', [name]),
    );
    if (open !== undefined) continue;
    try {
      await executor.discard(name);
      removed++;
    } catch (error) {
      onFault(error, name);
    }
  }
  return removed;
}
