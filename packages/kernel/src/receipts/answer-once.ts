import { type CallContext, isPalisadeError } from '@palisade/contracts';
import type { Database, WriteTx } from '../database/database.ts';
import { rehearse } from '../database/rehearse.ts';

/** Where the answer to one call is kept. */
export interface ReceiptKey {
  readonly scope: string;
  readonly key: string;
  /** Harness session that the call is bound to: under another one it is another call (AO-041). */
  readonly session?: string;
  /** Reporter that calls. It has a scope of its own: nobody else has its keys (AC-032). */
  readonly reporter?: string;
  /** The scope that it shared with the others of its principal in earlier versions. */
  readonly sharedScope?: string;
}

/** Where the answer to a call of an operation is kept, when its caller gave an idempotency key. */
export function receiptOf(
  { actor, caller, project, idempotencyKey }: CallContext,
  operation: string,
): ReceiptKey | undefined {
  if (idempotencyKey === undefined) return undefined;
  const scope = `${caller.principal ?? actor}|${project}|${operation}`;
  const { session, reporter } = caller;
  if (reporter !== undefined)
    return { scope: `${scope}|${reporter}`, key: idempotencyKey, reporter, sharedScope: scope };
  return { scope, key: idempotencyKey, ...(session === undefined ? {} : { session }) };
}

function fingerprinted({ session, reporter }: ReceiptKey, request: unknown): unknown {
  if (reporter !== undefined) return { reporter, request };
  return session === undefined ? request : { session, request };
}

/** The answer the same call was given before, or null when it is the first; nothing is executed. */
export async function answerBefore<T>(
  tx: WriteTx,
  receipt: ReceiptKey | undefined,
  request: unknown,
): Promise<T | null> {
  if (receipt === undefined) return null;
  return (await found<T>(tx, receipt, request))?.value ?? null;
}

async function found<T>(
  tx: WriteTx,
  receipt: ReceiptKey,
  request: unknown,
): Promise<{ readonly value: T } | null> {
  const { scope, key, sharedScope } = receipt;
  const same = fingerprinted(receipt, request);
  const own = await tx.receipts.find<T>(scope, key, same);
  if (own !== null || sharedScope === undefined) return own;
  try {
    return await tx.receipts.find<T>(sharedScope, key, same);
  } catch (error) {
    // Of another reporter, perhaps, who must not be able to use up this one's keys.
    if (isPalisadeError(error, 'idempotency_mismatch')) return null;
    throw error;
  }
}

/** Executes, or gives the first answer when the same call comes again. `request` is what makes two calls the same; it holds no secret. */
export async function answerOnce<T>(
  tx: WriteTx,
  receipt: ReceiptKey | undefined,
  request: unknown,
  execute: () => Promise<T>,
): Promise<T> {
  if (receipt === undefined) return execute();
  const before = receipt.sharedScope === undefined ? null : await found<T>(tx, receipt, request);
  if (before !== null) return before.value;
  return (await tx.receipts.once(receipt.scope, receipt.key, fingerprinted(receipt, request), execute)).value;
}

/** A call that may be repeated and may be a dry run. */
export interface Call {
  readonly receipt: ReceiptKey | undefined;
  /** What makes two calls the same; it holds no secret. */
  readonly request: unknown;
  /** Only tell the answer: nothing is kept, not even the answer. */
  readonly dryRun?: boolean | undefined;
  /** True when it takes authority away: that is done while the clock is not trusted too (AC-275). */
  readonly whilePaused?: boolean;
}

/**
 * {@link answerBefore} in a unit of work of its own; null of a dry run. For whoever asks or resolves something before they execute: a
 * repeat is answered whatever became of that.
 */
export async function answeredBefore<T>(
  database: Database,
  { receipt, request, dryRun }: Call,
): Promise<T | null> {
  if (receipt === undefined || dryRun === true) return null;
  return database.write((tx) => answerBefore<T>(tx, receipt, request));
}

/** {@link answerOnce} in a unit of work of its own; of a dry run, what it would answer now ({@link rehearse}). */
export async function answerOrRehearse<T>(
  database: Database,
  { receipt, request, dryRun, whilePaused = false }: Call,
  execute: (tx: WriteTx) => Promise<T>,
): Promise<T> {
  if (dryRun === true) return rehearse(database, execute);
  return database.write((tx) => answerOnce(tx, receipt, request, () => execute(tx)), { whilePaused });
}
