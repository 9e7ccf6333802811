import type { MemoryDatabase } from '../store/memory-database.ts';
import { COUPLING } from './weights.ts';

/** Of the changes of one file, with their commits and authors. */
export const FIGURES = `COUNT(*) AS churn, COUNT(DISTINCT CASE WHEN is_bot = 0 THEN author END) AS authors,
  COALESCE(SUM(is_fix), 0) AS fixes, COALESCE(MAX(committed_at), 0) AS last_touched_at`;

/** How many files changed with one, in the commits that `condition` is true of. */
export function neighborCount(file: string, condition = 'TRUE'): string {
  return `(SELECT COUNT(DISTINCT other.file)
    FROM changes AS own JOIN commits ON commits.id = own.commit_id
    JOIN changes AS other ON other.commit_id = own.commit_id
    JOIN files AS its ON its.id = other.file
    WHERE own.file = ${file} AND other.file <> own.file AND width <= ${COUPLING.widest} AND its.is_plumbing = 0 AND ${condition})`;
}

/** Counts again what is kept about each of the files. Within a transaction of `database`. */
export function countFiles(database: MemoryDatabase, files: Iterable<number>): void {
  for (const file of files)
    database.run(
      `UPDATE files SET (churn, authors, fixes, last_touched_at, paired) = (
         SELECT ${FIGURES}, COALESCE(SUM(width <= ${COUPLING.widest}), 0)
         FROM changes JOIN commits ON commits.id = commit_id JOIN authors ON authors.id = author
         WHERE file = files.id),
       neighbors = ${neighborCount('files.id')}
       WHERE id = ?`,
      file,
    );
}
