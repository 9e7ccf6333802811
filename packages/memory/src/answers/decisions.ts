import { realpathSync } from 'node:fs';
import type { DecisionList, RecordedDecision } from '@palisade/contracts';
import { idText } from '../console/console.ts';
import type { Memory } from '../open-memory.ts';
import { indexEvidence } from './evidence.ts';
import { freshnessOf } from './freshness.ts';

interface Row {
  readonly [column: string]: string | number;
  readonly sha: string;
  readonly subject: string;
  readonly body: string;
  readonly committed_at: number;
}

/** What the messages of the commits say, those that say more than a title. */
export function decisionsOf({ database }: Memory, shas: readonly string[]): readonly RecordedDecision[] {
  return shas.flatMap((sha) => {
    const row = database.get<Row>('SELECT sha, subject, body, committed_at FROM commits WHERE sha = ?', sha);
    return row === undefined || row.body === '' ? [] : [shown(row)];
  });
}

/**
 * WM-037, D-06: commits whose message holds the text and reviews of this repository that were closed with it, in any case,
 * the newest first.
 */
export function decisions(memory: Memory, query: string, limit: number): DecisionList {
  const pattern = `%${query.toLowerCase().replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
  const commits = memory.database
    .all<Row>(
      String.raw`SELECT sha, subject, body, committed_at FROM commits
       WHERE (FOLDED(subject) LIKE ? ESCAPE '\' OR FOLDED(body) LIKE ? ESCAPE '\') AND id NOT IN (SELECT id FROM elsewhere)
       ORDER BY committed_at DESC, id DESC LIMIT ?`,
      pattern,
      pattern,
      limit,
    )
    .map(shown);
  const reviews = closedReviews(memory, pattern, limit);
  return {
    freshness: freshnessOf(memory),
    evidence: indexEvidence(memory, ['git-history']),
    data: [...commits, ...reviews].toSorted((a, b) => b.committed_at - a.committed_at).slice(0, limit),
  };
}

/** What sessions decided about this repository, where they tell each other. */
function closedReviews(
  { console, repository }: Memory,
  pattern: string,
  limit: number,
): readonly RecordedDecision[] {
  const database = console();
  if (database === undefined) return [];
  return database
    .all<{ id: number; subject: string; decision: string; note: string | null; closed_at: number }>(
      String.raw`SELECT id, subject, decision, note, closed_at FROM reviews
       WHERE repository = ? AND status = 'closed' AND (FOLDED(subject) LIKE ? ESCAPE '\' OR FOLDED(COALESCE(note, '')) LIKE ? ESCAPE '\')
       ORDER BY closed_at DESC, id DESC LIMIT ?`,
      realpathSync(repository.gitDir),
      pattern,
      pattern,
      limit,
    )
    .map(({ id, subject, decision, note, closed_at }) => ({
      source_type: 'review',
      source_ref: idText('rev', id),
      title: `${decision}: ${subject}`,
      body: note ?? '',
      committed_at: closed_at,
    }));
}

function shown({ sha, subject, body, committed_at }: Row): RecordedDecision {
  return { source_type: 'git', source_ref: sha, title: subject, body, committed_at };
}
