import { faultPoint, isPalisadeError, type RunState, toPalisadeError } from '@palisade/contracts';
import type { Database, Lease, WriteTx } from '@palisade/kernel';
import type {
  AttemptEnd,
  AttemptIntent,
  Execution,
  Executor,
  PreparedAttempt,
  RootRun,
} from '@palisade/runs';
import type { AttemptInput } from './attempt-inputs.ts';
import { LockLines } from './lock-lines.ts';
import type { PlanGraph } from './plan-graph.ts';
import { ReadyLine } from './ready-line.ts';
import { runStep, STEP_ITEMS } from './step.ts';
import type { AttemptEnded, AttemptStarted, Doomed, Fired, StepResult } from './step-types.ts';
import { noteTrouble } from './trouble-store.ts';

/** How often a trouble that lasts is written down again. */
const NOTE_MS = 5_000;

export interface RunOwnerDeps {
  readonly database: Database;
  readonly executors: ReadonlyMap<string, Executor>;
  /** Builds what a worker needs for one attempt, at the moment it is needed. */
  readonly prepare: (attempt: AttemptRef) => Promise<PreparedAttempt>;
  readonly random: () => number;
  readonly onFault: (error: unknown, runId: string) => void;
  /** Called after slots or locks may have become free for other runs. */
  readonly onRelease: () => void;
}

/** One attempt with all it needs to be prepared. */
export interface AttemptRef {
  readonly run: RootRun;
  readonly graph: PlanGraph;
  readonly ordinal: number;
  readonly childRunId: string;
  readonly attempt: number;
  readonly deadlineAt: number;
  readonly inputs: readonly AttemptInput[];
}

/** What a new owner found when it took the run. */
export interface Takeover {
  readonly run: RootRun;
  readonly lease: Lease;
  readonly graph: PlanGraph;
  /** Why the run has to end: its stored state cannot be read, and `graph` is a stand-in. */
  readonly damage: string | null;
  readonly tickets: ReadonlyMap<number, number>;
  readonly used: number;
  /** Items in trouble, and null when it is the run itself. */
  readonly troubled: readonly (string | null)[];
  readonly ready: readonly number[];
  /** Items behind one that did not end `done` which a crash left unsettled. */
  readonly doomed: readonly Doomed[];
  /** Attempts whose intent is committed and whose end is not. */
  readonly open: readonly AttemptRef[];
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
  readonly #executions = new Map<number, Execution>();
  readonly #delayed = new Set<number>();
  #run: RootRun;
  #lease: Lease;
  readonly #ready: ReadyLine;
  #starts: AttemptStarted[] = [];
  #ended: AttemptEnded[] = [];
  #used: number;
  readonly #troubled: Set<string | null>;
  readonly #notedAt = new Map<string | null, number>();
  #noting: Promise<void> = Promise.resolve();
  #controlSeq = -1;
  /** What to add to this process's clock to estimate protected time. */
  #clockOffset = 0;
  #doomed: readonly Doomed[];
  #recovered: { adopted: number; reattached: number; lost: number } | null = null;
  #stopped = false;
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
    this.#troubled = new Set(taken.troubled);
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
    return this.#taken.open.length > 0 ? null : this.#runStep(tx, [], []);
  }

  /** Begins to act, once the taking is committed together with the step given here. */
  begin(first: StepResult | null): void {
    this.#finished = this.#live(first);
  }

  /** Resolves with the run's end, or null when ownership was lost, given up or not begun. */
  get finished(): Promise<RunState | null> {
    return this.#finished;
  }

  get lease(): Lease {
    return this.#lease;
  }

  set lease(lease: Lease) {
    this.#lease = lease;
  }

  get queue(): string {
    return this.#run.queue;
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

  /** Compares with the stored control position; pokes when somebody wants something. */
  noticeControl(seq: number): void {
    if (seq !== this.#controlSeq) this.poke();
  }

  /** Gives the run up without stopping its attempts: another owner will find and adopt them. */
  abandon(): void {
    this.#stopped = true;
    for (const execution of this.#executions.values()) execution.detach();
    this.poke();
  }

  async #live(first: StepResult | null): Promise<RunState | null> {
    if (first !== null) {
      this.#awake = false;
      this.#applyCommitted(first, []);
      if (first.finished !== null) return first.finished;
    }
    await this.#recover();
    for (;;) {
      if (this.#stopped) return null;
      if (!this.#awake) await this.#sleep();
      if (this.#stopped) return null;
      this.#awake = false;
      try {
        const finished = await this.#step();
        if (finished !== null) return finished;
      } catch (error) {
        if (isPalisadeError(error, 'lease_conflict')) {
          this.abandon();
          return null;
        }
        this.#deps.onFault(error, this.id);
        this.#note(null, error);
        this.#awake = true;
        await new Promise((resolve) => setTimeout(resolve, 250));
      }
    }
  }

  /** Looks for every effect that was intended before anything is repeated (DI-177). */
  async #recover(): Promise<void> {
    if (this.#taken.open.length === 0) return;
    const found = { adopted: 0, reattached: 0, lost: 0 };
    for (const attempt of this.#taken.open) {
      const recovered = await this.#find(attempt);
      if (recovered === null) return;
      found[recovered.how]++;
      this.#watch(attempt.ordinal, attempt.childRunId, recovered.execution);
    }
    this.#recovered = found;
  }

  /** Looks until it knows: an attempt that could not be looked for may be alive, and must not be repeated. */
  async #find(attempt: AttemptRef): Promise<Awaited<ReturnType<Executor['recover']>> | null> {
    while (!this.#stopped) {
      try {
        return await this.#executor(attempt.ordinal).recover(this.#intent(attempt));
      } catch (error) {
        this.#deps.onFault(error, this.id);
        this.#note(this.#graph.item(attempt.ordinal).id, error);
        await new Promise((resolve) => setTimeout(resolve, 1_000));
      }
    }
    return null;
  }

  async #step(): Promise<RunState | null> {
    // What is being told of a trouble must not come after the step that proves it over.
    await this.#noting;
    const started = this.#starts.splice(0, STEP_ITEMS);
    const ended = this.#ended.splice(0, STEP_ITEMS);
    const now = this.#now();
    for (const i of this.#delayed) {
      if (this.#graph.facts(i).nextAttemptAt > now) continue;
      this.#delayed.delete(i);
      this.#ready.push(i);
    }
    let result: StepResult;
    try {
      result = await this.#deps.database.write((tx) => this.#runStep(tx, started, ended));
    } catch (error) {
      this.#starts.unshift(...started);
      this.#ended.unshift(...ended);
      throw error;
    }
    this.#applyCommitted(result, ended);
    return result.finished;
  }

  #runStep(
    tx: WriteTx,
    started: readonly AttemptStarted[],
    ended: readonly AttemptEnded[],
  ): Promise<StepResult> {
    return runStep(tx, {
      run: this.#run,
      lease: this.#lease,
      graph: this.#graph,
      started,
      ended,
      ready: this.#ready,
      waiting: this.#lines.heads(),
      isQueued: (i) => this.#lines.has(i),
      doomed: this.#doomed,
      troubled: this.#troubled,
      used: this.#used,
      damage: this.#taken.damage,
      overdue: this.#run.deadlineAt !== null && tx.now >= this.#run.deadlineAt,
      recovered: this.#recovered,
      random: this.#deps.random,
    });
  }

  #applyCommitted(result: StepResult, ended: readonly AttemptEnded[]): void {
    this.#recovered = null;
    if (this.#run.state === 'queued') this.#run = { ...this.#run, state: 'running' };
    this.#doomed = result.doomed;
    for (const item of result.relieved) {
      this.#troubled.delete(item);
      this.#notedAt.delete(item);
    }
    this.#controlSeq = result.controlSeq;
    this.#clockOffset = result.now - Date.now();
    const freedSlots = result.used < this.#used;
    this.#used = result.used;
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
    this.#ready.trim((i) => this.#mayStart(i));
    for (const { ordinal } of ended) this.#release(ordinal);
    if (result.fired.length > 0) faultPoint('fire.after-intent');
    for (const fired of result.fired) this.#start(fired);
    for (const i of result.stop) this.#executions.get(i)?.cancel('canceled on request');
    if (result.finished !== null) faultPoint('complete.after-commit');
    // More may be possible at once: the step was full, or it freed what an item of this run waits for.
    const mayRetry = [...result.changes.values()].some(
      (facts) => facts.state === 'ready' && facts.nextAttemptAt === 0,
    );
    if (
      this.#starts.length > 0 ||
      this.#ended.length > 0 ||
      result.more ||
      mayRetry ||
      result.fired.length >= STEP_ITEMS ||
      (freedLocks && this.#lines.size > 0)
    )
      this.#awake = true;
    if (freedSlots || freedLocks) this.#deps.onRelease();
    this.#arm();
  }

  #mayStart(i: number): boolean {
    const { state } = this.#graph.facts(i);
    return (state === 'pending' || state === 'ready') && !this.#lines.has(i) && !this.#delayed.has(i);
  }

  #start(fired: Fired): void {
    const attempt: AttemptRef = { ...fired, run: this.#run, graph: this.#graph };
    try {
      this.#watch(fired.ordinal, fired.childRunId, this.#executor(fired.ordinal).fire(this.#intent(attempt)));
    } catch (error) {
      // Its intent is committed: it must end, and the other fired items must start.
      this.#deps.onFault(error, this.id);
      const { code, message } = toPalisadeError(error, 'start_failed');
      this.#settle(fired.ordinal, fired.childRunId, {
        outcome: 'failed',
        code,
        reason: message,
        retryable: false,
        product: {},
        posture: [],
      });
    }
  }

  #watch(ordinal: number, childRunId: string, execution: Execution): void {
    this.#executions.set(ordinal, execution);
    void execution.started.then((worker) => {
      if (worker === null || this.#stopped) return;
      this.#starts.push({ ordinal, childRunId, worker });
      this.poke();
    });
    void execution.ended.then((end) => this.#settle(ordinal, childRunId, end));
  }

  #settle(ordinal: number, childRunId: string, end: AttemptEnd): void {
    if (this.#stopped) return;
    this.#ended.push({ ordinal, childRunId, end });
    this.poke();
  }

  /** The attempt's end is committed: what it left on this machine may go. */
  #release(ordinal: number): void {
    const execution = this.#executions.get(ordinal);
    if (execution === undefined) return;
    this.#executions.delete(ordinal);
    faultPoint('release.before-cleanup');
    execution.release().catch((error: unknown) => this.#deps.onFault(error, this.id));
  }

  #executor(ordinal: number): Executor {
    const name = this.#graph.item(ordinal).executor;
    const executor = this.#deps.executors.get(name);
    if (executor === undefined) throw new Error(`no executor ${name} in this process`);
    return executor;
  }

  #intent(attempt: AttemptRef): AttemptIntent {
    return {
      runId: attempt.childRunId,
      rootRunId: this.id,
      itemId: this.#graph.item(attempt.ordinal).id,
      attempt: attempt.attempt,
      deadlineAt: attempt.deadlineAt,
      neededOutputs: this.#graph.neededOutputs(attempt.ordinal),
      spec: () => this.#deps.prepare(attempt),
      onTrouble: (error) => this.#note(this.#graph.item(attempt.ordinal).id, error),
    };
  }

  /** Lets everybody see what keeps an item, or the run, from going on (FF-057). */
  #note(item: string | null, error: unknown): void {
    this.#troubled.add(item);
    const now = performance.now();
    if (now - (this.#notedAt.get(item) ?? Number.NEGATIVE_INFINITY) < NOTE_MS) return;
    this.#notedAt.set(item, now);
    this.#noting = this.#deps.database
      .write(async (tx) => {
        await tx.leases.assert(this.#lease);
        await noteTrouble(tx, this.id, item, error);
      })
      // Trouble of the database itself cannot be told there; it is in the log.
      .catch(() => {});
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
    for (const i of this.#delayed) at = Math.min(at, this.#graph.facts(i).nextAttemptAt);
    if (!Number.isFinite(at) || this.#stopped) return;
    this.#timer = setTimeout(() => this.poke(), Math.min(60_000, Math.max(5, at - this.#now() + 2)));
    this.#timer.unref();
  }
}
