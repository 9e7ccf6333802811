import {
  AUDIT_STREAM,
  type AuditRecordView,
  bindOperation,
  type BoundOperation,
  type JournalEvent,
  listAudit,
} from '@palisade/contracts';
import type { Database } from '@palisade/kernel';
import { numberOf } from '../callers/page.ts';

const PAGE = 50;

/** Reads audit records (EX-214), newest first: their sequence has no gaps, so a page follows from the number of the one before. */
export function auditOperations(database: Database): BoundOperation[] {
  return [
    bindOperation(listAudit, async ({ limit = PAGE, cursor }) =>
      database.read(async (tx) => {
        const { seq: newest } = await tx.journal.head(AUDIT_STREAM);
        const last = cursor === undefined ? newest : Math.min(newest, numberOf(cursor) - 1);
        const first = Math.max(0, last - limit + 1);
        const events = last < 0 ? [] : await tx.journal.read(AUDIT_STREAM, first - 1, last - first + 1);
        const hasMore = first > 0 && last >= 0;
        return {
          data: events.map(view).toReversed(),
          has_more: hasMore,
          ...(hasMore ? { next_cursor: String(first) } : {}),
        };
      }),
    ),
  ];
}

function view({ seq, at, type, data }: JournalEvent): AuditRecordView {
  return { seq, at, action: type, ...(data as object) } as AuditRecordView;
}
