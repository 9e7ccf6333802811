import { canonicalHash, PalisadeError } from '@palisade/contracts';
import type { Database, Receipts, Statements } from '../database/database.ts';

const SELECT =
  'SELECT fingerprint, answer, compacted FROM kernel_receipts WHERE scope = ? AND idempotency_key = ?';
const INSERT = `INSERT INTO kernel_receipts (scope, idempotency_key, fingerprint, answer, compacted, created_at)
VALUES (?, ?, ?, ?, 0, ?)`;
const COMPACT = `UPDATE kernel_receipts SET answer = NULL, compacted = 1 WHERE compacted = 0 AND created_at < ?
AND (scope, idempotency_key) IN (SELECT scope, idempotency_key FROM kernel_receipts
  WHERE compacted = 0 AND created_at < ? ORDER BY created_at LIMIT ?)`;

const COUNT_DUE = 'SELECT COUNT(*) AS n FROM kernel_receipts WHERE compacted = 0 AND created_at < ?';

interface ReceiptRow {
  readonly fingerprint: string;
  readonly answer: string | null;
  readonly compacted: number;
}

/**
 * Answers to mutations, kept with their effect in one transaction. Two transactions that execute the
 * same key at once collide on the primary key: one commits, the other runs again and replays.
 */
export class StoredReceipts implements Receipts {
  readonly #sql: Statements;
  readonly #now: number;

  constructor(sql: Statements, now: number) {
    this.#sql = sql;
    this.#now = now;
  }

  async once<T>(
    scope: string,
    key: string,
    request: unknown,
    execute: () => Promise<T>,
  ): Promise<{ readonly value: T; readonly replayed: boolean }> {
    const found = await this.find<T>(scope, key, request);
    if (found !== null) return { value: found.value, replayed: true };
    const value = await execute();
    const answer = value === undefined ? null : JSON.stringify(value);
    await this.#sql.run(INSERT, [scope, key, canonicalHash(request), answer, this.#now]);
    return { value, replayed: false };
  }

  async find<T>(scope: string, key: string, request: unknown): Promise<{ readonly value: T } | null> {
    const receipt = await this.#sql.get<ReceiptRow>(SELECT, [scope, key]);
    if (receipt === undefined) return null;
    if (receipt.fingerprint !== canonicalHash(request))
      throw new PalisadeError('idempotency_mismatch', 'the idempotency key was used for another request');
    if (receipt.compacted !== 0)
      throw new PalisadeError('idempotency_result_expired', 'the answer to this request is no longer kept');
    // No answer text means the operation answered nothing.
    return { value: (receipt.answer === null ? undefined : JSON.parse(receipt.answer)) as T };
  }
}

/** How many answers {@link compactReceipts} would forget. */
export async function countDueReceipts(database: Database, olderThan: number): Promise<number> {
  const row = await database.read((tx) => tx.sql.get<{ n: number }>(COUNT_DUE, [olderThan]));
  return row?.n ?? 0;
}

/**
 * Forgets answers older than `olderThan` (protected ms) and leaves tombstones, so that a late repeat is
 * refused instead of executed again. Housekeeping: small units of work of its own, never inside a
 * caller's (FF-084). Returns how many it compacted.
 */
export async function compactReceipts(
  database: Database,
  olderThan: number,
  { batch = 500, signal }: { readonly batch?: number; readonly signal?: AbortSignal } = {},
): Promise<number> {
  let total = 0;
  for (;;) {
    signal?.throwIfAborted();
    const changed = await database.write((tx) => tx.sql.run(COMPACT, [olderThan, olderThan, batch]));
    total += changed;
    if (changed < batch) return total;
  }
}
