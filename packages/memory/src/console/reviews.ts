import { type ConsoleReview, PalisadeError } from '@palisade/contracts';
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

const REVIEW: Numbered = {
  table: 'reviews',
  prefix: 'rev',
  what: 'review',
  list: 'pal console review-show',
};

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
  return changeRow(console, wish, create, (id) => view(numberedRow<Row>(database, REVIEW, id)));
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
    const row = numberedRow<Row>(database, REVIEW, id);
    if (row.decision === decision) return id;
    if (row.status === 'closed')
      throw new PalisadeError('invalid_state', `${idText('rev', id)} was closed with ${row.decision}`, {
        why: `${row.decided_by} has decided it${row.note === null ? '' : `: ${row.note}`}`,
        next: `pal console review-show ${idText('rev', id)}`,
      });
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
  return changeRow(console, wish, close, (row) => view(numberedRow<Row>(database, REVIEW, row)));
}

export function showReview({ database }: Console, id: string): ConsoleReview {
  return view(numberedRow<Row>(database, REVIEW, idNumber('rev', 'review', id)));
}

/** Those that are open, the newest first. */
export function openReviews({ database }: Console): readonly ConsoleReview[] {
  return database
    .all<Row>(`SELECT * FROM reviews WHERE status = 'open' ORDER BY id DESC LIMIT 1000`)
    .map(view);
}

function view(row: Row): ConsoleReview {
  return { ...row, id: idText('rev', row.id) };
}
