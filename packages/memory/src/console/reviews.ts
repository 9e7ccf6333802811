import { type ConsoleReview, PalisadeError } from '@palisade/contracts';
import type { MemoryDatabase } from '../store/memory-database.ts';
import {
  type Change,
  type Console,
  changeRow,
  idNumber,
  idText,
  isParty,
  line,
  missing,
  optionalText,
  type Party,
} from './console.ts';

type Row = Omit<ConsoleReview, 'id'> & { readonly id: number } & Record<string, null | number | string>;

export interface ReviewWish extends Change {
  readonly party: Party;
  readonly subject: string;
  readonly details: string | undefined;
  readonly repository: string | null;
}

/** Asks for a review (WM-076). Errors: `invalid_input`. */
export function createReview(console: Console, wish: ReviewWish): Promise<ConsoleReview> {
  const { database } = console;
  const create = (now: number): number =>
    database.run(
      `INSERT INTO reviews (subject, details, repository, requested_by, status, created_at)
       VALUES (?, ?, ?, ?, 'open', ?)`,
      line(wish.subject, 'the subject'),
      optionalText(wish.details),
      wish.repository,
      wish.party.name,
      now,
    );
  return changeRow(console, wish, create, (id) => view(rowOf(database, id)));
}

export interface ReviewDecision extends Change {
  readonly party: Party;
  readonly id: string;
  readonly decision: NonNullable<ConsoleReview['decision']>;
  readonly note: string | undefined;
}

/** Decides it, once. Errors: `not_found`, `operation_not_permitted` for who asked, `invalid_state` when it was decided otherwise. */
export function closeReview(console: Console, wish: ReviewDecision): Promise<ConsoleReview> {
  const { database } = console;
  const { decision, party } = wish;
  const id = idNumber('rev', 'review', wish.id);
  const close = (now: number): number => {
    const row = rowOf(database, id);
    if (row.decision === decision) return id;
    if (row.status === 'closed')
      throw new PalisadeError('invalid_state', `${idText('rev', id)} was closed with ${row.decision}`);
    if (isParty(party, row.requested_by))
      throw new PalisadeError('operation_not_permitted', 'who asks does not decide', {
        next: 'have somebody else close it',
      });
    database.run(
      `UPDATE reviews SET status = 'closed', decision = ?, decided_by = ?, note = ?, closed_at = ? WHERE id = ?`,
      decision,
      party.name,
      optionalText(wish.note),
      now,
      id,
    );
    return id;
  };
  return changeRow(console, wish, close, (row) => view(rowOf(database, row)));
}

export function showReview({ database }: Console, id: string): ConsoleReview {
  return view(rowOf(database, idNumber('rev', 'review', id)));
}

/** Those that are open, the newest first. */
export function openReviews({ database }: Console): readonly ConsoleReview[] {
  return database
    .all<Row>(`SELECT * FROM reviews WHERE status = 'open' ORDER BY id DESC LIMIT 1000`)
    .map(view);
}

function rowOf(database: MemoryDatabase, id: number): Row {
  const row = database.get<Row>('SELECT * FROM reviews WHERE id = ?', id);
  if (row === undefined) throw missing('review', idText('rev', id), 'pal console review-show');
  return row;
}

function view(row: Row): ConsoleReview {
  return { ...row, id: idText('rev', row.id) };
}
