import { faultPoint, limits, newId, PalisadeError, type RunState, truncateText } from '@palisade/contracts';
import type { Lease, WriteTx } from '@palisade/kernel';
import {
  type AttemptEnd,
  finishChildRun,
  finishRootRun,
  insertChildRun,
  moveRootRun,
  putDocument,
  type RootRun,
  readControl,
  runStream,
} from '@palisade/runs';
import { acquireLocks, enqueueForLocks, releaseLocks, releaseRunLocks } from '../locks/lock-store.ts';
import { type AttemptInput, inputsOf } from './attempt-inputs.ts';
import { manifestText } from './attempt-manifest.ts';
import { itemCancels, markEnded, markFired, markRetrying } from './item-store.ts';
import type { ItemFacts, PlanGraph } from './plan-graph.ts';
import { setUsage, slotsFor } from './queue-store.ts';
import { Stage } from './stage.ts';

/** Items whose end or start is recorded by one step: bounds the time the writer is held. */
export const STEP_ITEMS = 64;
/** Items canceled or skipped by one step: with more, the step after it goes on. */
const SETTLE_ITEMS = 512;
/** Attempts that may vanish before an item is given up, whatever its retry policy says. */
const MAX_LOST = 5;
const REASON_CHARS = 2_000;

export interface AttemptEnded {
  readonly ordinal: number;
  readonly childRunId: string;
  readonly end: AttemptEnd;
}

export interface StepInput {
  readonly run: RootRun;
  readonly lease: Lease;
  readonly graph: PlanGraph;
  readonly ended: readonly AttemptEnded[];
  /** Items that may start, oldest first; those in line for locks are in `waiting` instead. */
  readonly ready: Iterable<number>;
  /** Items first in every line of this run, with their tickets. */
  readonly waiting: ReadonlyMap<number, number>;
  /** True for an item that has a ticket, first in its lines or not. */
  readonly isQueued: (ordinal: number) => boolean;
  /** Items behind one that did not end `done`, not settled yet. */
  readonly doomed: readonly Doomed[];
  /** Slots recorded for this run so far. */
  readonly used: number;
  /** The run-level deadline passed. */
  readonly overdue: boolean;
  readonly recovered: { readonly adopted: number; readonly reattached: number; readonly lost: number } | null;
  readonly random: () => number;
}

/** An item that can never start, and the one it waited for. */
export interface Doomed {
  readonly ordinal: number;
  readonly because: string;
}

export interface Fired {
  readonly ordinal: number;
  readonly childRunId: string;
  readonly attempt: number;
  readonly deadlineAt: number;
  readonly inputs: readonly AttemptInput[];
}

export interface StepResult {
  /** Protected time of the step: back-offs and deadlines are compared with it, never with a clock that may jump. */
  readonly now: number;
  readonly changes: ReadonlyMap<number, ItemFacts>;
  readonly freed: readonly number[];
  readonly fired: readonly Fired[];
  /** Items that drew a ticket in this step. */
  readonly queued: ReadonlyMap<number, number>;
  readonly used: number;
  readonly controlSeq: number;
  /** Items whose attempt is to be stopped now. */
  readonly stop: readonly number[];
  /** What is left to be skipped by the next step. */
  readonly doomed: readonly Doomed[];
  /** More could be settled at once. */
  readonly more: boolean;
  readonly finished: RunState | null;
}

/**
 * One step of one run: records attempts that ended, follows the consequences, starts what may start,
 * and ends the run when nothing is left, all in one unit of work guarded by the run's lease.
 */
export async function runStep(tx: WriteTx, input: StepInput): Promise<StepResult> {
  const { run, graph } = input;
  await tx.leases.assert(input.lease);
  const stream = runStream(run.id);
  const stage = new Stage(graph);
  const control = await readControl(tx, run.id);
  const stopping = control.cancel ?? (input.overdue ? 'the run passed its deadline' : null);
  const wanted = new Set(control.seq === 0 ? [] : await itemCancels(tx, run.id));
  if (run.state === 'queued') await moveRootRun(tx, run.id, 'queued', 'running', tx.now);
  if (input.recovered !== null)
    await tx.journal.append(stream, 'run.recovered', { fence: input.lease.fence, ...input.recovered });

  const doomed: Doomed[] = [...input.doomed];
  for (const ended of input.ended) {
    await reconcile(tx, input, stage, ended, stopping !== null || wanted.has(ended.ordinal), doomed);
  }
  const { stop, left } = await cancelWanted(tx, input, stage, stopping, wanted, doomed);
  const fired: Fired[] = [];
  const queued = new Map<number, number>();
  if (stopping === null) await fire(tx, input, stage, fired, queued, doomed);
  await skipDoomed(tx, input, stage, doomed);

  const used = stage.count('running');
  if (used !== input.used) await setUsage(tx, run.queue, run.id, used);
  const finished = stage.isFinished ? await complete(tx, input, stage, control.cancel) : null;
  return {
    now: tx.now,
    changes: stage.changes(),
    freed: stage.freed,
    fired,
    queued,
    used,
    controlSeq: control.seq,
    stop,
    doomed,
    more: left || doomed.length > 0,
    finished,
  };
}

/** Cancels what has not started and names what has; at most {@link SETTLE_ITEMS} a step. */
async function cancelWanted(
  tx: WriteTx,
  input: StepInput,
  stage: Stage,
  stopping: string | null,
  wanted: ReadonlySet<number>,
  doomed: Doomed[],
): Promise<{ readonly stop: readonly number[]; readonly left: boolean }> {
  const { run, graph } = input;
  const stop: number[] = [];
  if (stopping === null && wanted.size === 0) return { stop, left: false };
  let settled = 0;
  for (const i of stopping === null ? wanted : graph.plan.items.keys()) {
    const { state } = stage.facts(i);
    if (state === 'running') stop.push(i);
    if (state !== 'pending' && state !== 'ready') continue;
    if (settled++ >= SETTLE_ITEMS) return { stop, left: true };
    const item = graph.item(i);
    const reason = stopping ?? 'canceled on request';
    stage.set(i, { state: 'canceled' });
    await markEnded(tx, run.id, i, stage.facts(i), { code: 'canceled', reason });
    if (item.locks.length > 0) await releaseLocks(tx, run.id, item.id);
    await tx.journal.append(runStream(run.id), 'item.canceled', { item: item.id, reason });
    if (stopping === null) doom(graph, i, doomed);
  }
  return { stop, left: false };
}

async function reconcile(
  tx: WriteTx,
  input: StepInput,
  stage: Stage,
  ended: AttemptEnded,
  stopping: boolean,
  doomed: Doomed[],
): Promise<void> {
  const { run, graph } = input;
  const i = ended.ordinal;
  const before = stage.facts(i);
  // A result of an attempt that is not the item's present one changes nothing (FF-049).
  if (before.state !== 'running' || before.childRunId !== ended.childRunId) return;
  const { end } = ended;
  const item = graph.item(i);
  const failures = before.failures + (end.outcome === 'failed' || end.outcome === 'timed_out' ? 1 : 0);
  // Stopped by somebody else than us (an operator's signal) is work that vanished, unless we asked for it.
  const vanished = end.outcome === 'lost' || (end.outcome === 'canceled' && !stopping);
  const lost = before.lost + (vanished ? 1 : 0);
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
    product: status === 'retrying' ? null : end.product,
  });
  const reason = end.reason === undefined ? null : truncateText(end.reason, REASON_CHARS);
  const code = end.code ?? null;
  const isFirst = await finishChildRun(tx, ended.childRunId, {
    state: CHILD_STATE[end.outcome],
    outcome: end.outcome,
    code,
    reason,
    product: JSON.stringify(end.product),
  });
  if (!isFirst) throw new PalisadeError('lease_conflict', `attempt ${ended.childRunId} has already ended`);
  if (status === 'retrying') await markRetrying(tx, run.id, i, stage.facts(i), { code, reason });
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
  });
  if (status === 'failed' || status === 'canceled') doom(graph, i, doomed);
}

const CHILD_STATE = {
  succeeded: 'completed',
  failed: 'failed',
  timed_out: 'timed_out',
  canceled: 'canceled',
  lost: 'failed',
} as const satisfies Record<AttemptEnd['outcome'], RunState>;

function nextStatus(
  end: AttemptEnd,
  stopping: boolean,
  mayRetry: boolean,
): 'done' | 'failed' | 'canceled' | 'retrying' {
  if (end.outcome === 'succeeded') return 'done';
  if (stopping) return 'canceled';
  if (end.outcome === 'canceled' || end.outcome === 'lost') return mayRetry ? 'retrying' : 'failed';
  return end.retryable && mayRetry ? 'retrying' : 'failed';
}

function doom(graph: PlanGraph, cause: number, doomed: Doomed[]): void {
  const because = graph.item(cause).id;
  for (const ordinal of graph.dependents(cause)) doomed.push({ ordinal, because });
}

/** Skips what can no longer run, in one pass over the edges (DI-179); at most {@link SETTLE_ITEMS} a step. */
async function skipDoomed(tx: WriteTx, input: StepInput, stage: Stage, doomed: Doomed[]): Promise<void> {
  const { run, graph } = input;
  for (let settled = 0; settled < SETTLE_ITEMS; ) {
    const next = doomed.pop();
    if (next === undefined) return;
    const { ordinal, because } = next;
    if (stage.facts(ordinal).state !== 'pending') continue;
    settled++;
    stage.set(ordinal, { state: 'skipped' });
    const end = { code: null, reason: `${because} did not finish` };
    await markEnded(tx, run.id, ordinal, stage.facts(ordinal), end);
    await tx.journal.append(runStream(run.id), 'item.skipped', { item: graph.item(ordinal).id, because });
    for (const d of graph.dependents(ordinal)) doomed.push({ ordinal: d, because });
  }
}

async function fire(
  tx: WriteTx,
  input: StepInput,
  stage: Stage,
  fired: Fired[],
  queued: Map<number, number>,
  doomed: Doomed[],
): Promise<void> {
  const { run, graph } = input;
  const limit = graph.plan.concurrency ?? Number.POSITIVE_INFINITY;
  const slots = Math.min(await slotsFor(tx, run.queue, run.id), limit) - stage.count('running');
  const room = Math.min(slots, STEP_ITEMS);
  faultPoint('fire.before-intent');
  for (const i of candidates(input, stage)) {
    if (fired.length >= room) return;
    // One item has one ticket: a second one would wait behind the first for ever.
    if (queued.has(i) || (input.isQueued(i) && !input.waiting.has(i))) continue;
    const facts = stage.facts(i);
    if ((facts.state !== 'pending' && facts.state !== 'ready') || facts.nextAttemptAt > tx.now) continue;
    const item = graph.item(i);
    const inputs = inputsOf(graph, item, (ordinal) => stage.facts(ordinal));
    if (typeof inputs === 'string') {
      stage.set(i, { state: 'failed' });
      await markEnded(tx, run.id, i, stage.facts(i), { code: 'requirements_unmet', reason: inputs });
      await tx.journal.append(runStream(run.id), 'item.failed', {
        item: item.id,
        code: 'requirements_unmet',
        reason: inputs,
      });
      if (item.locks.length > 0) await releaseLocks(tx, run.id, item.id);
      doom(graph, i, doomed);
      continue;
    }
    if (item.locks.length > 0) {
      const ticket = input.waiting.get(i) ?? null;
      if (!(await acquireLocks(tx, run.id, item.id, item.locks, ticket))) {
        if (ticket === null) queued.set(i, await enqueueForLocks(tx, run.id, item.id, item.locks));
        continue;
      }
    }
    fired.push(await intend(tx, input, stage, i, inputs));
  }
}

/** Oldest first: items in line for locks, then those that were ready, then those this step set free. */
function* candidates(input: StepInput, stage: Stage): Iterable<number> {
  yield* input.waiting.keys();
  yield* input.ready;
  yield* stage.freed;
}

/** Commits the intent of one attempt: manifest, child run, item state and event, before any effect. */
async function intend(
  tx: WriteTx,
  input: StepInput,
  stage: Stage,
  i: number,
  inputs: readonly AttemptInput[],
): Promise<Fired> {
  const { run, graph } = input;
  const item = graph.item(i);
  const attempt = stage.facts(i).attempt + 1;
  const childRunId = newId('run');
  const deadlineAt = Math.min(tx.now + item.timeoutMs, run.deadlineAt ?? Number.POSITIVE_INFINITY);
  const manifest = manifestText({
    run,
    plan: graph.plan,
    item,
    attempt,
    childRunId,
    firedAt: tx.now,
    deadlineAt,
    inputs,
  });
  const manifestRef = await putDocument(tx, manifest);
  await insertChildRun(tx, {
    id: childRunId,
    rootRunId: run.id,
    kind: graph.plan.agents[item.agent.hash]?.run.harness === 'command' ? 'command' : 'agent',
    itemId: item.id,
    attempt,
    title: item.title,
    queue: run.queue,
    actor: run.actor,
    deadlineAt,
    manifestRef,
  });
  await markFired(tx, run.id, i, attempt, childRunId);
  stage.set(i, { state: 'running', attempt, childRunId, nextAttemptAt: 0 });
  await tx.journal.append(runStream(run.id), 'item.fired', {
    item: item.id,
    attempt,
    run: childRunId,
    manifest_ref: manifestRef,
    ...(item.locks.length === 0 ? {} : { holds: [...item.locks] }),
  });
  return { ordinal: i, childRunId, attempt, deadlineAt, inputs };
}

async function complete(
  tx: WriteTx,
  input: StepInput,
  stage: Stage,
  cancel: string | null,
): Promise<RunState> {
  const { run, graph } = input;
  faultPoint('complete.before-commit');
  const stopped = stage.count('canceled') > 0;
  const state =
    stage.count('done') === graph.size
      ? 'completed'
      : cancel !== null && stopped
        ? 'canceled'
        : input.overdue && stopped
          ? 'timed_out'
          : 'failed';
  const counts = Object.fromEntries(
    (['done', 'failed', 'skipped', 'canceled', 'denied'] as const)
      .map((s) => [s, stage.count(s)])
      .filter(([, n]) => n !== 0),
  );
  const reason = state === 'canceled' ? cancel : state === 'timed_out' ? 'the run passed its deadline' : null;
  await tx.journal.append(runStream(run.id), 'run.completed', {
    run: run.id,
    status: state,
    counts,
    ...(reason === null ? {} : { reason }),
  });
  await tx.journal.seal(runStream(run.id));
  await finishRootRun(tx, run.id, state, reason);
  if (graph.hasLocks) await releaseRunLocks(tx, run.id);
  await tx.leases.release(input.lease);
  return state;
}
