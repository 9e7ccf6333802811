import type { RecordedDecision } from '@palisade/contracts';
import type { Memory } from '../open-memory.ts';

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

/** WM-037: commits whose message holds the text, in any case, the newest first. */
export function decisions({ database }: Memory, query: string, limit: number): readonly RecordedDecision[] {
  const pattern = `%${query.toLowerCase().replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
  return database
    .all<Row>(
      String.raw`SELECT sha, subject, body, committed_at FROM commits
       WHERE (FOLDED(subject) LIKE ? ESCAPE '\' OR FOLDED(body) LIKE ? ESCAPE '\') AND id NOT IN (SELECT id FROM elsewhere)
       ORDER BY committed_at DESC, id DESC LIMIT ?`,
      pattern,
      pattern,
      limit,
    )
    .map(shown);
}

function shown({ sha, subject, body, committed_at }: Row): RecordedDecision {
  return { source_type: 'git', source_ref: sha, title: subject, body, committed_at };
}
