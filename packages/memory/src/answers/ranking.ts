import type { RiskRanking } from '@palisade/contracts';
import type { Memory } from '../open-memory.ts';
import { DAY_MS, RISK } from '../signals/weights.ts';
import { freshnessOf } from './freshness.ts';

/** Lock files, manifests and change logs are left out: they change with everything (FF-156). */
export function ranking(memory: Memory, limit: number): RiskRanking {
  const { database, now } = memory;
  const rows = database.all<
    Record<'score' | 'churn' | 'recent' | 'neighbors' | 'authors' | 'fixes' | 'last', number> & {
      path: string;
    }
  >(
    `WITH lately AS (
       SELECT file, COUNT(*) AS recent FROM commits JOIN changes ON commit_id = commits.id
       WHERE committed_at >= ? AND commits.id NOT IN (SELECT id FROM elsewhere) GROUP BY file),
     foreign_changes AS (
       SELECT file, COUNT(*) AS many FROM elsewhere JOIN changes ON commit_id = elsewhere.id GROUP BY file)
     SELECT path, churn - COALESCE(many, 0) AS churn, COALESCE(recent, 0) AS recent, neighbors, authors, fixes, last_touched_at AS last,
            ${RISK.churn} * (churn - COALESCE(many, 0)) + ${RISK.recent} * COALESCE(recent, 0)
            + ${RISK.neighbor} * MIN(neighbors, ${RISK.mostNeighbors}) + ${RISK.author} * MIN(authors, ${RISK.mostAuthors})
            + CASE WHEN last_touched_at >= ? THEN ${RISK.fresh} ELSE 0 END AS score
     FROM files LEFT JOIN lately ON lately.file = files.id LEFT JOIN foreign_changes ON foreign_changes.file = files.id
     WHERE is_gone = 0 AND is_plumbing = 0 AND churn > COALESCE(many, 0) ORDER BY score DESC, path LIMIT ?`,
    now - RISK.recentDays * DAY_MS,
    now - RISK.freshDays * DAY_MS,
    limit,
  );
  return {
    freshness: freshnessOf(memory),
    files: rows.map(({ path, score, churn, recent, neighbors, authors, fixes, last }) => ({
      path,
      score,
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
