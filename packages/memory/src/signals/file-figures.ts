import type { MemoryDatabase } from '../store/memory-database.ts';
import { COUPLING } from './weights.ts';

/** Of the changes of one file, with their commits and authors. */
export const FIGURES = `COUNT(*) AS churn, COUNT(DISTINCT CASE WHEN is_bot = 0 THEN author END) AS authors,
  COALESCE(SUM(is_fix), 0) AS fixes, COALESCE(MAX(committed_at), 0) AS last_touched_at`;

/** True of the commits that lead to the caller's `HEAD`. */
export const HERE = 'commits.id NOT IN (SELECT id FROM elsewhere)';

/** The files that are there and changed with one, one row for each, in the commits that `condition` is true of. */
export function pairsOf(file: string, condition: string): string {
  return `FROM changes AS own JOIN commits ON commits.id = own.commit_id
    JOIN changes AS other ON other.commit_id = own.commit_id
    JOIN files AS its ON its.id = other.file
    WHERE own.file = ${file} AND other.file <> own.file AND its.is_gone = 0 AND width <= ${COUPLING.widest} AND ${condition}
    GROUP BY other.file`;
}

/** How many neighbours a file has: of its pairs those that share {@link COUPLING.fewest} commits, without what changes with everything. */
export function neighborCount(file: string, condition = 'TRUE'): string {
  return `(SELECT COUNT(*) FROM (SELECT 1 ${pairsOf(file, `its.is_plumbing = 0 AND ${condition}`)} HAVING COUNT(*) >= ${COUPLING.fewest}))`;
}

/** Which files others have as a neighbour, by their ids. */
export function countable(database: MemoryDatabase): ReadonlyMap<number, boolean> {
  const rows = database.all<{ id: number; counts: number }>(
    'SELECT id, is_gone = 0 AND is_plumbing = 0 AS counts FROM files',
  );
  return new Map(rows.map(({ id, counts }) => [id, counts === 1]));
}

/** The files whose neighbours are others than before, because one of them came, went or was renamed. */
export function recountable(
  database: MemoryDatabase,
  before: ReadonlyMap<number, boolean>,
): ReadonlySet<number> {
  const now = countable(database);
  const turned = [...before].filter(([id, counts]) => now.get(id) !== counts).map(([id]) => id);
  if (turned.length === 0) return new Set();
  const rows = database.all<{ file: number }>(
    `SELECT DISTINCT other.file AS file FROM json_each(?) AS turned CROSS JOIN changes AS own ON own.file = turned.value
     JOIN commits ON commits.id = own.commit_id JOIN changes AS other ON other.commit_id = own.commit_id
     WHERE width <= ${COUPLING.widest}`,
    JSON.stringify(turned),
  );
  return new Set(rows.map(({ file }) => file));
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
