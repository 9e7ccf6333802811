import { posix } from 'node:path';
import type { Neighbor } from '@palisade/contracts';
import type { Memory } from '../open-memory.ts';
import type { MemoryDatabase } from '../store/memory-database.ts';
import { keepAges } from './commits-since.ts';
import { HERE, pairsOf } from './file-figures.ts';
import { COUPLING, DAY_MS } from './weights.ts';

export interface Neighbors {
  /** The strongest first, then by path; also those that changed with it once. */
  readonly source: readonly Neighbor[];
  /** Those of them that {@link isNeighbor} is true of. */
  readonly near: readonly Neighbor[];
  /** How many these are, also beyond what is listed. */
  readonly count: number;
  /** Files that change with everything: lock files, manifests, change logs (FF-156). */
  readonly plumbing: readonly Neighbor[];
}

interface PairRow {
  readonly [column: string]: string | number;
  readonly path: string;
  readonly other: number;
  readonly is_plumbing: number;
  readonly shared: number;
  readonly weight: number;
  readonly strength: number;
}

const MOST_KEPT = 200;

/** Commits of other branches, of each file. */
const OTHERS = `SELECT file, COUNT(*) AS churn, SUM(width <= ${COUPLING.widest}) AS paired
  FROM elsewhere CROSS JOIN commits USING (id) CROSS JOIN changes ON commit_id = id GROUP BY file`;

/** Whether two files have changed together often enough to count for risk and for what a change may touch. */
function isNeighbor(shared: number): boolean {
  return shared >= COUPLING.fewest;
}

/** The files that changed with a file and are still there (WM-020, D-01). */
export function neighborsOf(memory: Memory, file: number, path: string): Neighbors {
  const { database, now } = memory;
  keepAges(memory);
  const { total, busiest } = totalsOf(memory);
  const linked = new Set(
    database
      .all<{ path: string }>(
        'SELECT target AS path FROM links WHERE source = ? UNION SELECT source FROM links WHERE target = ?',
        path,
        path,
      )
      .map((row) => row.path),
  );
  const found = pairs(database, file, now);
  const counts = countsOf(database, [file, ...found.map(({ other }) => other)]);
  const strengthOf = ({ path: other, strength, other: id }: PairRow) =>
    strength +
    (COUPLING.popular * (counts.get(id)?.churn ?? 0)) / Math.max(1, busiest) +
    (posix.dirname(other) === posix.dirname(path) ? COUPLING.folder : 0) +
    (linked.has(other) ? COUPLING.linked : 0);
  const rows = found
    .map((row) => ({ ...row, strength: strengthOf(row) }))
    .toSorted((a, b) => b.strength - a.strength || (a.path < b.path ? -1 : 1));
  const kept = (isPlumbing: boolean) =>
    rows.filter((row) => (row.is_plumbing === 1) === isPlumbing).slice(0, MOST_KEPT);
  const [source, plumbing] = [kept(false), kept(true)];
  const own = counts.get(file)?.paired ?? 0;
  const shown = ({ path: other, shared, weight, strength, other: id }: PairRow): Neighbor => ({
    path: other,
    cochange_count: shared,
    recency_weight: rounded(weight),
    strength: rounded(strength),
    confidence: rounded(shared / own),
    lift: rounded((shared * total) / (own * (counts.get(id)?.paired ?? 0))),
  });
  const neighbors = source.map(shown);
  return {
    source: neighbors,
    near: neighbors.filter((each) => isNeighbor(each.cochange_count)),
    count: rows.filter((row) => row.is_plumbing === 0 && isNeighbor(row.shared)).length,
    plumbing: plumbing.map(shown),
  };
}

interface Totals {
  /** Commits that count for pairs. */
  readonly total: number;
  /** Most changes of one file. */
  readonly busiest: number;
}

/** A memory is of one moment, so what needs a look at all of it is asked once. */
const known = new WeakMap<Memory, Totals>();

function totalsOf(memory: Memory): Totals {
  let totals = known.get(memory);
  if (totals === undefined) {
    totals = memory.database.get<Record<keyof Totals, number>>(
      `SELECT (SELECT COUNT(*) FROM commits WHERE width BETWEEN 1 AND ${COUPLING.widest})
              - (SELECT COUNT(*) FROM elsewhere CROSS JOIN commits USING (id) WHERE width BETWEEN 1 AND ${COUPLING.widest}) AS total,
            (SELECT COALESCE(MAX(files.churn - COALESCE(others.churn, 0)), 0) FROM files LEFT JOIN (${OTHERS}) AS others ON file = id
             WHERE is_gone = 0 AND is_plumbing = 0) AS busiest`,
    ) ?? { total: 0, busiest: 0 };
    known.set(memory, totals);
  }
  return totals;
}

function pairs(database: MemoryDatabase, file: number, now: number): readonly PairRow[] {
  return database.all<PairRow>(
    `SELECT its.path AS path, other.file AS other, is_plumbing, COUNT(*) AS shared,
            SUM(1.0 / MAX(1.0, (? - committed_at) / ${DAY_MS}.0 + 1)) AS weight,
            SUM((${COUPLING.old} + 1.0 / (1.0 + (SELECT since FROM ages WHERE ages.id = commits.id) / ${COUPLING.fadingCommits}.0)) / SQRT(width - 1)) AS strength
     ${pairsOf('?', HERE)}`,
    now,
    file,
  );
}

interface Counts {
  /** Commits of a file. */
  readonly churn: number;
  /** Those of them that count for pairs. */
  readonly paired: number;
}

/** What is kept of each file, without what is of other branches. */
function countsOf(database: MemoryDatabase, files: readonly number[]): ReadonlyMap<number, Counts> {
  const rows = database.all<{ file: number; churn: number; paired: number }>(
    `WITH others AS MATERIALIZED (${OTHERS})
     SELECT id AS file, files.churn - COALESCE(others.churn, 0) AS churn, files.paired - COALESCE(others.paired, 0) AS paired
     FROM files LEFT JOIN others ON file = id WHERE id IN (SELECT value FROM json_each(?))`,
    JSON.stringify(files),
  );
  return new Map(rows.map((row) => [row.file, row]));
}

/** Four digits behind the point: what is compared is read by people. */
export function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
