import type { Neighbor } from '@palisade/contracts';
import { isPlumbing, WIDEST_COUPLING } from '../history/commit-kind.ts';
import type { MemoryDatabase } from '../store/memory-database.ts';
import { DAY_MS } from './weights.ts';

export interface Neighbors {
  /** Best first: by count, weight and path. */
  readonly source: readonly Neighbor[];
  /** Files that change with everything: lock files, manifests, change logs (FF-156). */
  readonly plumbing: readonly Neighbor[];
}

interface PairRow {
  readonly [column: string]: string | number;
  readonly path: string;
  readonly shared: number;
  readonly weight: number;
  readonly other: number;
}

/** The files that changed with a file and are still there. */
export function neighborsOf(database: MemoryDatabase, file: number, now: number): Neighbors {
  const own = coupled(database, file);
  const total = database.get<{ n: number }>(
    `SELECT COUNT(*) AS n FROM commits WHERE width BETWEEN 1 AND ${WIDEST_COUPLING} AND id NOT IN (SELECT id FROM elsewhere)`,
  )?.n;
  const rows = database.all<PairRow>(
    `SELECT path, other.file AS other, COUNT(*) AS shared,
            SUM(1.0 / MAX(1.0, (? - committed_at) / ${DAY_MS}.0 + 1)) AS weight
     FROM changes AS own JOIN commits ON commits.id = own.commit_id
     JOIN changes AS other ON other.commit_id = own.commit_id
     JOIN files ON files.id = other.file
     WHERE own.file = ? AND other.file <> own.file AND is_gone = 0 AND width <= ${WIDEST_COUPLING}
       AND own.commit_id NOT IN (SELECT id FROM elsewhere)
     GROUP BY other.file
     ORDER BY shared DESC, weight DESC, path`,
    now,
    file,
  );
  const source: Neighbor[] = [];
  const plumbing: Neighbor[] = [];
  for (const { path, shared, weight, other } of rows) {
    const list = isPlumbing(path) ? plumbing : source;
    if (list.length >= MOST_KEPT) continue;
    list.push({
      path,
      cochange_count: shared,
      recency_weight: rounded(weight),
      confidence: rounded(shared / own),
      lift: rounded((shared * (total ?? 0)) / (own * coupled(database, other))),
    });
  }
  return { source, plumbing };
}

const MOST_KEPT = 200;

/** Commits of a file that count for pairs. */
function coupled(database: MemoryDatabase, file: number): number {
  return (
    database.get<{ n: number }>(
      `SELECT COUNT(*) AS n FROM changes JOIN commits ON id = commit_id
       WHERE file = ? AND width <= ${WIDEST_COUPLING} AND id NOT IN (SELECT id FROM elsewhere)`,
      file,
    )?.n ?? 0
  );
}

/** Four digits behind the point: what is compared is read by people. */
export function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
