import { statSync } from 'node:fs';
import type { TranscriptStats } from '@palisade/contracts';
import type { MemoryDatabase } from '../../store/memory-database.ts';
import type { Harness } from '../events.ts';

/**
 * One row for each answer of a model, whatever files it is in: that of its own conversation before that of a side
 * conversation (FF-145), then the one that was read first, with the most that any copy tells (FF-148, FF-149).
 */
const ANSWERS = `SELECT message_id, min(at) AS at, count(*) AS copies,
    coalesce(max(CASE WHEN s.parent IS NULL THEN u.model END), max(u.model)) AS model,
    max(u.input) AS input, max(u.output) AS output, max(u.cache_read) AS cache_read, max(u.cache_write) AS cache_write
  FROM usage u JOIN sessions s ON s.source = u.source GROUP BY u.message_id`;
/** What rows of usage come to; null of none. */
export const SUMS = `sum(input) AS input_tokens, sum(output) AS output_tokens, sum(cache_read) AS cache_read_tokens,
  sum(cache_write) AS cache_write_tokens`;

type Numbers<K extends string> = Record<K, number>;

/** What the index holds, and what was used (WM-058). */
export function transcriptStats(database: MemoryDatabase): TranscriptStats {
  const sessions = database.get<Numbers<'sessions' | 'sides' | 'truncated'>>(
    `SELECT count(*) AS sessions, count(parent) AS sides, coalesce(sum(is_truncated), 0) AS truncated FROM sessions`,
  );
  const sources = database.get<
    Numbers<'files' | 'unclaimed' | 'unknown' | 'malformed' | 'oversized'> & { indexed_at: number | null }
  >(
    `SELECT count(*) AS files, coalesce(sum(harness IS NULL), 0) AS unclaimed,
       coalesce(sum(CASE WHEN harness IS NOT NULL THEN unknown_records END), 0) AS unknown,
       coalesce(sum(CASE WHEN harness IS NOT NULL THEN malformed_lines END), 0) AS malformed,
       coalesce(sum(oversized_lines), 0) AS oversized, max(indexed_at) AS indexed_at FROM sources`,
  );
  const usage = database.get<
    Numbers<'input_tokens' | 'output_tokens' | 'cache_read_tokens' | 'cache_write_tokens' | 'repeated'>
  >(`SELECT ${SUMS}, sum(copies > 1) AS repeated FROM (${ANSWERS}) HAVING count(*) > 0`);
  const { repeated, ...tokens } = usage ?? { repeated: 0 };
  return {
    database: database.path,
    database_bytes: statSync(database.path, { throwIfNoEntry: false })?.size ?? 0,
    sessions: (sessions?.sessions ?? 0) - (sessions?.sides ?? 0),
    side_conversations: sessions?.sides ?? 0,
    messages: database.get<Numbers<'n'>>('SELECT count(*) AS n FROM messages')?.n ?? 0,
    files: sources?.files ?? 0,
    unclaimed_files: sources?.unclaimed ?? 0,
    truncated: sessions?.truncated ?? 0,
    unknown_records: sources?.unknown ?? 0,
    malformed_lines: sources?.malformed ?? 0,
    oversized_lines: sources?.oversized ?? 0,
    indexed_at: sources?.indexed_at ?? null,
    usage: 'input_tokens' in tokens ? tokens : null,
    repeated_answers: repeated,
    by_harness: database.all<{ harness: Harness; sessions: number; messages: number }>(
      `SELECT harness, sum(parent IS NULL) AS sessions,
         (SELECT count(*) FROM messages m JOIN sessions mine ON mine.source = m.source
           WHERE mine.harness = s.harness) AS messages
       FROM sessions s GROUP BY harness ORDER BY harness`,
    ),
    by_model: database.all(
      `SELECT coalesce(model, 'unknown') AS model, count(*) AS answers, ${SUMS} FROM (${ANSWERS})
       GROUP BY 1 ORDER BY output_tokens DESC, 1`,
    ),
    embeddings: database.all(
      `SELECT e.provider, e.model,
         (SELECT count(*) FROM chunks c WHERE c.embedding = e.id) AS chunks,
         (SELECT count(*) FROM sessions s JOIN sources f ON f.id = s.source WHERE NOT EXISTS (
           SELECT 1 FROM embedded d WHERE d.embedding = e.id AND d.source = s.source
             AND d.revision = f.revision)) AS backlog
       FROM embeddings e ORDER BY e.id`,
    ),
  };
}
