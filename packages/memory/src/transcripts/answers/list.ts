import type { TranscriptList } from '@palisade/contracts';
import type { MemoryDatabase } from '../../store/memory-database.ts';
import { filterClause, type SessionFilter, sessionRows, sessionView } from './session-view.ts';

/** The sessions that were active last; side conversations only when asked for (WM-058). */
export function listTranscripts(
  database: MemoryDatabase,
  {
    limit,
    hasSides = false,
    ...filter
  }: SessionFilter & { readonly limit: number; readonly hasSides?: boolean },
): TranscriptList {
  const { where, values } = filterClause(filter);
  const rows = sessionRows(
    database,
    `${where} ${hasSides ? '' : 'AND s.parent IS NULL'} ORDER BY s.updated_at DESC, s.source LIMIT ?`,
    ...values,
    limit + 1,
  );
  return { data: rows.slice(0, limit).map(sessionView), has_more: rows.length > limit };
}
