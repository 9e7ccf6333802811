import { realpathSync } from 'node:fs';
import { type DecisionList, PalisadeError, type RecordedDecision } from '@palisade/contracts';
import { idText } from '../console/console.ts';
import type { Memory } from '../open-memory.ts';
import { HERE } from '../signals/file-figures.ts';
import { indexEvidence } from './evidence.ts';
import { freshnessOf } from './freshness.ts';

interface Row {
  readonly [column: string]: string | number;
  readonly sha: string;
  readonly subject: string;
  readonly body: string;
  readonly committed_at: number;
  /** Files it changed; none of a merge. */
  readonly width: number;
}

/** What the messages of the commits say, those that say more than a title; trailers say nothing. */
export function decisionsOf({ database }: Memory, shas: readonly string[]): readonly RecordedDecision[] {
  return shas.flatMap((sha) => {
    const row = database.get<Row>(
      'SELECT sha, subject, body, committed_at, width FROM commits WHERE sha = ?',
      sha,
    );
    return row === undefined || !saysMore(row.body) ? [] : [shown(row)];
  });
}

const TRAILER =
  /^(?:-{3,}|[\w-]+-(?:by|id|to|on|from|url): .*|(?:cc|link|fixes|closes|resolves|refs?|see|bug|issue): .*|\(cherry picked from .*\)|(?:fix(?:es|ed)?|close[sd]?|resolve[sd]?|refs?|see) (?:[\w./-]*#\d+|https?:\S+)\.?)$/i;

/** Whether a line of it is more than who took part and what it refers to. */
function saysMore(body: string): boolean {
  return body.split(/[\r\n]+/).some((line) => line.trim() !== '' && !TRAILER.test(line.trim()));
}

/**
 * WM-037, D-06: commits whose message holds the text and reviews of this repository that were closed with it, in any case,
 * the newest first. Errors: `invalid_input` without a text.
 */
export function decisions(memory: Memory, query: string, limit: number): DecisionList {
  if (query.trim() === '')
    throw new PalisadeError('invalid_input', 'there is no text to look for', {
      next: 'pal repo decisions TEXT',
    });
  const pattern = `%${query.toLowerCase().replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
  const found = memory.database.all<Row>(
    String.raw`SELECT sha, subject, body, committed_at, width FROM commits
       WHERE (FOLDED(subject) LIKE ? ESCAPE '\' OR FOLDED(body) LIKE ? ESCAPE '\') AND ${HERE}
       ORDER BY committed_at DESC, id DESC LIMIT ?`,
    pattern,
    pattern,
    // Of each two, one may be the merge of the other.
    2 * limit,
  );
  const commits = toldOnce(found).slice(0, limit).map(shown);
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
  const text = body.replaceAll(/\r\n?/g, '\n').trim();
  return { source_type: 'git', source_ref: sha, title: subject, body: text, committed_at };
}

/** A merge that is called what a commit is called that it brought gives its place to that commit. */
function toldOnce(rows: readonly Row[]): readonly Row[] {
  const merges = new Map(rows.flatMap((row) => (row.width === 0 ? [[titleOf(row), row] as const] : [])));
  const instead = new Map<Row, Row>();
  for (const row of rows) {
    const merge = row.width === 0 ? undefined : merges.get(titleOf(row));
    if (merge !== undefined && !instead.has(merge)) instead.set(merge, row);
  }
  return [...new Set(rows.map((row) => instead.get(row) ?? row))];
}

/** Of a merge with a subject that git or a host made, what it says below it. */
function titleOf({ subject, body }: Row): string {
  const title = /^Merge\b/.test(subject) ? (body.split(/[\r\n]/, 1)[0] ?? '') : subject;
  return title.replace(/\s*\(#\d+\)$/, '').trim();
}
