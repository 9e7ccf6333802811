import type { Risk } from '@palisade/contracts';
import type { Memory } from '../open-memory.ts';
import type { Neighbors } from './co-change.ts';
import { HERE } from './file-figures.ts';
import { DAY_MS, RISK } from './weights.ts';

/** A file as the history knows it. */
export interface FileHistory {
  readonly id: number;
  /** Its present name. */
  readonly path: string;
  readonly isGone: boolean;
  readonly churn: number;
  readonly recent: number;
  readonly authors: number;
  readonly fixes: number;
  /** Unix ms. */
  readonly lastTouchedAt: number;
}

/** The file that a name means or has meant (FF-157). */
export function historyOf({ database, now }: Memory, path: string): FileHistory | undefined {
  const row = database.get<{ id: number; path: string; is_gone: number }>(
    'SELECT id, files.path AS path, is_gone FROM names JOIN files ON id = file WHERE names.path = ?',
    path,
  );
  if (row === undefined) return undefined;
  const figures = database.get<Record<'churn' | 'recent' | 'authors' | 'fixes' | 'last', number>>(
    `SELECT COUNT(*) AS churn, COALESCE(SUM(committed_at >= ?), 0) AS recent,
            COUNT(DISTINCT CASE WHEN is_bot = 0 THEN author END) AS authors,
            COALESCE(SUM(is_fix), 0) AS fixes, COALESCE(MAX(committed_at), 0) AS last
     FROM changes JOIN commits ON commits.id = commit_id JOIN authors ON authors.id = author
     WHERE file = ? AND ${HERE}`,
    now - RISK.recentDays * DAY_MS,
    row.id,
  );
  if (figures === undefined || figures.churn === 0) return undefined;
  const { churn, recent, authors, fixes, last } = figures;
  return {
    id: row.id,
    path: row.path,
    isGone: row.is_gone === 1,
    churn,
    recent,
    authors,
    fixes,
    lastTouchedAt: last,
  };
}

/** The risk of a file with history. `unread` is why more of it is not known. */
export function riskOf(
  file: FileHistory,
  { near, count }: Neighbors,
  now: number,
  unread: string | undefined,
): Risk {
  const isFresh = now - file.lastTouchedAt <= RISK.freshDays * DAY_MS;
  const parts = {
    churn: RISK.churn * file.churn,
    recent: RISK.recent * file.recent,
    neighbors: RISK.neighbor * Math.min(count, RISK.mostNeighbors),
    authors: RISK.author * Math.min(file.authors, RISK.mostAuthors),
    fresh: isFresh ? RISK.fresh : 0,
  };
  const score = Object.values(parts).reduce((sum, part) => sum + part, 0);
  const reasons = [
    ...(unread === undefined ? [] : [unread]),
    ...(file.recent >= 2
      ? [`changed by ${file.recent} commits within ${RISK.recentDays} days`]
      : file.churn >= 3
        ? [`changed by ${file.churn} commits`]
        : []),
    ...(count >= 2 ? [`${count} files change with it`] : []),
    ...(file.authors >= 2 ? [`changed by ${file.authors} people`] : []),
    ...(isFresh ? [`last changed within ${RISK.freshDays} days`] : []),
  ];
  return {
    path: file.path,
    score,
    level: score >= RISK.high ? 'high' : score >= RISK.medium ? 'medium' : 'low',
    churn_score: file.churn,
    recent_touch_count: file.recent,
    neighbor_count: count,
    author_count: file.authors,
    fix_count: file.fixes,
    last_touched_at: file.lastTouchedAt,
    parts,
    reasons: reasons.length === 0 ? ['stable: it seldom changes'] : reasons,
    top_neighbors: near.slice(0, 5),
  };
}

/** The risk of a file that is there and has no history yet, from what it is connected with. */
export function riskWithoutHistory(path: string, links: number, tests: number): Risk {
  const parts = {
    links: RISK.link * Math.min(links, RISK.mostLinks),
    tests: RISK.test * Math.min(tests, RISK.mostTests),
  };
  return {
    ...unknownRisk(path, 'it has no history yet: judged by what it is connected with'),
    score: parts.links + parts.tests,
    level: links >= 2 || tests > 0 ? 'medium' : 'low',
    parts,
  };
}

/** Of a file that nothing can be said of, for a reason. */
export function unknownRisk(path: string, reason: string): Risk {
  return {
    path,
    score: 0,
    level: 'unknown',
    churn_score: 0,
    recent_touch_count: 0,
    neighbor_count: 0,
    author_count: 0,
    fix_count: 0,
    last_touched_at: null,
    parts: {},
    reasons: [reason],
    top_neighbors: [],
  };
}
