import { limits, PalisadeError, type RunState, truncateText } from '@palisade/contracts';
import type { WriteTx } from '@palisade/kernel';
import { type AttemptEnd, finishChildRun, markStarted, runStream } from '@palisade/runs';
import type { StepAccount } from '../flow/account.ts';
import { releaseLocks } from '../locks/lock-store.ts';
import { ask } from '../requests/ask.ts';
import { withdraw } from '../requests/withdraw.ts';
import { heldToShape } from '../shapes/held-to-shape.ts';
import { markEnded, markRetrying, markWaiting } from './item-store.ts';
import type { Stage } from './stage.ts';
import type { AttemptEnded, AttemptStarted, StepInput } from './step-types.ts';

/** Items canceled or skipped by one step: with more, the step after it goes on. */
const SETTLE_ITEMS = 512;
/** Attempts that may vanish before an item is given up, whatever its retry policy says. */
const MAX_LOST = 5;
const REASON_CHARS = 2_000;

/** Cancels what has not started and names what has; at most {@link SETTLE_ITEMS} a step. */
export async function cancelWanted(
  tx: WriteTx,
  input: StepInput,
  stage: Stage,
  stopping: string | null,
  wanted: ReadonlySet<number>,
): Promise<{ readonly stop: readonly number[]; readonly left: boolean }> {
  const { graph } = input;
  const stop: number[] = [];
  if (stopping === null && wanted.size === 0) return { stop, left: false };
  let settled = 0;
  for (const i of stopping === null ? wanted : graph.items.keys()) {
    // Of an item of a part that is not taken up yet: the wish stays.
    if (i >= graph.size) continue;
    const { state } = stage.facts(i);
    if (state === 'running') stop.push(i);
    if (state !== 'pending' && state !== 'ready' && state !== 'needs_input') continue;
    if (settled++ >= SETTLE_ITEMS) return { stop, left: true };
    await cancelItem(tx, input, stage, i, stopping ?? 'canceled on request');
  }
  return { stop, left: false };
}

/** Cancels an item of which no program runs; who is asked about it is asked no more. */
export async function cancelItem(
  tx: WriteTx,
  { run, graph }: StepInput,
  stage: Stage,
  i: number,
  reason: string,
): Promise<void> {
  const item = graph.item(i);
  const isAsking = stage.facts(i).state === 'needs_input';
  const isTold = isAsking && (await withdraw(tx, run.id, item.id, reason));
  stage.set(i, { state: 'canceled' });
  await markEnded(tx, run.id, i, stage.facts(i), { code: 'canceled', reason });
  if (item.locks.length > 0) await releaseLocks(tx, run.id, item.id);
  if (!isTold) await tx.journal.append(runStream(run.id), 'item.canceled', { item: item.id, reason });
}

/**
 * Records who carries an attempt out, once: a new owner that found the process again tells the same. Without its
 * plan nobody knows the sandbox it was authorised for, and nothing is said.
 */
export async function recordStart(
  tx: WriteTx,
  { run, graph, damage }: StepInput,
  stage: Stage,
  { ordinal, childRunId, worker }: AttemptStarted,
): Promise<void> {
  const { state, childRunId: present, attempt } = stage.facts(ordinal);
  if (damage !== null || state !== 'running' || present !== childRunId) return;
  if (!(await markStarted(tx, childRunId, worker))) return;
  const { id, sandbox } = graph.item(ordinal);
  await tx.journal.append(runStream(run.id), 'item.started', {
    item: id,
    attempt,
    run: childRunId,
    sandbox: sandbox.provider,
    worker,
  });
}

/** Records one attempt's end and what it means for its item: done, tried again, failed or canceled. */
export async function reconcile(
  tx: WriteTx,
  input: StepInput,
  stage: Stage,
  ended: AttemptEnded,
  stopping: boolean,
  account: StepAccount,
): Promise<void> {
  const { run, graph } = input;
  const i = ended.ordinal;
  const before = stage.facts(i);
  // A result of an attempt that is not the item's present one changes nothing (FF-049).
  if (before.state !== 'running' || before.childRunId !== ended.childRunId) return;
  const item = graph.item(i);
  const end = heldToShape(item.shape, ended.end);
  const failures = before.failures + (end.outcome === 'failed' || end.outcome === 'timed_out' ? 1 : 0);
  // Stopped by somebody else than us (an operator's signal) is work that vanished, unless we asked for it.
  const vanished = end.outcome === 'lost' || (end.outcome === 'canceled' && !stopping);
  const lost = before.lost + (vanished ? 1 : 0);
  const { question } = end.product;
  const status = nextStatus(end, stopping, failures < item.maxAttempts && lost < MAX_LOST);
  // The first loss is tried again at once: it is nearly always a crash that is over.
  const earlier = vanished ? lost - 1 : failures;
  const backoff = earlier === 0 ? 0 : Math.min(limits.retryMaxMs, item.backoffMs * 2 ** (earlier - 1));
  const nextAttemptAt =
    status === 'retrying' && backoff > 0 ? tx.now + Math.ceil(backoff * (0.5 + input.random() / 2)) : 0;
  stage.set(i, {
    state: status === 'retrying' ? 'ready' : status,
    failures,
    lost,
    nextAttemptAt,
    product: status === 'retrying' || status === 'needs_input' ? null : end.product,
  });
  const reason = end.reason === undefined ? null : truncateText(end.reason, REASON_CHARS);
  const code = end.code ?? null;
  const charge = await finishChildRun(tx, ended.childRunId, {
    state: CHILD_STATE[end.outcome],
    outcome: end.outcome,
    exitCode: end.exitCode ?? null,
    code,
    reason,
    product: end.product,
    listed: end.listed,
  });
  if (charge === null)
    throw new PalisadeError('lease_conflict', `attempt ${ended.childRunId} has already ended`);
  account.end(i, item.budget !== undefined, item.maxCostMicroUsd ?? null, charge);
  const asks =
    status !== 'needs_input' || question === undefined
      ? null
      : await ask(tx, {
          run,
          itemId: item.id,
          ordinal: i,
          attempt: before.attempt,
          childRunId: ended.childRunId,
          question,
          product: end.product,
        });
  if (status === 'retrying') await markRetrying(tx, run.id, i, stage.facts(i), { code, reason });
  else if (status === 'needs_input') await markWaiting(tx, run.id, i, stage.facts(i));
  else await markEnded(tx, run.id, i, stage.facts(i), { code, reason });
  if (item.locks.length > 0) await releaseLocks(tx, run.id, item.id);
  await tx.journal.append(runStream(run.id), 'item.reconciled', {
    item: item.id,
    attempt: before.attempt,
    run: ended.childRunId,
    status,
    outcome: end.outcome,
    product: end.product,
    ...(end.posture.length === 0 ? {} : { posture: [...end.posture] }),
    ...(end.exitCode === undefined ? {} : { exit_code: end.exitCode }),
    ...(reason === null ? {} : { reason }),
    ...(code === null ? {} : { code }),
    ...(nextAttemptAt === 0 ? {} : { next_attempt_at: nextAttemptAt }),
    ...(asks === null ? {} : { asks }),
  });
}

const CHILD_STATE = {
  succeeded: 'completed',
  failed: 'failed',
  timed_out: 'timed_out',
  canceled: 'canceled',
  lost: 'failed',
  // It did what it could, and is over; its item goes on with another one.
  needs_input: 'completed',
} as const satisfies Record<AttemptEnd['outcome'], RunState>;

function nextStatus(
  end: AttemptEnd,
  stopping: boolean,
  mayRetry: boolean,
): 'done' | 'failed' | 'canceled' | 'retrying' | 'needs_input' {
  if (end.outcome === 'succeeded') return 'done';
  if (stopping) return 'canceled';
  // An executor that tells of no question has nothing that could be answered.
  if (end.outcome === 'needs_input') return end.product.question === undefined ? 'failed' : 'needs_input';
  if (end.outcome === 'canceled' || end.outcome === 'lost') return mayRetry ? 'retrying' : 'failed';
  return end.retryable && mayRetry ? 'retrying' : 'failed';
}

/** Skips what can no longer run, in one pass over the edges (DI-179); at most {@link SETTLE_ITEMS} a step. */
export async function skipDoomed(tx: WriteTx, input: StepInput, stage: Stage): Promise<void> {
  const { run, graph } = input;
  for (let settled = 0; settled < SETTLE_ITEMS; ) {
    const next = stage.doomed.pop();
    if (next === undefined) return;
    const { ordinal, because } = next;
    if (stage.facts(ordinal).state !== 'pending') continue;
    settled++;
    stage.set(ordinal, { state: 'skipped' }, because);
    const end = { code: null, reason: `${because} did not finish` };
    await markEnded(tx, run.id, ordinal, stage.facts(ordinal), end);
    await tx.journal.append(runStream(run.id), 'item.skipped', { item: graph.item(ordinal).id, because });
  }
}
