import { readdir } from 'node:fs/promises';
import type { Database } from '@palisade/kernel';
import type { Executor } from '@palisade/contracts';

/**
 * Removes what attempts left on this machine whose end is committed: a crash between the commit and the
 * removal leaves them behind (FF-031). An attempt that is open, or that this database does not know (it may
 * belong to another one), is left alone. Returns how many
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
    const ended = await database.read((tx) =>
      tx.sql.get('SELECT id FROM runs WHERE id = ? AND finished_at IS NOT NULL', [name]),
    );
    if (ended === undefined) continue;
    try {
      await executor.discard(name);
      removed++;
    } catch (error) {
      onFault(error, name);
    }
  }
  return removed;
}
