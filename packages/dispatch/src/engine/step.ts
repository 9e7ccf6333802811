import { type BudgetBreach, breachText, faultPoint, limits } from '@palisade/contracts';
import type { WriteTx } from '@palisade/kernel';
import { holdRun, putSpent, readControl, runStream } from '@palisade/runs';
import { StepAccount } from '../flow/account.ts';
import { messagesToHandOn } from '../channels/hand-on.ts';
import { recordDelivery } from '../channels/record-delivery.ts';
import { failOnBreach, recordBreach } from '../flow/breach.ts';
import { hold, NOT_HELD, settleState } from '../flow/hold.ts';
import { StepSlots } from '../flow/slots.ts';
import { acquireLocks, enqueueForLocks } from '../locks/lock-store.ts';
import { isParked } from '../requests/parked.ts';
import { requestApprovals } from '../requests/request-approvals.ts';
import { openOf } from '../requests/request-store.ts';
import { settleRequests } from '../requests/settle-requests.ts';
import type { Undecided } from './decisions.ts';
import { checkFire, decisionOn } from './fire-checks.ts';
import { growFromWithin } from './grow-from-within.ts';
import { complete } from './complete.ts';
import { intend } from './intend.ts';
import { itemCancels } from './item-store.ts';
import { cancelWanted, reconcile, recordStart, skipDoomed } from './settle.ts';
import { Stage } from './stage.ts';
import type { Fired, StepInput, StepResult } from './step-types.ts';
import { clearTroubles } from './trouble-store.ts';

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
  const account = new StepAccount(input.account, control.budget);
  const stopping =
    control.cancel ??
    input.damage ??
    (input.overdue ? 'the run passed its deadline' : control.breach && breachText(control.breach));
  const wanted = new Set(control.seq === 0 ? [] : await itemCancels(tx, run.id));
  if (input.recovered !== null)
    await tx.journal.append(stream, 'run.recovered', { fence: input.lease.fence, ...input.recovered });

  const isDue = await settleRequests(tx, input, stage);
  for (const started of input.started) await recordStart(tx, input, stage, started);
  for (const delivered of input.delivered) await recordDelivery(tx, input, stage, delivered);
  for (const ended of input.ended) {
    await reconcile(tx, input, stage, ended, stopping !== null || wanted.has(ended.ordinal), account);
  }
  // What people decided comes first: it is told to the ledger already.
  const { stop, left } = isDue
    ? { stop: [], left: true }
    : await cancelWanted(tx, input, stage, stopping, wanted);
  const starts: Started = { fired: [], queued: new Map(), undecided: [] };
  const { fired, queued, undecided } = starts;
  const mayStart = stopping === null && !control.isPaused;
  const isAsking = mayStart && (await requestApprovals(tx, input, stage));
  const slots = new StepSlots(tx, run, stage.count('running'), input.claim, () =>
    wishOf(input, stage, tx.now),
  );
  const fires: Fires =
    stopping !== null
      ? 'all'
      : control.isPaused
        ? 'held'
        : await fire(tx, input, stage, account, slots, starts);
  const breach = stopping === null ? breachNow(fires, stage, account) : null;
  if (breach !== null) await recordBreach(tx, run.id, breach);
  const tried = stage.freed.length;
  // What has to stop is canceled, whatever it waited for.
  if (stopping === null) await skipDoomed(tx, input, stage);
  else stage.doomed.length = 0;
  const hasGrown = stopping === null && (await growFromWithin(tx, input, stage));

  const relieved = relievedOf(input, stage, fired);
  await clearTroubles(tx, run.id, relieved);
  const used = stage.count('running');
  const wants = fires === 'full' || fires === 'cut' ? wishOf(input, stage, tx.now) : 0;
  const claim = await slots.settle(input.used, used, wants, fired.length);
  const isSettled = !left && stage.doomed.length === 0 && !hasGrown && stage.freed.length === tried;
  if (account.isShown) await putSpent(tx, run.id, account.spent);
  const isHeld = fires === 'held' || (typeof fires === 'object' && breach === null);
  const held =
    isHeld && !stage.isFinished
      ? await hold(tx, run, input.lease, control.seq, {
          hasTickets: input.waiting.size > 0,
          canRest: fires === 'held' && used === 0 && isSettled,
        })
      : NOT_HELD;
  const isParkedNow = !hasGrown && isParked(graph, stage);
  const state = await settleState(tx, run, held.isAtRest, isParkedNow, stage.changes().size > 0);
  const isOver = !hasGrown && stage.isFinished;
  const openness = isOver && run.isOpenEnded ? await holdRun(tx, run.id, false) : undefined;
  const hasUnseen = input.damage === null && openness !== undefined && openness.parts > graph.parts;
  const isOpen = openness !== undefined && !openness.isClosed;
  const mayEnd = isOver && !hasUnseen && !(isOpen && stopping === null);
  const finished = mayEnd ? await complete(tx, input, stage, control, isOpen) : null;
  const waits = stage.count('needs_input') > 0;
  return {
    now: tx.now,
    changes: stage.changes(),
    freed: stage.freed,
    fired,
    queued,
    undecided,
    used,
    relieved,
    controlSeq: control.seq,
    messages: await messagesToHandOn(tx, input, stage, fired, control.seq),
    stop,
    doomed: stage.doomed,
    hasGrown: hasGrown || hasUnseen,
    more:
      left ||
      fires === 'cut' ||
      breach !== null ||
      isDue ||
      isAsking ||
      stage.doomed.length > 0 ||
      stage.freed.length > tried,
    held,
    claim,
    account: account.after,
    finished,
    state: finished ?? state,
    expiresAt: waits ? (await openOf(tx, run.id)).expiresAt : null,
  };
}

/** Whose trouble is over: that of the run, for the step itself is the proof, and of items whose attempt has ended or begins. */
function relievedOf({ graph, ended, troubled }: StepInput, stage: Stage, fired: readonly Fired[]) {
  const moved = [...ended, ...fired].map(({ ordinal }) => ordinal);
  const ids = new Set<string | null>([...moved, ...stage.ended].map((i) => graph.item(i).id)).add(null);
  return [...troubled].filter((item) => ids.has(item));
}

/** What a step starts, puts in line for locks, and cannot start before somebody decided. */
interface Started {
  readonly fired: Fired[];
  readonly queued: Map<number, number>;
  readonly undecided: Undecided[];
}

/** How far a step came with what could start; a limit of the run that let nothing more of it start. */
type Fires = 'all' | 'full' | 'cut' | 'held' | BudgetBreach;

/** The limit that ends the run: nothing under way can make room for what waits, or what runs is to be stopped. */
function breachNow(fires: Fires, stage: Stage, account: StepAccount): BudgetBreach | null {
  if (typeof fires === 'object' && stage.count('running') === 0) return fires;
  return stage.isFinished ? null : account.stoppingBreach();
}

/**
 * Starts what may start. `full`: a further candidate waits for a slot, or for a decision; `cut`: the step's bound left candidates that were not looked at; `held`: there are
 * candidates and nothing of the queue may start.
 */
async function fire(
  tx: WriteTx,
  input: StepInput,
  stage: Stage,
  account: StepAccount,
  slots: StepSlots,
  { fired, queued, undecided }: Started,
): Promise<Fires> {
  const { run, graph } = input;
  let room: number | null | undefined;
  let others = 0;
  faultPoint('fire.before-intent');
  for (const i of candidates(input, stage)) {
    if (room === undefined) room = await roomFor(slots, input, stage);
    if (room === null) return 'held';
    if (fired.length >= room) return 'full';
    if (others >= STEP_OTHERS) return 'cut';
    // One item has one ticket: a second one would wait behind the first for ever.
    if (queued.has(i) || (input.isQueued(i) && !input.waiting.has(i))) continue;
    const facts = stage.facts(i);
    if ((facts.state !== 'pending' && facts.state !== 'ready') || facts.nextAttemptAt > tx.now) continue;
    const item = graph.item(i);
    const next = item.maxCostMicroUsd ?? null;
    const runBreach = item.approval === undefined ? account.runBreach(next) : null;
    if (runBreach !== null) return runBreach;
    const itemBreach = item.budget === undefined ? null : account.itemBreach(i, item.budget, next);
    if (itemBreach !== null) {
      await failOnBreach(tx, run.id, stage, i, item, itemBreach);
      others++;
      continue;
    }
    const checked = await checkFire(tx, input, stage, i);
    if (checked.what === 'approval' || checked.what === 'waits') continue;
    if (checked.what === 'ended') {
      others++;
      continue;
    }
    if (checked.what === 'undecided') {
      undecided.push(checked.undecided);
      if (undecided.length >= limits.authorizeAtOnce) break;
      continue;
    }
    if (item.locks.length > 0) {
      const ticket = input.waiting.get(i) ?? null;
      if (!(await acquireLocks(tx, run, item.id, item.locks, ticket))) {
        if (ticket === null) {
          queued.set(i, await enqueueForLocks(tx, run, item.id, item.locks));
          others++;
        }
        continue;
      }
    }
    account.start(i, item.budget !== undefined, next);
    fired.push(await intend(tx, input, stage, i, checked));
  }
  return undecided.length === 0 ? 'all' : 'full';
}

/** Further items that could start now if there were slots, and not those that nobody can be asked about: at most {@link STEP_ITEMS}, and what the plan lets run at once. */
function wishOf(input: StepInput, stage: Stage, now: number): number {
  const limit = input.graph.plan.concurrency ?? Number.POSITIVE_INFINITY;
  const most = Math.min(STEP_ITEMS, limit - stage.count('running'));
  let wish = 0;
  for (const i of candidates(input, stage)) {
    if (wish >= most) break;
    const { state, nextAttemptAt } = stage.facts(i);
    if ((state !== 'pending' && state !== 'ready') || nextAttemptAt > now) continue;
    if (decisionOn(input, stage, i, now).decision !== 'failing') wish++;
  }
  return wish;
}

/** Attempts this step may start: what queue and plan leave free, and no more than {@link STEP_ITEMS}; null while the queue is paused. */
async function roomFor(slots: StepSlots, { graph }: StepInput, stage: Stage): Promise<number | null> {
  const limit = graph.plan.concurrency ?? Number.POSITIVE_INFINITY;
  const room = await slots.room();
  return room === null ? null : Math.min(room, limit - stage.count('running'), STEP_ITEMS);
}

/** Oldest first: items in line for locks, then those that were ready, then those this step set free. */
function* candidates(input: StepInput, stage: Stage): Iterable<number> {
  yield* input.waiting.keys();
  yield* input.ready;
  yield* stage.freed;
}
