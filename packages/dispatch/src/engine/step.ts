import { faultPoint, newId, PalisadeError, type RunState } from '@palisade/contracts';
import type { WriteTx } from '@palisade/kernel';
import {
  finishRootRun,
  holdRun,
  insertChildRun,
  moveRootRun,
  putDocument,
  readControl,
  runStream,
} from '@palisade/runs';
import { acquireLocks, enqueueForLocks, releaseLocks, releaseRunLocks } from '../locks/lock-store.ts';
import { goesOnWith } from '../requests/goes-on-with.ts';
import { isParked } from '../requests/parked.ts';
import { requestApprovals } from '../requests/request-approvals.ts';
import { openOf } from '../requests/request-store.ts';
import { settleRequests } from '../requests/settle-requests.ts';
import { type AttemptInput, inputsOf } from './attempt-inputs.ts';
import { manifestText } from './attempt-manifest.ts';
import { growFromWithin, NO_GROWTH } from './grow-from-within.ts';
import { itemCancels, markEnded, markFired } from './item-store.ts';
import { setUsage, slotsFor } from './queue-store.ts';
import { cancelWanted, reconcile, recordStart, skipDoomed } from './settle.ts';
import { Stage } from './stage.ts';
import type { Fired, StepInput, StepResult } from './step-types.ts';
import { clearRunTroubles, clearTroubles } from './trouble-store.ts';

/** Items whose end or start is recorded by one step: bounds the time the writer is held. */
export const STEP_ITEMS = 64;
/** Items that a step may put in line for locks, or fail for want of a product: with more, the step after it goes on. */
const STEP_OTHERS = 256;

/**
 * One step of one run: records attempts that ended, follows the consequences, starts what may start,
 * and ends the run when nothing is left, all in one unit of work guarded by the run's lease.
 */
export async function runStep(tx: WriteTx, input: StepInput): Promise<StepResult> {
  const { run, graph } = input;
  await tx.leases.assert(input.lease);
  const stream = runStream(run.id);
  const stage = new Stage(graph, input.doomed);
  const control = await readControl(tx, run.id);
  const stopping = control.cancel ?? input.damage ?? (input.overdue ? 'the run passed its deadline' : null);
  const wanted = new Set(control.seq === 0 ? [] : await itemCancels(tx, run.id));
  if (run.state === 'queued') await moveRootRun(tx, run.id, 'queued', 'running', tx.now);
  if (input.recovered !== null)
    await tx.journal.append(stream, 'run.recovered', { fence: input.lease.fence, ...input.recovered });

  const isDue = await settleRequests(tx, input, stage);
  for (const started of input.started) await recordStart(tx, input, stage, started);
  for (const ended of input.ended) {
    await reconcile(tx, input, stage, ended, stopping !== null || wanted.has(ended.ordinal));
  }
  const { stop, left } = await cancelWanted(tx, input, stage, stopping, wanted);
  const fired: Fired[] = [];
  const queued = new Map<number, number>();
  const isAsking = stopping === null && (await requestApprovals(tx, input, stage));
  const isCut = stopping === null && !(await fire(tx, input, stage, fired, queued));
  const tried = stage.freed.length;
  // What has to stop is canceled, whatever it waited for.
  if (stopping === null) await skipDoomed(tx, input, stage);
  else stage.doomed.length = 0;
  const growth = stopping === null ? await growFromWithin(tx, input, stage) : NO_GROWTH;

  // The step itself is the proof that the run goes on; an item does when its attempt has ended.
  const ends = new Set<string | null>(input.ended.map(({ ordinal }) => graph.item(ordinal).id)).add(null);
  const relieved = [...input.troubled].filter((item) => ends.has(item));
  await clearTroubles(tx, run.id, relieved);
  const used = stage.count('running');
  if (used !== input.used) await setUsage(tx, run.queue, run.id, used);
  const moved = await park(tx, input, growth.parts === 0 && isParked(graph, stage));
  const isOver = growth.parts === 0 && stage.isFinished;
  const openness =
    isOver && run.isOpenEnded && input.damage === null ? await holdRun(tx, run.id, false) : undefined;
  const hasUnseen = openness !== undefined && openness.parts > graph.parts;
  const isOpen = openness !== undefined && !openness.isClosed;
  const mayEnd = isOver && !hasUnseen && !(isOpen && stopping === null);
  const finished = mayEnd ? await complete(tx, input, stage, control.cancel, isOpen) : null;
  const waits = stage.count('needs_input') > 0;
  return {
    now: tx.now,
    changes: stage.changes(),
    freed: stage.freed,
    fired,
    queued,
    used,
    relieved,
    controlSeq: control.seq,
    stop,
    doomed: stage.doomed,
    hasGrown: growth.parts > 0 || hasUnseen,
    more: left || isCut || isDue || isAsking || stage.doomed.length > 0 || stage.freed.length > tried,
    finished,
    state: finished ?? moved,
    expiresAt: waits ? (await openOf(tx, run.id)).expiresAt : null,
  };
}

/** A run of which nothing goes on but for an answer is `waiting`, and says so by its state. */
async function park(tx: WriteTx, { run }: StepInput, parked: boolean): Promise<RunState> {
  const before = run.state === 'queued' ? 'running' : run.state;
  const state = parked ? 'waiting' : 'running';
  if (state !== before) await moveRootRun(tx, run.id, before, state, tx.now);
  return state;
}

/** Starts what may start; false when the step's bound left candidates that were not looked at. */
async function fire(
  tx: WriteTx,
  input: StepInput,
  stage: Stage,
  fired: Fired[],
  queued: Map<number, number>,
): Promise<boolean> {
  const { run, graph } = input;
  let room: number | undefined;
  let others = 0;
  faultPoint('fire.before-intent');
  for (const i of candidates(input, stage)) {
    room ??= await roomFor(tx, input, stage);
    if (fired.length >= room) return true;
    if (others >= STEP_OTHERS) return false;
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
      others++;
      continue;
    }
    // A person decides it, and is asked without a slot.
    if (item.approval !== undefined) continue;
    if (item.locks.length > 0) {
      const ticket = input.waiting.get(i) ?? null;
      if (!(await acquireLocks(tx, run.id, item.id, item.locks, ticket))) {
        if (ticket === null) {
          queued.set(i, await enqueueForLocks(tx, run.id, item.id, item.locks));
          others++;
        }
        continue;
      }
    }
    fired.push(await intend(tx, input, stage, i, inputs));
  }
  return true;
}

/** Attempts this step may start: what the queue and the plan leave free, and no more than {@link STEP_ITEMS}. */
async function roomFor(tx: WriteTx, { run, graph }: StepInput, stage: Stage): Promise<number> {
  const limit = graph.plan.concurrency ?? Number.POSITIVE_INFINITY;
  const slots = Math.min(await slotsFor(tx, run.queue, run.id), limit) - stage.count('running');
  return Math.min(slots, STEP_ITEMS);
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
  const definition = graph.agent(item.agent.hash);
  const { earlier, answers } = await goesOnWith(tx, run.id, item.id, definition, attempt);
  const deadlineAt = Math.min(tx.now + item.timeoutMs, run.deadlineAt ?? Number.POSITIVE_INFINITY);
  const manifest = manifestText({
    run,
    definition,
    item,
    attempt,
    childRunId,
    firedAt: tx.now,
    deadlineAt,
    inputs,
    earlier,
    answers,
  });
  const manifestRef = await putDocument(tx, run.id, manifest);
  await insertChildRun(tx, {
    id: childRunId,
    rootRunId: run.id,
    kind: definition?.run.harness === 'command' ? 'command' : 'agent',
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
  return { ordinal: i, childRunId, attempt, deadlineAt, inputs, earlier, answers };
}

async function complete(
  tx: WriteTx,
  input: StepInput,
  stage: Stage,
  cancel: string | null,
  isOpen: boolean,
): Promise<RunState> {
  const { run, graph } = input;
  faultPoint('complete.before-commit');
  const isGood = graph.isGood((i) => stage.facts(i));
  const stopped = stage.count('canceled') > 0 || (isGood && isOpen);
  const state =
    isGood && !isOpen
      ? 'completed'
      : cancel !== null && stopped
        ? 'canceled'
        : input.overdue && stopped && input.damage === null
          ? 'timed_out'
          : 'failed';
  const counts = Object.fromEntries(
    (['done', 'failed', 'skipped', 'canceled', 'denied'] as const)
      .map((s) => [s, stage.count(s)])
      .filter(([, n]) => n !== 0),
  );
  const reason =
    state === 'canceled'
      ? cancel
      : state === 'timed_out'
        ? 'the run passed its deadline'
        : state === 'failed'
          ? (input.damage ?? growthFault(stage, graph.size))
          : null;
  await tx.journal.append(runStream(run.id), 'run.completed', {
    run: run.id,
    status: state,
    counts,
    ...(reason === null ? {} : { reason }),
  });
  await tx.journal.seal(runStream(run.id));
  if (!(await finishRootRun(tx, run.id, state, reason)))
    throw new PalisadeError('lease_conflict', `run ${run.id} has already ended`);
  if (graph.hasLocks || input.damage !== null) await releaseRunLocks(tx, run.id);
  await clearRunTroubles(tx, run.id);
  await tx.leases.release(input.lease);
  return state;
}

/** What kept the run from growing as its plan wanted, if anything did. */
function growthFault(stage: Stage, size: number): string | null {
  for (let i = 0; i < size; i++) {
    const { growthFault: fault, settledBy } = stage.facts(i);
    if (fault !== null && settledBy === null) return fault;
  }
  return null;
}
