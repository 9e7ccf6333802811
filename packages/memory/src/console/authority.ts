import { type ConsoleAuthority, PalisadeError } from '@palisade/contracts';
import type { MemoryDatabase } from '../store/memory-database.ts';
import {
  type Change,
  change,
  type Console,
  idNumber,
  idText,
  isParty,
  line,
  missing,
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

type Row = Omit<ConsoleAuthority, 'id'> & { readonly id: number } & Record<string, null | number | string>;

/** Errors: `invalid_input`, `idempotency_mismatch`. */
export async function requestAuthority(console: Console, wish: AuthorityWish): Promise<ConsoleAuthority> {
  const { database, now } = console;
  const { party } = wish;
  const answer = await change(console, wish, () => {
    const id = database.run(
      `INSERT INTO authority (level, action, target, details, requested_by, actor, idempotency_key, status, created_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, 'requested', ?)`,
      line(wish.level, 'the level'),
      line(wish.action, 'the action'),
      optionalText(wish.target),
      optionalText(wish.details),
      party.name,
      party.actor,
      wish.idempotencyKey,
      now,
    );
    return view(rowOf(database, id));
  });
  // What became of it since it was first asked for.
  return wish.isRehearsal ? answer : view(rowOf(database, idNumber('act', 'request', answer.id)));
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
  const { database, now } = console;
  const { decision, party } = wish;
  const id = idNumber('act', 'request', wish.id);
  return change(console, wish, () => {
    const row = rowOf(database, id);
    if (row.status === decision) return view(row);
    const isOpen = row.status === 'requested';
    if (decision === 'dispatched') {
      if (row.status !== 'approved' && !(isOpen && row.level === MESSAGE))
        throw refused(id, row.status, isOpen ? 'nobody has approved it yet' : undefined);
      database.run(`UPDATE authority SET status = 'dispatched', dispatched_at = ? WHERE id = ?`, now, id);
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
    return view(rowOf(database, id));
  });
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

function rowOf(database: MemoryDatabase, id: number): Row {
  const row = database.get<Row>('SELECT * FROM authority WHERE id = ?', id);
  if (row === undefined) throw missing('request', idText('act', id), 'pal console authority-list');
  return row;
}

function view(row: Row): ConsoleAuthority {
  return { ...row, id: idText('act', row.id) };
}
