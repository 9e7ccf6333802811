import type { MemoryDatabase } from '../store/memory-database.ts';
import { isPlumbing } from './commit-kind.ts';

/**
 * Has files be where the tree has them: what a history of several branches, merges and rewritten commits says of that
 * need not hold where the caller is. Within a transaction, after history and tree are indexed.
 */
export function reconcile(database: MemoryDatabase): void {
  database.run(
    `UPDATE files SET is_gone = NOT EXISTS (SELECT 1 FROM tree WHERE tree.path = files.path)
     WHERE is_gone <> NOT EXISTS (SELECT 1 FROM tree WHERE tree.path = files.path)`,
  );
  const without = database.all<{ path: string; file: number }>(
    `SELECT tree.path AS path, names.file AS file FROM tree JOIN names ON names.path = tree.path
     JOIN files ON files.id = names.file
     WHERE is_gone = 1 AND NOT EXISTS (SELECT 1 FROM files AS its WHERE its.path = tree.path AND its.is_gone = 0)
     ORDER BY tree.path`,
  );
  for (const { path, file } of without)
    database.run(
      'UPDATE files SET path = ?, is_gone = 0, is_plumbing = ? WHERE id = ? AND is_gone = 1',
      path,
      isPlumbing(path) ? 1 : 0,
      file,
    );
}
