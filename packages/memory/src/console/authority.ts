import { randomUUID } from 'node:crypto';
import { type ConsoleAuthority, PalisadeError } from '@palisade/contracts';
import type { MemoryDatabase } from '../store/memory-database.ts';
import {
  type Change,
  type Console,
  changeRow,
  idNumber,
  idText,
  isParty,
  line,
  type Numbered,
  numberedRow,
  optionalText,
  type Party,
} from './console.ts';

/*
 * Requests for leave, and messages (WM-075).
 *
 *   requested    approved | denied, by another than who asks; a message also dispatched
 *   approved     dispatched: what was asked for was done
 *   denied, dispatched    final
 *
 * A decision is final (D-08): who decides the same again is told so, who decides otherwise is refused. It binds nobody:
 * whoever runs as this user could do the thing without asking.
 */

/** The level that asks for no leave. */
export const MESSAGE = 'message';

export interface AuthorityWish extends Change {
  readonly party: Party;
  readonly level: string;
  readonly action: string;
  readonly target: string | undefined;
  readonly details: string | undefined;
}

const REQUEST: Numbered = {
  table: 'authority',
  prefix: 'act',
  what: 'request',
  list: 'pal console authority-list',
};

type Row = Omit<ConsoleAuthority, 'id'> & { readonly id: number } & Record<string, null | number | string>;

/** Errors: `invalid_input`, `idempotency_mismatch`. */
export function requestAuthority(console: Console, wish: AuthorityWish): Promise<ConsoleAuthority> {
  const { database } = console;
  return changeRow(
    console,
    wish,
    (now) => requestOfKey(database, wish) ?? addRequest(database, wish, now),
    (id) => requestOf(database, id),
  );
}

/** A request outlives the answer that was kept with its key. */
function requestOfKey(database: MemoryDatabase, wish: AuthorityWish): number | undefined {
  const row = database.get<Row>(
    'SELECT * FROM authority WHERE idempotency_key = ?',
    wish.idempotencyKey ?? null,
  );
  if (row === undefined) return undefined;
  const before = [row.level, row.action, row.target, row.details, row.requested_by, row.actor];
  if (saidIn(wish).every((text, at) => text === before[at])) return row.id;
  throw new PalisadeError('idempotency_mismatch', 'the key was given with another request');
}

/** Within a transaction. Returns its number. */
export function addRequest(database: MemoryDatabase, wish: AuthorityWish, now: number): number {
  return database.run(
    `INSERT INTO authority (level, action, target, details, requested_by, actor, idempotency_key, status, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, 'requested', ?)`,
    ...saidIn(wish),
    wish.idempotencyKey ?? randomUUID(),
    now,
  );
}

/** Its texts as they are kept, in the order of the columns. */
function saidIn({ level, action, target, details, party }: AuthorityWish) {
  return [
    line(level, 'the level'),
    line(action, 'the action'),
    optionalText(target),
    optionalText(details),
    party.name,
    party.actor,
  ];
}

/** Says that what was asked for is done. */
export function markDispatched(database: MemoryDatabase, id: number, now: number): void {
  database.run(`UPDATE authority SET status = 'dispatched', dispatched_at = ? WHERE id = ?`, now, id);
}

export const AUTHORITY_DECISIONS = ['approved', 'denied', 'dispatched'] as const;

export interface Decision extends Change {
  readonly party: Party;
  readonly id: string;
  readonly decision: (typeof AUTHORITY_DECISIONS)[number];
  readonly reason: string | undefined;
}

/** Errors: `not_found`, `operation_not_permitted` for who asked, `invalid_state` when it was decided otherwise. */
export function decideAuthority(console: Console, wish: Decision): Promise<ConsoleAuthority> {
  const { database } = console;
  const { decision, party } = wish;
  const id = idNumber('act', 'request', wish.id);
  const decide = (now: number): number => {
    const row = numberedRow<Row>(database, REQUEST, id);
    if (row.status === decision) return id;
    const isOpen = row.status === 'requested';
    if (decision === 'dispatched') {
      if (row.status !== 'approved' && !(isOpen && row.level === MESSAGE))
        throw refused(id, row.status, isOpen ? 'nobody has approved it yet' : undefined);
      markDispatched(database, id, now);
    } else {
      if (!isOpen) throw refused(id, row.status);
      if (isParty(party, row.requested_by))
        throw new PalisadeError('operation_not_permitted', 'who asks does not decide', {
          why: `${row.requested_by} has asked`,
          next: 'have somebody else decide it',
        });
      database.run(
        'UPDATE authority SET status = ?, decided_by = ?, reason = ?, decided_at = ? WHERE id = ?',
        decision,
        party.name,
        optionalText(wish.reason),
        now,
        id,
      );
    }
    return id;
  };
  return changeRow(console, wish, decide, (row) => requestOf(database, row));
}

function refused(id: number, status: string, why?: string): PalisadeError {
  return new PalisadeError('invalid_state', `${idText('act', id)} is ${status}`, {
    ...(why === undefined ? {} : { why }),
    next: 'pal console authority-list --all',
  });
}

export interface AuthorityFilter {
  readonly level?: string | undefined;
  readonly target?: string | undefined;
  /** Those that nothing can become of any more, too. */
  readonly isEver: boolean;
}

/** The newest first. */
export function listAuthority(
  { database }: Console,
  { level, target, isEver }: AuthorityFilter,
): readonly ConsoleAuthority[] {
  return database
    .all<Row>(
      `SELECT * FROM authority WHERE (? OR status IN ('requested', 'approved')) AND (? IS NULL OR level = ?)
         AND (? IS NULL OR target = ?) ORDER BY id DESC LIMIT 1000`,
      isEver ? 1 : 0,
      level ?? null,
      level ?? null,
      target ?? null,
      target ?? null,
    )
    .map(view);
}

export function requestOf(database: MemoryDatabase, id: number): ConsoleAuthority {
  return view(numberedRow<Row>(database, REQUEST, id));
}

function view(row: Row): ConsoleAuthority {
  return { ...row, id: idText('act', row.id) };
}
