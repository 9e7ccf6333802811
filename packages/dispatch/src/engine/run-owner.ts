import { faultPoint, isPalisadeError, ITEM_TERMINAL, type RunState } from '@palisade/contracts';
import type { Database, Lease, Limiter, WriteTx } from '@palisade/kernel';
import type { AttemptEnd, Executor, PreparedAttempt, RootRun } from '@palisade/runs';
import type { GrowthMaterial } from '../growth/growth-rule.ts';
import type { FrozenItem } from '../plans/frozen-plan.ts';
import { readParts } from '../plans/stored-plan.ts';
import {
  type AttemptNews,
  type AttemptRef,
  AttemptsInFlight,
  NO_NEWS,
  type Recovered,
} from './attempts-in-flight.ts';
import type { Authority } from '../authority/authorize-items.ts';
import { Decisions } from './decisions.ts';
import type { Doomed } from './item-facts.ts';
import { loadItems } from './item-store.ts';
import type { Account } from '../flow/account.ts';
import { levelOf } from '../flow/fair-share.ts';
import type { OwnClaim } from '../flow/slots.ts';
import { LockLines } from './lock-lines.ts';
import type { PlanGraph } from './plan-graph.ts';
import { ReadyLine } from './ready-line.ts';
import { isLeaseLost } from './run-lease.ts';
import { runStep, STEP_ITEMS } from './step.ts';
import type { StepInput, StepResult } from './step-types.ts';
import type { Takeover } from './takeover.ts';
import { TroubleNotes } from './trouble-notes.ts';

const AFTER_FAULT_MS = 250;

export interface RunOwnerDeps {
  readonly database: Database;
  readonly executors: ReadonlyMap<string, Executor>;
  /** Builds what a worker needs for one attempt, at the moment it is needed. */
  readonly prepare: (attempt: AttemptRef) => Promise<PreparedAttempt>;
  /** Who decides what may be done; absent: nobody. */
  readonly authority?: Authority;
  /** Bounds the questions to it that are under way. */
  readonly questions: Limiter;
  readonly random: () => number;
  readonly ruleOf: StepInput['ruleOf'];
  /** An attempt's end as what it left lets it count. Never rejects. */
  readonly judge: (item: FrozenItem, end: AttemptEnd) => Promise<AttemptEnd>;
  /** What the rule of an item that ended reads besides the facts; null for nothing. Never rejects. */
  readonly material: (item: FrozenItem, end: AttemptEnd) => Promise<GrowthMaterial | null>;
  readonly onFault: (error: unknown, runId: string) => void;
  /** Called after slots or locks may have become free for other runs. */
  readonly onRelease: () => void;
}

/**
 * The single owner of one run while it holds the run's lease: turns events (an attempt ended, a lock
 * or slot was freed, a back-off or deadline passed, somebody asked to stop) into steps, one at a time.
 * When the lease is lost it stops at once and writes nothing more.
 */
export class RunOwner {
  readonly id: string;
  #finished: Promise<RunState | null> = Promise.resolve(null);
  readonly #deps: RunOwnerDeps;
  readonly #taken: Takeover;
  readonly #graph: PlanGraph;
  readonly #lines: LockLines;
  readonly #attempts: AttemptsInFlight;
  readonly #decisions: Decisions;
  readonly #troubles: TroubleNotes;
  readonly #delayed = new Set<number>();
  #run: RootRun;
  #lease: Lease;
  readonly #ready: ReadyLine;
  #used: number;
  #account: Account;
  #claim: OwnClaim;
  #controlSeq = -1;
  /** What to add to this process's clock to estimate protected time. */
  #clockOffset = 0;
  #doomed: readonly Doomed[];
  #recovered: Recovered | null = null;
  /** When the next request expires that nobody answered. */
  #expiresAt = Number.POSITIVE_INFINITY;
  #stopped = false;
  /** There may be parts of the run that the graph does not know. */
  #mustLearn = false;
  #wake: (() => void) | null = null;
  #awake = true;
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: RunOwnerDeps, taken: Takeover) {
    this.#deps = deps;
    this.#taken = taken;
    this.id = taken.run.id;
    this.#run = taken.run;
    this.#lease = taken.lease;
    this.#graph = taken.graph;
    this.#used = taken.used;
    this.#account = taken.account;
    this.#claim = taken.claim;
    this.#troubles = new TroubleNotes(deps.database, this.id, () => this.#lease, taken.troubled);
    this.#attempts = new AttemptsInFlight({
      executors: deps.executors,
      prepare: deps.prepare,
      judge: deps.judge,
      material: deps.material,
      onNews: () => this.poke(),
      onTrouble: (item, error) => this.#troubles.note(item, error),
      onFault: (error) => deps.onFault(error, this.id),
    });
    this.#decisions = new Decisions({
      authority: deps.authority,
      questions: deps.questions,
      now: () => this.#now(),
      onNews: () => this.poke(),
      onTrouble: (item, error) => this.#troubles.note(item, error),
    });
    this.#doomed = taken.doomed;
    this.#ready = new ReadyLine(taken.ready.filter((i) => taken.graph.facts(i).nextAttemptAt === 0));
    for (const i of taken.ready) if (taken.graph.facts(i).nextAttemptAt > 0) this.#delayed.add(i);
    this.#lines = new LockLines((i) => this.#graph.item(i).locks);
    for (const [i, ticket] of [...taken.tickets].sort((a, b) => a[1] - b[1])) this.#lines.add(i, ticket);
  }

  /**
   * The first step, for the unit of work in which the run is taken; null when attempts of an earlier
   * owner have to be found first, which is no database work.
   */
  async firstStep(tx: WriteTx): Promise<StepResult | null> {
    return this.#taken.open.length > 0 ? null : this.#runStep(tx, NO_NEWS);
  }

  /** Begins to act, once the taking is committed together with the step given here. */
  begin(first: StepResult | null): void {
    this.#finished = this.#live(first);
  }

  /** Resolves with the run's end, or null when ownership was lost, given up or not begun. */
  get finished(): Promise<RunState | null> {
    return this.#finished;
  }

  /** Resolves when what the run's attempts left on this machine is removed. */
  removed(): Promise<void> {
    return this.#attempts.removed();
  }

  get lease(): Lease {
    return this.#lease;
  }

  set lease(lease: Lease) {
    this.#lease = lease;
  }

  get run(): RootRun {
    return this.#run;
  }

  /** True when its run is in the project's queue. */
  isOf(project: string, queue: string): boolean {
    return this.#run.project === project && this.#run.queue === queue;
  }

  /** Something this run may be waiting for has changed. */
  poke(): void {
    this.#awake = true;
    this.#wake?.();
  }

  /** True when something could start if a slot or a lock were free. */
  get isStarved(): boolean {
    return !this.#ready.isEmpty || this.#lines.size > 0;
  }

  /** True while none of its items runs and one could start, if a slot or a lock were free. */
  get isWaiting(): boolean {
    return this.#used === 0 && this.isStarved;
  }

  /** True while it goes on only when a person answers, or time runs out. */
  get isParked(): boolean {
    return this.#run.state === 'waiting' && !this.#awake;
  }

  /** Its priority with what it gained by waiting, at `now` (protected ms). */
  level(now: number): number {
    return levelOf({ priority: this.#run.priority, since: this.#claim.since }, now);
  }

  /** Compares with the stored control position; pokes when somebody wants something. */
  noticeControl(seq: number): void {
    if (seq !== this.#controlSeq) this.poke();
  }

  /** Gives the run up without stopping its attempts: another owner will find and adopt them. */
  abandon(): void {
    this.#stopped = true;
    this.#attempts.detach();
    this.#decisions.detach();
    this.poke();
  }

  async #live(first: StepResult | null): Promise<RunState | null> {
    if (first !== null) {
      this.#awake = false;
      this.#applyCommitted(first, NO_NEWS);
      if (first.finished !== null || this.#stopped) return first.finished;
    }
    if (this.#taken.open.length > 0) this.#recovered = await this.#attempts.recover(this.#taken.open);
    for (;;) {
      if (this.#stopped) return null;
      if (!this.#awake) await this.#sleep();
      if (this.#stopped) return null;
      this.#awake = false;
      try {
        const finished = await this.#step();
        if (finished !== null) return finished;
      } catch (error) {
        if (isLeaseLost(error)) {
          this.abandon();
          return null;
        }
        // What is stored of the run is not what it was: whoever takes it anew ends it.
        if (isPalisadeError(error, 'integrity_mismatch')) {
          this.#deps.onFault(error, this.id);
          this.abandon();
          return null;
        }
        this.#deps.onFault(error, this.id);
        this.#troubles.note(null, error);
        // Perhaps the step stumbled over parts that it does not know.
        this.#mustLearn = this.#run.isOpenEnded;
        this.#awake = true;
        await new Promise((resolve) => setTimeout(resolve, AFTER_FAULT_MS));
      }
    }
  }

  async #step(): Promise<RunState | null> {
    if (this.#mustLearn) await this.#learnParts();
    // What is being told of a trouble must not come after the step that proves it over.
    await this.#troubles.settled;
    const news = this.#attempts.take(STEP_ITEMS);
    const now = this.#now();
    for (const i of this.#delayed) {
      if (this.#graph.facts(i).nextAttemptAt > now) continue;
      this.#delayed.delete(i);
      this.#ready.push(i);
    }
    let result: StepResult;
    try {
      result = await this.#deps.database.write((tx) => this.#runStep(tx, news));
    } catch (error) {
      this.#attempts.giveBack(news);
      throw error;
    }
    this.#applyCommitted(result, news);
    return result.finished;
  }

  #runStep(tx: WriteTx, { started, ended, delivered }: AttemptNews): Promise<StepResult> {
    return runStep(tx, {
      run: this.#run,
      lease: this.#lease,
      graph: this.#graph,
      started,
      ended,
      delivered,
      handedOn: this.#attempts.handedOn,
      controlSeq: this.#controlSeq,
      ready: this.#ready,
      waiting: this.#lines.heads(),
      isQueued: (i) => this.#lines.has(i),
      doomed: this.#doomed,
      decisionOf: this.#decisions.of,
      troubled: this.#troubles.troubled,
      used: this.#used,
      account: this.#account,
      claim: this.#claim,
      damage: this.#taken.damage,
      overdue: this.#run.deadlineAt !== null && tx.now >= this.#run.deadlineAt,
      recovered: this.#recovered,
      random: this.#deps.random,
      ruleOf: this.#deps.ruleOf,
      materials: new Map(
        ended.flatMap(({ ordinal, material }) => (material === null ? [] : [[ordinal, material]])),
      ),
    });
  }

  #applyCommitted(result: StepResult, { ended }: AttemptNews): void {
    this.#recovered = null;
    if (this.#run.state !== result.state) this.#run = { ...this.#run, state: result.state };
    this.#expiresAt = result.expiresAt ?? Number.POSITIVE_INFINITY;
    this.#doomed = result.doomed;
    const over = [...result.changes].filter(([, facts]) => ITEM_TERMINAL.has(facts.state));
    this.#troubles.forget([...result.relieved, ...over.map(([i]) => this.#graph.item(i).id)]);
    if (result.hasGrown || (this.#run.isOpenEnded && result.controlSeq !== this.#controlSeq)) {
      this.#mustLearn = true;
      this.#awake = true;
    }
    this.#controlSeq = result.controlSeq;
    this.#clockOffset = result.now - Date.now();
    const freedSlots = result.used < this.#used;
    this.#used = result.used;
    this.#account = result.account;
    // What it claimed and did not take is somebody else's.
    const gaveUp = this.#claim.wants > 0 && result.claim.wants === 0;
    this.#claim = result.claim;
    for (const [i, facts] of result.changes) this.#graph.apply(i, facts);
    for (const [i, ticket] of result.queued) this.#lines.add(i, ticket);
    let freedLocks = false;
    for (const [i, facts] of result.changes) {
      if (facts.state !== 'pending' && facts.state !== 'ready') this.#lines.remove(i);
      if (facts.state === 'ready') {
        if (facts.nextAttemptAt > 0) this.#delayed.add(i);
        else this.#ready.push(i);
      }
      if (facts.state !== 'running' && this.#graph.item(i).locks.length > 0) freedLocks = true;
    }
    this.#ready.push(...result.freed);
    if (result.held.leftLines) {
      this.#ready.push(...this.#lines.clear());
      freedLocks = true;
    }
    if (result.held.isAtRest) this.#stopped = true;
    this.#ready.trim((i) => this.#mayStart(i));
    if (ended.length > 0) faultPoint('record.after-commit');
    for (const { ordinal } of ended) this.#attempts.release(ordinal);
    if (result.hasGrown) faultPoint('grow.after-commit');
    if (result.fired.length > 0) faultPoint('fire.after-intent');
    for (const [i] of result.changes) this.#decisions.forget(i);
    if (this.#stopped || result.finished !== null) this.#decisions.detach();
    else this.#decisions.ask(result.undecided);
    if (result.messages.size > 0) faultPoint('deliver.before-hand-on');
    for (const fired of result.fired)
      this.#attempts.start({
        ...fired,
        run: this.#run,
        graph: this.#graph,
        messages: result.messages.get(fired.ordinal) ?? [],
      });
    for (const [i, messages] of result.messages) this.#attempts.deliver(i, messages);
    for (const i of result.stop) this.#attempts.cancel(i);
    if (result.finished !== null) faultPoint('complete.after-commit');
    // More may be possible at once: the step was full, or it freed what an item of this run waits for.
    const mayRetry = [...result.changes.values()].some(
      (facts) => facts.state === 'ready' && facts.nextAttemptAt === 0,
    );
    if (
      this.#attempts.hasNews ||
      result.more ||
      mayRetry ||
      result.fired.length >= STEP_ITEMS ||
      (freedLocks && this.#lines.size > 0)
    )
      this.#awake = true;
    if (freedSlots || freedLocks || gaveUp) this.#deps.onRelease();
    this.#arm();
  }

  /** Takes up the parts of the run that were committed since. */
  async #learnParts(): Promise<void> {
    // What one end let the run grow by may have been settled by another of the same unit of work.
    const { parts, stored } = await this.#deps.database.read(async (tx) => ({
      parts: await readParts(tx, this.#run, this.#graph.parts),
      stored: await loadItems(tx, this.id, this.#graph.size),
    }));
    for (const part of parts) {
      const { free, doomed } = this.#graph.append(part, stored);
      this.#ready.push(...free);
      this.#doomed = [...this.#doomed, ...doomed];
    }
    this.#mustLearn = false;
  }

  #mayStart(i: number): boolean {
    const { state } = this.#graph.facts(i);
    return (state === 'pending' || state === 'ready') && !this.#lines.has(i) && !this.#delayed.has(i);
  }

  async #sleep(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#wake = null;
  }

  #now(): number {
    return Date.now() + this.#clockOffset;
  }

  /** One timer for the nearest back-off or deadline; times are re-read when it fires. */
  #arm(): void {
    clearTimeout(this.#timer);
    const deadline = this.#run.deadlineAt ?? Number.POSITIVE_INFINITY;
    // A deadline that passed has been acted on; what is left ends by itself.
    let at = deadline > this.#now() ? deadline : Number.POSITIVE_INFINITY;
    at = Math.min(at, this.#expiresAt, this.#claim.wakeAt ?? at);
    for (const i of this.#delayed) at = Math.min(at, this.#graph.facts(i).nextAttemptAt);
    if (!Number.isFinite(at) || this.#stopped) return;
    this.#timer = setTimeout(() => this.poke(), Math.min(60_000, Math.max(5, at - this.#now() + 2)));
    this.#timer.unref();
  }
}
