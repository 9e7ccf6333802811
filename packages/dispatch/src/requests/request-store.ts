import {
  type AnswerRecord,
  type ApprovalManifest,
  type ApprovalRecord,
  type ContentHash,
  type Decision,
  PalisadeError,
  type Question,
} from '@palisade/contracts';
import type { ReadTx, SqlRow, WriteTx } from '@palisade/kernel';

const COLUMNS =
  'run_id, id, item_id, ordinal, attempt, kind, hash, body, patch, asked_at, expires_at, outcome, ended_at, items, actor, record, settled_at';

interface Common {
  readonly runId: string;
  readonly id: string;
  readonly itemId: string;
  readonly ordinal: number;
  readonly attempt: number;
  /** Address of all that is asked: what an answer is bound to. */
  readonly hash: ContentHash;
  readonly askedAt: number;
  readonly expiresAt: number | null;
  /** When it ended, protected ms; null while it is open. */
  readonly endedAt: number | null;
  /** How many items the run had when it ended; null while it is open. */
  readonly items: number | null;
  readonly actor: string | null;
  readonly isSettled: boolean;
}

/** What a person is asked, as stored. */
export type ItemRequest = Common &
  (
    | {
        readonly kind: 'question';
        readonly question: Question;
        /** What the agent had changed when it asked. */
        readonly patch: ContentHash | null;
        readonly outcome: 'answered' | 'withdrawn' | null;
        readonly answer: AnswerRecord | null;
      }
    | {
        readonly kind: 'approval';
        readonly manifest: ApprovalManifest;
        readonly outcome: Decision | 'withdrawn' | null;
        readonly decided: ApprovalRecord | null;
      }
  );

export type QuestionRequest = Extract<ItemRequest, { readonly kind: 'question' }>;
export type ApprovalRequest = Extract<ItemRequest, { readonly kind: 'approval' }>;

export interface NewRequest {
  readonly project: string;
  readonly runId: string;
  readonly id: string;
  readonly itemId: string;
  readonly ordinal: number;
  readonly attempt: number;
  readonly kind: ItemRequest['kind'];
  readonly hash: ContentHash;
  readonly body: string;
  readonly patch: ContentHash | null;
  readonly expiresAt: number | null;
}

export async function insertRequest(tx: WriteTx, request: NewRequest): Promise<void> {
  await tx.sql.run(
    `INSERT INTO item_requests (project, run_id, id, item_id, ordinal, attempt, kind, hash, body, patch, asked_at, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      request.project,
      request.runId,
      request.id,
      request.itemId,
      request.ordinal,
      request.attempt,
      request.kind,
      request.hash,
      request.body,
      request.patch,
      tx.now,
      request.expiresAt,
    ],
  );
}

/**
 * Ends a request, once: false when it had ended already, and then nothing may be written for it. Of two people who
 * answer at once one is told that the other did.
 */
export async function endRequest(
  tx: WriteTx,
  { runId, id }: Pick<ItemRequest, 'runId' | 'id'>,
  end: {
    readonly outcome: NonNullable<ItemRequest['outcome']>;
    readonly actor: string | null;
    readonly record: AnswerRecord | ApprovalRecord | null;
  },
): Promise<boolean> {
  const { outcome, actor, record } = end;
  return (
    (await tx.sql.run(
      `UPDATE item_requests SET outcome = ?, ended_at = ?, actor = ?, record = ?,
         items = (SELECT MAX(ordinal) + 1 FROM plan_items WHERE run_id = ?)
       WHERE run_id = ? AND id = ? AND ended_at IS NULL`,
      [outcome, tx.now, actor, record === null ? null : JSON.stringify(record), runId, runId, id],
    )) === 1
  );
}

/** The run's owner has acted on the request's end. */
export async function markSettled(
  tx: WriteTx,
  { runId, id }: Pick<ItemRequest, 'runId' | 'id'>,
): Promise<void> {
  await tx.sql.run(
    'UPDATE item_requests SET settled_at = ? WHERE run_id = ? AND id = ? AND settled_at IS NULL',
    [tx.now, runId, id],
  );
}

/** What its owner has to act on: requests that ended, and those whose time is over at `now`; oldest first. */
export async function dueRequests(
  tx: ReadTx,
  runId: string,
  now: number,
  limit: number,
): Promise<ItemRequest[]> {
  const rows = await tx.sql.all(
    `SELECT ${COLUMNS} FROM item_requests WHERE run_id = ? AND settled_at IS NULL
     AND (ended_at IS NOT NULL OR expires_at <= ?) ORDER BY asked_at, id LIMIT ?`,
    [runId, now, limit],
  );
  return rows.map(requestOf);
}

/** How many requests of the run are open, and the nearest expiry among them. */
export async function openOf(
  tx: ReadTx,
  runId: string,
): Promise<{ readonly open: number; readonly expiresAt: number | null }> {
  const row = await tx.sql.get<{ n: number; at: number | null }>(
    'SELECT COUNT(*) AS n, MIN(expires_at) AS at FROM item_requests WHERE run_id = ? AND settled_at IS NULL AND ended_at IS NULL',
    [runId],
  );
  return { open: row?.n ?? 0, expiresAt: row?.at ?? null };
}

/** The item's last request, or undefined. */
export async function lastRequest(
  tx: ReadTx,
  runId: string,
  itemId: string,
): Promise<ItemRequest | undefined> {
  const row = await tx.sql.get(
    `SELECT ${COLUMNS} FROM item_requests WHERE run_id = ? AND item_id = ? ORDER BY attempt DESC LIMIT 1`,
    [runId, itemId],
  );
  return row === undefined ? undefined : requestOf(row);
}

/** Whether an earlier attempt of the item asked a question, whatever became of it. */
export async function askedBefore(
  tx: ReadTx,
  { runId, itemId, attempt }: Pick<ItemRequest, 'runId' | 'itemId' | 'attempt'>,
): Promise<boolean> {
  const row = await tx.sql.get(
    "SELECT 1 AS found FROM item_requests WHERE run_id = ? AND item_id = ? AND kind = 'question' AND attempt < ? LIMIT 1",
    [runId, itemId, attempt],
  );
  return row !== undefined;
}

/** Every request of a run, in the order in which they were asked. */
export async function requestsOfRun(tx: ReadTx, runId: string): Promise<ItemRequest[]> {
  const rows = await tx.sql.all(
    `SELECT ${COLUMNS} FROM item_requests WHERE run_id = ? ORDER BY asked_at, id`,
    [runId],
  );
  return rows.map(requestOf);
}

/** The answered questions of an item's attempts before `attempt`, oldest first. */
export async function answeredBefore(
  tx: ReadTx,
  runId: string,
  itemId: string,
  attempt: number,
): Promise<QuestionRequest[]> {
  const rows = await tx.sql.all(
    `SELECT ${COLUMNS} FROM item_requests WHERE run_id = ? AND item_id = ? AND attempt < ? AND outcome = 'answered' ORDER BY attempt`,
    [runId, itemId, attempt],
  );
  return rows.map(requestOf).filter((request) => request.kind === 'question');
}

/** Open requests of a project's runs, or of one run, oldest first; with `all` those that ended, too. */
export async function listRequestRows(
  tx: ReadTx,
  page: { readonly project: string; readonly runId?: string; readonly all: boolean; readonly limit: number },
): Promise<ItemRequest[]> {
  const where = [
    'project = ?',
    ...(page.runId === undefined ? [] : ['run_id = ?']),
    ...(page.all ? [] : ['ended_at IS NULL']),
  ];
  const rows = await tx.sql.all(
    `SELECT ${COLUMNS} FROM item_requests WHERE ${where.join(' AND ')} ORDER BY asked_at, id LIMIT ?`,
    [page.project, ...(page.runId === undefined ? [] : [page.runId]), page.limit],
  );
  return rows.map(requestOf);
}

/** Bodies and records are JSON this program wrote in the same unit of work as the row. */
function requestOf(row: SqlRow): ItemRequest {
  const body: unknown = JSON.parse(String(row['body']));
  const record: unknown = typeof row['record'] === 'string' ? JSON.parse(row['record']) : null;
  const common = {
    runId: String(row['run_id']),
    id: String(row['id']),
    itemId: String(row['item_id']),
    ordinal: Number(row['ordinal']),
    attempt: Number(row['attempt']),
    hash: String(row['hash']) as ContentHash,
    askedAt: Number(row['asked_at']),
    expiresAt: row['expires_at'] === null ? null : Number(row['expires_at']),
    endedAt: row['ended_at'] === null ? null : Number(row['ended_at']),
    items: row['items'] === null ? null : Number(row['items']),
    actor: typeof row['actor'] === 'string' ? row['actor'] : null,
    isSettled: row['settled_at'] !== null,
  };
  switch (row['kind']) {
    case 'question':
      return {
        ...common,
        kind: 'question',
        question: body as Question,
        patch: typeof row['patch'] === 'string' ? (row['patch'] as ContentHash) : null,
        outcome: row['outcome'] as QuestionRequest['outcome'],
        answer: record as AnswerRecord | null,
      };
    case 'approval':
      return {
        ...common,
        kind: 'approval',
        manifest: body as ApprovalManifest,
        outcome: row['outcome'] as ApprovalRequest['outcome'],
        decided: record as ApprovalRecord | null,
      };
    default:
      throw new PalisadeError('internal', `unknown kind of request ${String(row['kind'])}`);
  }
}
