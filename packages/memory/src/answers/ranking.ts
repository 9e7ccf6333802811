import type { RiskRanking } from '@palisade/contracts';
import type { Memory } from '../open-memory.ts';
import { rounded } from '../signals/co-change.ts';
import { COMMITS_SINCE } from '../signals/commits-since.ts';
import { FIGURES, HERE, neighborCount } from '../signals/file-figures.ts';
import { DAY_MS, HOTSPOT, RISK } from '../signals/weights.ts';
import { indexEvidence } from './evidence.ts';
import { freshnessOf } from './freshness.ts';

// CROSS JOIN has SQLite begin with what is small: without figures of the tables it guesses wrong.
const RANKED = `
  WITH warm AS (
    SELECT file, SUM(1.0 / (1 + since / ${HOTSPOT.fadingCommits.toFixed(1)})) AS warmth
    FROM (${COMMITS_SINCE} LIMIT ${HOTSPOT.mostCommits}) AS latest CROSS JOIN changes ON commit_id = latest.id GROUP BY file),
  others AS MATERIALIZED (
    SELECT file, COUNT(*) AS churn FROM elsewhere CROSS JOIN changes ON commit_id = elsewhere.id GROUP BY file),
  ranked AS MATERIALIZED (
    SELECT id, path, others.file IS NOT NULL AS is_recounted,
           ${HOTSPOT.old} * (files.churn - COALESCE(others.churn, 0)) + COALESCE(warmth, 0) AS hotspot
    FROM files LEFT JOIN others ON others.file = files.id LEFT JOIN warm ON warm.file = files.id
    WHERE is_gone = 0 AND is_plumbing = 0 AND files.churn > COALESCE(others.churn, 0) ORDER BY hotspot DESC, path LIMIT ?)`;

/** The paths of a ranking of everything. */
export function rankedPaths({ database }: Memory): readonly string[] {
  return database
    .all<{ path: string }>(`${RANKED} SELECT path FROM ranked ORDER BY hotspot DESC, path`, -1)
    .map(({ path }) => path);
}

/**
 * The files where the next fixes are to be expected, by {@link HOTSPOT}. Lock files, manifests and change logs are left out:
 * they change with everything (FF-156).
 */
export function ranking(memory: Memory, limit: number): RiskRanking {
  const { database, now } = memory;
  // What other branches changed too has to be counted again: of the files that are shown.
  const rows = database.all<
    Record<'score' | 'hotspot' | 'churn' | 'recent' | 'neighbors' | 'authors' | 'fixes' | 'last', number> & {
      path: string;
    }
  >(
    `${RANKED},
     lately AS (
       SELECT file, COUNT(*) AS recent FROM commits CROSS JOIN changes ON commit_id = commits.id
       WHERE committed_at >= ? AND ${HERE} GROUP BY file),
     here AS (
       SELECT ranked.id, ${FIGURES}, ${neighborCount('changes.file', HERE)} AS neighbors
       FROM ranked CROSS JOIN changes ON file = ranked.id JOIN commits ON commits.id = commit_id JOIN authors ON authors.id = author
       WHERE is_recounted = 1 AND ${HERE} GROUP BY file
       UNION ALL
       SELECT files.id, churn, authors, fixes, last_touched_at, neighbors FROM ranked CROSS JOIN files USING (id) WHERE is_recounted = 0)
     SELECT path, churn, COALESCE(recent, 0) AS recent, neighbors, authors, fixes, last_touched_at AS last, hotspot,
            ${RISK.churn} * churn + ${RISK.recent} * COALESCE(recent, 0)
            + ${RISK.neighbor} * MIN(neighbors, ${RISK.mostNeighbors}) + ${RISK.author} * MIN(authors, ${RISK.mostAuthors})
            + CASE WHEN last_touched_at >= ? THEN ${RISK.fresh} ELSE 0 END AS score
     FROM ranked JOIN here USING (id) LEFT JOIN lately ON lately.file = ranked.id ORDER BY hotspot DESC, path`,
    limit,
    now - RISK.recentDays * DAY_MS,
    now - RISK.freshDays * DAY_MS,
  );
  return {
    freshness: freshnessOf(memory),
    evidence: indexEvidence(memory, ['git-history']),
    files: rows.map(({ path, score, hotspot, churn, recent, neighbors, authors, fixes, last }) => ({
      path,
      score,
      hotspot: rounded(hotspot),
      level: score >= RISK.high ? 'high' : score >= RISK.medium ? 'medium' : 'low',
      churn_score: churn,
      recent_touch_count: recent,
      neighbor_count: neighbors,
      author_count: authors,
      fix_count: fixes,
      last_touched_at: last,
    })),
  };
}
