import { faultPoint, limits, newId, type RunState } from '@palisade/contracts';
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
/** Attempts that may vanish before an item is given up, whatever its retry policy says. */
const MAX_LOST = 5;

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
  /** Slots recorded for this run so far. */
  readonly used: number;
  /** The run-level deadline passed. */
  readonly overdue: boolean;
  readonly recovered: { readonly adopted: number; readonly reattached: number; readonly lost: number } | null;
  readonly random: () => number;
}

export interface Fired {
  readonly ordinal: number;
  readonly childRunId: string;
  readonly attempt: number;
  readonly deadlineAt: number;
  readonly inputs: readonly AttemptInput[];
}

export interface StepResult {
  readonly changes: ReadonlyMap<number, ItemFacts>;
  readonly freed: readonly number[];
  readonly fired: readonly Fired[];
  /** Items that drew a ticket in this step. */
  readonly queued: ReadonlyMap<number, number>;
  readonly used: number;
  readonly controlSeq: number;
  /** Items whose attempt is to be stopped now. */
  readonly stop: readonly number[];
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
  const doomed = new Set(control.seq === 0 ? [] : await itemCancels(tx, run.id));
  if (run.state === 'queued') await moveRootRun(tx, run.id, 'queued', 'running', tx.now);
  if (input.recovered !== null)
    await tx.journal.append(stream, 'run.recovered', { fence: input.lease.fence, ...input.recovered });

  for (const ended of input.ended) {
    await reconcile(tx, input, stage, ended, stopping !== null || doomed.has(ended.ordinal));
  }
  const stop: number[] = [];
  if (stopping !== null || doomed.size > 0) {
    const affected = stopping === null ? [...doomed] : graph.plan.items.map((_, i) => i);
    for (const i of affected) {
      const { state } = stage.facts(i);
      if (state === 'running') stop.push(i);
      if (state !== 'pending' && state !== 'ready') continue;
      stage.set(i, { state: 'canceled' });
      const reason = stopping ?? 'canceled on request';
      await markEnded(tx, run.id, i, stage.facts(i), { code: 'canceled', reason });
      if (graph.item(i).locks.length > 0) await releaseLocks(tx, run.id, graph.item(i).id);
      await tx.journal.append(stream, 'item.canceled', { item: graph.item(i).id, reason });
      if (stopping === null) await skipDependents(tx, input, stage, i);
    }
  }
  const fired: Fired[] = [];
  const queued = new Map<number, number>();
  if (stopping === null) await fire(tx, input, stage, fired, queued);

  const used = stage.count('running');
  if (used !== input.used) await setUsage(tx, run.queue, run.id, used);
  const finished = stage.isFinished ? await complete(tx, input, stage, control.cancel) : null;
  return {
    changes: stage.changes(),
    freed: stage.freed,
    fired,
    queued,
    used,
    controlSeq: control.seq,
    stop,
    finished,
  };
}

async function reconcile(
  tx: WriteTx,
  input: StepInput,
  stage: Stage,
  ended: AttemptEnded,
  stopping: boolean,
): Promise<void> {
  const { run, graph } = input;
  const i = ended.ordinal;
  const before = stage.facts(i);
  // A result of an attempt that is not the item's present one changes nothing (FF-049).
  if (before.state !== 'running' || before.childRunId !== ended.childRunId) return;
  const { end } = ended;
  const item = graph.item(i);
  const failures = before.failures + (end.outcome === 'failed' || end.outcome === 'timed_out' ? 1 : 0);
  const lost = before.lost + (end.outcome === 'lost' ? 1 : 0);
  const status = nextStatus(end, stopping, failures < item.maxAttempts && lost < MAX_LOST);
  const backoff = Math.min(limits.retryMaxMs, item.backoffMs * 2 ** Math.max(0, failures - 1));
  const nextAttemptAt =
    status === 'retrying' && end.outcome !== 'lost'
      ? tx.now + Math.ceil(backoff * (0.5 + input.random() / 2))
      : 0;
  stage.set(i, {
    state: status === 'retrying' ? 'ready' : status,
    failures,
    lost,
    nextAttemptAt,
    product: status === 'retrying' ? null : end.product,
  });
  const reason = end.reason ?? null;
  const code = end.code ?? null;
  await finishChildRun(tx, ended.childRunId, {
    state: CHILD_STATE[end.outcome],
    outcome: end.outcome,
    code,
    reason,
    product: JSON.stringify(end.product),
  });
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
  if (status === 'failed' || status === 'canceled') await skipDependents(tx, input, stage, i);
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
  // A worker stopped by somebody else than us (an operator's signal) counts as vanished work: try again.
  if (end.outcome === 'canceled' || end.outcome === 'lost') return mayRetry ? 'retrying' : 'failed';
  return end.retryable && mayRetry ? 'retrying' : 'failed';
}

/** Everything that can no longer run, in one pass over the edges (DI-179). */
async function skipDependents(tx: WriteTx, input: StepInput, stage: Stage, cause: number): Promise<void> {
  const { run, graph } = input;
  const because = graph.item(cause).id;
  const reach = [...graph.dependents(cause)];
  for (let next = reach.pop(); next !== undefined; next = reach.pop()) {
    if (stage.facts(next).state !== 'pending') continue;
    stage.set(next, { state: 'skipped' });
    await markEnded(tx, run.id, next, stage.facts(next), { code: null, reason: `${because} did not finish` });
    await tx.journal.append(runStream(run.id), 'item.skipped', { item: graph.item(next).id, because });
    for (const d of graph.dependents(next)) reach.push(d);
  }
}

async function fire(
  tx: WriteTx,
  input: StepInput,
  stage: Stage,
  fired: Fired[],
  queued: Map<number, number>,
): Promise<void> {
  const { run, graph } = input;
  const limit = graph.plan.concurrency ?? Number.POSITIVE_INFINITY;
  const slots = Math.min(await slotsFor(tx, run.queue, run.id), limit) - stage.count('running');
  const room = Math.min(slots, STEP_ITEMS);
  faultPoint('fire.before-intent');
  for (const i of candidates(input, stage)) {
    if (fired.length >= room) return;
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
      await skipDependents(tx, input, stage, i);
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
