import type { RiskRanking } from '@palisade/contracts';
import type { Memory } from '../open-memory.ts';
import { rounded } from '../signals/co-change.ts';
import { COMMITS_SINCE } from '../signals/commits-since.ts';
import { FIGURES, HERE, neighborCount } from '../signals/file-figures.ts';
import { DAY_MS, HOTSPOT, RISK } from '../signals/weights.ts';
import { indexEvidence } from './evidence.ts';
import { freshnessOf } from './freshness.ts';

/**
 * The files where the next fixes are to be expected, by {@link HOTSPOT}. Lock files, manifests and change logs are left out:
 * they change with everything (FF-156). All of them without a `limit`.
 */
export function ranking(memory: Memory, limit?: number): RiskRanking {
  const { database, now } = memory;
  // CROSS JOIN has SQLite begin with what is small: without figures of the tables it guesses wrong.
  const rows = database.all<
    Record<'score' | 'hotspot' | 'churn' | 'recent' | 'neighbors' | 'authors' | 'fixes' | 'last', number> & {
      path: string;
    }
  >(
    `WITH lately AS (
       SELECT file, COUNT(*) AS recent FROM commits CROSS JOIN changes ON commit_id = commits.id
       WHERE committed_at >= ? AND ${HERE} GROUP BY file),
     warm AS (
       SELECT file, SUM(1.0 / (1 + since / ${HOTSPOT.fadingCommits.toFixed(1)})) AS warmth
       FROM (${COMMITS_SINCE} LIMIT ${HOTSPOT.mostCommits}) AS latest CROSS JOIN changes ON commit_id = latest.id GROUP BY file),
     touched AS MATERIALIZED (SELECT DISTINCT file FROM elsewhere CROSS JOIN changes ON commit_id = elsewhere.id),
     counted AS MATERIALIZED (
       SELECT file AS id, ${FIGURES}, ${neighborCount('changes.file', HERE)} AS neighbors
       FROM touched CROSS JOIN changes USING (file) JOIN commits ON commits.id = commit_id JOIN authors ON authors.id = author
       WHERE ${HERE} GROUP BY file),
     here AS (
       SELECT id, churn, authors, fixes, last_touched_at, neighbors FROM counted
       UNION ALL
       SELECT id, churn, authors, fixes, last_touched_at, neighbors FROM files WHERE id NOT IN (SELECT file FROM touched))
     SELECT path, here.churn, COALESCE(recent, 0) AS recent, here.neighbors, here.authors, here.fixes, here.last_touched_at AS last,
            ${RISK.churn} * here.churn + ${RISK.recent} * COALESCE(recent, 0)
            + ${RISK.neighbor} * MIN(here.neighbors, ${RISK.mostNeighbors}) + ${RISK.author} * MIN(here.authors, ${RISK.mostAuthors})
            + CASE WHEN here.last_touched_at >= ? THEN ${RISK.fresh} ELSE 0 END AS score,
            ${HOTSPOT.old} * here.churn + COALESCE(warmth, 0) AS hotspot
     FROM files JOIN here USING (id) LEFT JOIN lately ON lately.file = files.id LEFT JOIN warm ON warm.file = files.id
     WHERE is_gone = 0 AND is_plumbing = 0 AND here.churn > 0 ORDER BY hotspot DESC, path LIMIT ?`,
    now - RISK.recentDays * DAY_MS,
    now - RISK.freshDays * DAY_MS,
    limit ?? -1,
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
