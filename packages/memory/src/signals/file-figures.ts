import type { MemoryDatabase } from '../store/memory-database.ts';
import { COUPLING } from './weights.ts';

/** Counts again what is kept about each of the files. Within a transaction of `database`. */
export function countFiles(database: MemoryDatabase, files: Iterable<number>): void {
  for (const file of files)
    database.run(
      `UPDATE files SET (churn, authors, fixes, last_touched_at) = (
         SELECT COUNT(*), COUNT(DISTINCT CASE WHEN is_bot = 0 THEN author END),
                COALESCE(SUM(is_fix), 0), COALESCE(MAX(committed_at), 0)
         FROM changes JOIN commits ON commits.id = commit_id JOIN authors ON authors.id = author
         WHERE file = files.id),
       neighbors = (
         SELECT COUNT(DISTINCT other.file)
         FROM changes AS own JOIN commits ON commits.id = own.commit_id
         JOIN changes AS other ON other.commit_id = own.commit_id
         JOIN files AS its ON its.id = other.file
         WHERE own.file = files.id AND other.file <> files.id AND width <= ${COUPLING.widest} AND its.is_plumbing = 0)
       WHERE id = ?`,
      file,
    );
}
