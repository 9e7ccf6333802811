import { type EventData, ITEM_STATES, type ItemState, letsThrough } from '@palisade/contracts';
import { BudgetStory } from './budget-story.ts';
import { GrowthStory } from './growth-story.ts';
import type { LedgerEvent } from './ledger-event.ts';
import { MessageStory } from './message-story.ts';
import { RequestStory } from './request-rules.ts';
import { type RunEnds, statusProblem } from './run-status.ts';

/*
 * What a ledger must tell, entry by entry. The first entry is `run.submitted`, the last and only the
 * last is `run.completed`. An item is idle, in flight, or ended. `item.fired` takes an idle item in
 * flight with the next attempt number, counting from 1, under a child run no other attempt has.
 * `item.started` is said at most once of the attempt in flight. `item.reconciled` ends that attempt:
 * `retrying` makes the item idle again, anything else ends it. `item.skipped`, `item.canceled`,
 * `item.denied` (which an authorization says that lets nothing through) and `item.failed` end an idle item. Every item ends exactly once; the run's own
 * counts and status agree. `run.extended` adds items: because an item ended that it names, or from outside
 * while the run is open-ended and not closed. What `item.settled` says of growth is in `growth-story.ts`; what people
 * are asked is in `request-rules.ts`: an attempt that ended with a question leaves its item idle, but not free to be fired.
 * What is sent to a running agent is in `message-story.ts`. `run.paused` and `run.resumed` alternate, and nothing is fired between them.
 */

type EndState = Extract<ItemState, 'done' | 'failed' | 'skipped' | 'canceled' | 'denied'>;

interface ItemStory {
  attempts: number;
  inFlight: { readonly run: string; started: boolean } | null;
  end: EndState | null;
  /** Its last attempt left a negative verdict. */
  isRed: boolean;
  readonly requests: RequestStory;
  readonly messages: MessageStory;
}

type Report = (problem: string) => void;

/** Checks a ledger against the rules above and reports everything that breaks one. Linear. */
export function checkLedgerRules(runId: string, events: readonly LedgerEvent[], report: Report): void {
  const items = new Map<string, ItemStory>();
  const attemptRuns = new Set<string>();
  const messageIds = new Set<string>();
  const growth = new GrowthStory();
  const budget = new BudgetStory();
  const skippedBecause: { readonly item: string; readonly because: string; readonly seq: number }[] = [];
  let isPaused = false;
  for (const [index, event] of events.entries()) {
    const say: Report = (problem) => report(`entry ${event.seq}: ${problem}`);
    if ((event.type === 'run.submitted') !== (index === 0))
      say(index === 0 ? `the ledger starts with ${event.type}, not run.submitted` : 'a second run.submitted');
    if ((event.type === 'run.completed') !== (index === events.length - 1))
      say(
        event.type === 'run.completed'
          ? 'run.completed is not the last entry'
          : 'the ledger does not end with run.completed',
      );
    switch (event.type) {
      case 'run.submitted':
        if (event.data.run !== runId) say(`is about run ${event.data.run}`);
        growth.submit(event.data);
        budget.submit(event.data);
        break;
      case 'run.completed':
        if (event.data.run !== runId) say(`is about run ${event.data.run}`);
        break;
      case 'item.fired':
        fire(storyOf(items, event.data.item), event.data, attemptRuns, say);
        budget.fire(event.data, event.at, say);
        if (isPaused) say(`item ${event.data.item} was fired while the run was paused`);
        break;
      case 'run.paused':
      case 'run.resumed':
        if (isPaused === (event.type === 'run.paused'))
          say(`${event.type} of a run that ${isPaused ? 'was paused' : 'was not paused'}`);
        isPaused = event.type === 'run.paused';
        break;
      case 'item.answered':
        storyOf(items, event.data.item).requests.answer(event.data, say);
        break;
      case 'item.message_sent': {
        const story = storyOf(items, event.data.item);
        story.messages.send(event.data, story.end !== null, messageIds, say);
        break;
      }
      case 'item.messages_delivered':
      case 'item.approval_requested':
      case 'item.decided': {
        const story = storyOf(items, event.data.item);
        if (story.inFlight?.run !== event.data.run || story.attempts !== event.data.attempt)
          say(`${event.type} of item ${event.data.item}, which has no such attempt in flight`);
        if (event.type === 'item.messages_delivered') story.messages.deliver(event.data, say);
        else if (event.type === 'item.decided') story.requests.decide(runId, event, say);
        else {
          story.requests.request(event.data, story.inFlight?.started === true, say);
          budget.ask(event.data);
        }
        break;
      }
      case 'item.started':
      case 'item.reconciled':
        advance(runId, storyOf(items, event.data.item), event, say);
        if (event.type === 'item.reconciled') budget.reconcile(event.data, event.at);
        break;
      case 'item.skipped':
        skippedBecause.push({ ...event.data, seq: event.seq });
        end(storyOf(items, event.data.item), 'skipped', event.data.item, say);
        break;
      case 'item.canceled':
        end(storyOf(items, event.data.item), 'canceled', event.data.item, say);
        break;
      case 'item.denied':
        checkDenial(event, say);
        end(storyOf(items, event.data.item), 'denied', event.data.item, say);
        break;
      case 'item.failed':
        end(storyOf(items, event.data.item), 'failed', event.data.item, say);
        budget.fail(event.data, say);
        break;
      case 'run.budget_set':
        budget.set(event.data, say);
        break;
      case 'run.budget_exceeded':
        budget.exceed(event.data, say);
        break;
      case 'run.extended': {
        const { cause } = event.data;
        if (cause !== undefined && (items.get(cause)?.end ?? null) === null)
          say(`the run grew because of item ${cause}, which had not ended`);
        growth.extend(event.data, say);
        break;
      }
      case 'run.closed':
        growth.close(say);
        break;
      case 'item.settled':
        growth.settle(event.data, say);
        break;
      case 'item.growth_refused':
        growth.refuse(event.data.item);
        break;
      case 'run.cancel_requested':
      case 'run.recovered':
        break;
    }
  }
  for (const { item, because, seq } of skippedBecause) {
    const cause = items.get(because);
    if (cause === undefined || cause.end === null || (cause.end === 'done' && !cause.isRed))
      report(`entry ${seq}: item ${item} was skipped because of ${because}, which did not fail`);
  }
  checkTotals(items, growth, budget.isBroken, events, report);
}

function fire(story: ItemStory, data: EventData<'item.fired'>, attemptRuns: Set<string>, say: Report): void {
  if (story.end !== null) say(`item ${data.item} was fired after it had ended`);
  story.requests.fire(data, say);
  story.messages.fire();
  if (story.inFlight !== null)
    say(`item ${data.item} was fired while attempt ${story.attempts} was in flight`);
  if (data.attempt !== story.attempts + 1)
    say(`item ${data.item} was fired as attempt ${data.attempt}, expected ${story.attempts + 1}`);
  if (attemptRuns.has(data.run)) say(`run ${data.run} belongs to an earlier attempt`);
  attemptRuns.add(data.run);
  story.attempts = data.attempt;
  story.inFlight = { run: data.run, started: false };
}

function advance(
  runId: string,
  story: ItemStory,
  event: Extract<LedgerEvent, { readonly type: 'item.started' | 'item.reconciled' }>,
  say: Report,
): void {
  const { item, attempt, run } = event.data;
  const flight = story.inFlight;
  if (flight === null) {
    say(`${event.type} of item ${item}, which has no attempt in flight`);
    return;
  }
  if (attempt !== story.attempts || run !== flight.run)
    say(
      `${event.type} of item ${item} names attempt ${attempt} and run ${run}, in flight are ${story.attempts} and ${flight.run}`,
    );
  if (event.type === 'item.started') {
    if (flight.started) say(`item ${item} attempt ${attempt} was started twice`);
    flight.started = true;
    return;
  }
  if (event.data.status === 'done' && event.data.outcome !== 'succeeded')
    say(`item ${item} is done although its attempt ${event.data.outcome}`);
  story.requests.reconcile(runId, event.data, say);
  story.inFlight = null;
  story.isRed = event.data.product?.verify?.passed === false;
  const { status } = event.data;
  if (status !== 'retrying' && status !== 'needs_input') end(story, status, item, say);
}

/** Who denied it has to have done so, and what is let through is no denial (DI-194). */
function checkDenial(
  { data, at }: Extract<LedgerEvent, { readonly type: 'item.denied' }>,
  say: Report,
): void {
  if (letsThrough(data.authorization))
    say(`item ${data.item} was denied although its authorization lets it through`);
  if (data.authorization.at > at) say(`item ${data.item} was denied before it was decided`);
}

function end(story: ItemStory, state: EndState, item: string, say: Report): void {
  if (story.end !== null) say(`item ${item} ended a second time`);
  else if (story.inFlight !== null)
    say(`item ${item} is ${state} while attempt ${story.attempts} is in flight`);
  story.end = state;
}

function checkTotals(
  items: ReadonlyMap<string, ItemStory>,
  growth: GrowthStory,
  isOverBudget: boolean,
  events: readonly LedgerEvent[],
  report: Report,
): void {
  const counts = new Map<string, number>();
  for (const [item, story] of items) {
    if (story.end === null) report(`item ${item} never ended`);
    else counts.set(story.end, (counts.get(story.end) ?? 0) + 1);
  }
  if (growth.items !== items.size) report(`the run ${growth.itemsTold}, the ledger tells of ${items.size}`);
  growth.checkNames((item) => items.has(item), report);
  const last = events.at(-1);
  if (last?.type !== 'run.completed') return;
  for (const state of new Set<string>([...ITEM_STATES, ...Object.keys(last.data.counts)])) {
    const said = Object.hasOwn(last.data.counts, state) ? last.data.counts[state] : 0;
    const found = counts.get(state) ?? 0;
    if (said !== found) report(`run.completed counts ${said} ${state}, the ledger tells of ${found}`);
  }
  const bad = [...items.keys()].filter(
    (item) => !growth.isGood(item, (other) => items.get(other)?.end === 'done'),
  );
  const ends: RunEnds = {
    items: items.size,
    good: items.size - bad.length,
    hasRed: [...items].some(([item, { end, isRed }]) => end === 'done' && isRed && !growth.isSettled(item)),
    isOpen: growth.isOpen,
    canceled: counts.get('canceled') ?? 0,
    isOverBudget,
    isCancelRequested: events.some(
      (event) => event.type === 'run.cancel_requested' && event.data.item === undefined,
    ),
  };
  const why = statusProblem(last.data.status, ends);
  if (why !== null) report(`run.completed says ${last.data.status}, but ${why}`);
}

function storyOf(items: Map<string, ItemStory>, item: string): ItemStory {
  const known = items.get(item);
  if (known !== undefined) return known;
  const story: ItemStory = {
    attempts: 0,
    inFlight: null,
    end: null,
    isRed: false,
    requests: new RequestStory(),
    messages: new MessageStory(),
  };
  items.set(item, story);
  return story;
}
