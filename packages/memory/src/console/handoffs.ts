import { type ConsoleHandoff, PalisadeError } from '@palisade/contracts';
import type { MemoryDatabase } from '../store/memory-database.ts';
import {
  type Change,
  type Console,
  changeRow,
  idNumber,
  idText,
  lines,
  type Numbered,
  numberedRow,
  optionalText,
  textsOf,
} from './console.ts';
import { type KnownSession, sessionKey, sessionRow, sessionText } from './sessions.ts';

export interface HandoffWish extends Change {
  readonly from: KnownSession;
  /** Undefined: whoever goes on. */
  readonly to: KnownSession | undefined;
  readonly repository: string | null;
  readonly summary: string;
  readonly pending: readonly string[];
  readonly blockers: readonly string[];
}

const HANDOFF: Numbered = {
  table: 'handoffs',
  prefix: 'hnd',
  what: 'handoff',
  list: 'pal console handoff-list',
};

interface Row extends Record<string, null | number | string> {
  readonly id: number;
  readonly from_session: number;
  readonly to_session: number | null;
  readonly repository: string | null;
  readonly summary: string;
  readonly status: ConsoleHandoff['status'];
  readonly accepted_by: number | null;
  readonly created_at: number;
  readonly accepted_at: number | null;
}

/** Leaves work to another session (WM-073). Errors: `invalid_input`, those of {@link changeRow}. */
export function writeHandoff(console: Console, wish: HandoffWish): Promise<ConsoleHandoff> {
  const { database } = console;
  const summary = optionalText(wish.summary);
  if (summary === null) throw new PalisadeError('invalid_input', 'a handoff needs a summary');
  const write = (now: number): number =>
    database.run(
      `INSERT INTO handoffs (from_session, to_session, repository, summary, pending_actions, blockers, status, created_at)
       VALUES (?, ?, ?, ?, ?, ?, 'open', ?)`,
      sessionRow(database, wish.from),
      wish.to === undefined ? null : sessionRow(database, wish.to),
      wish.repository,
      summary,
      JSON.stringify(lines(wish.pending, 'pending actions')),
      JSON.stringify(lines(wish.blockers, 'blockers')),
      now,
    );
  return changeRow(console, wish, write, (id) =>
    handoffView(database, numberedRow<Row>(database, HANDOFF, id)),
  );
}

/**
 * Takes a handoff over; once. Errors: `not_found`, `operation_not_permitted` when it is for another session,
 * `invalid_state` when another has taken it.
 */
export function acceptHandoff(
  console: Console,
  wish: Change & { readonly session: KnownSession; readonly id: string },
): Promise<ConsoleHandoff> {
  const { database } = console;
  const id = idNumber('hnd', 'handoff', wish.id);
  const accept = (now: number): number => {
    const mine = sessionRow(database, wish.session);
    const row = numberedRow<Row>(database, HANDOFF, id);
    if (row.to_session !== null && row.to_session !== mine)
      throw new PalisadeError(
        'operation_not_permitted',
        `the handoff is for ${sessionText(sessionKey(database, row.to_session))}`,
      );
    if (row.accepted_by !== null && row.accepted_by !== mine)
      throw new PalisadeError(
        'invalid_state',
        `${sessionText(sessionKey(database, row.accepted_by))} has accepted it`,
        { next: 'pal console handoff-list' },
      );
    database.run(
      `UPDATE handoffs SET status = 'accepted', accepted_by = ?, accepted_at = ? WHERE id = ? AND status = 'open'`,
      mine,
      now,
      id,
    );
    return id;
  };
  return changeRow(console, wish, accept, (row) =>
    handoffView(database, numberedRow<Row>(database, HANDOFF, row)),
  );
}

export interface HandoffFilter {
  /** Those for this session, or for anybody. */
  readonly to?: number | undefined;
  readonly repository?: string | undefined;
  /** Accepted ones too. */
  readonly isEver: boolean;
}

/** The newest first. */
export function listHandoffs(
  { database }: Console,
  { to, repository, isEver }: HandoffFilter,
): readonly ConsoleHandoff[] {
  return database
    .all<Row>(
      `SELECT * FROM handoffs WHERE (? OR status = 'open') AND (? IS NULL OR to_session IS NULL OR to_session = ?)
         AND (? IS NULL OR repository = ?) ORDER BY id DESC LIMIT 1000`,
      isEver ? 1 : 0,
      to ?? null,
      to ?? null,
      repository ?? null,
      repository ?? null,
    )
    .map((row) => handoffView(database, row));
}

function handoffView(database: MemoryDatabase, row: Row): ConsoleHandoff {
  const key = (session: number | null) => (session === null ? null : sessionKey(database, session));
  return {
    id: idText('hnd', row.id),
    from: sessionKey(database, row.from_session),
    to: key(row.to_session),
    repository: row.repository,
    summary: row.summary,
    pending_actions: textsOf(row['pending_actions']),
    blockers: textsOf(row['blockers']),
    status: row.status,
    accepted_by: key(row.accepted_by),
    created_at: row.created_at,
    accepted_at: row.accepted_at,
  };
}
