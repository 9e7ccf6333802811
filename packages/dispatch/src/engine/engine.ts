import { AsyncLocalStorage } from 'node:async_hooks';
import { ITEM_TERMINAL, limits, PalisadeError, type RunState } from '@palisade/contracts';
import { type Lease, Limiter, openClockIncident, type WriteTx } from '@palisade/kernel';
import { isDeadOwner, listOpenRuns, type OpenRun, ownerName, type RootRun } from '@palisade/runs';
import { ruleOf } from '../growth/growth-rules.ts';
import type { FrozenPlan } from '../plans/frozen-plan.ts';
import { levelOf } from '../flow/fair-share.ts';
import { RunOwner, type RunOwnerDeps } from './run-owner.ts';
import type { StepResult } from './step-types.ts';
import { isLeaseLost, runLease } from './run-lease.ts';
import { takeNew, takeRun } from './take-run.ts';
import type { Takeover } from './takeover.ts';
import { noteTrouble } from './trouble-store.ts';

export interface EngineOptions
  extends Omit<RunOwnerDeps, 'onRelease' | 'questions' | 'random' | 'ruleOf' | 'judge' | 'material'> {
  /** Rules of growth; default {@link ruleOf}. */
  readonly ruleOf?: RunOwnerDeps['ruleOf'];
  /** Compares what an attempt left with its item's shape; absent where no shape says more than that something is left. */
  readonly judge?: RunOwnerDeps['judge'];
  /** Reads what an item that ended left for its rule; absent where no item has one that reads. */
  readonly material?: RunOwnerDeps['material'];
  readonly random?: () => number;
  readonly leaseMs?: number;
  /** Runs of one queue that this process owns without a running item: what waits for a slot waits as well unowned. */
  readonly maxWaiting?: number;
  /** Called when a run this process owned has ended, after the commit. */
  readonly onFinished?: (runId: string, state: RunState) => void;
}

const PAGE = 1_000;
const MAX_WAITING = 64;
/** How long a run is left alone that needs an executor which is not here: it may have been canceled since. */
const LEFT_ALONE_MS = 5_000;

/** A run taken but not begun, because its taking is not committed yet. */
interface Owned {
  readonly owner: RunOwner;
  readonly first: StepResult | null;
  readonly damage: string | null;
}

/**
 * Owns runs: takes every open run whose lease is free, expired, or held by a process that is proved
 * dead; renews its leases; hands changes made by other processes to the owners. Any
 * number of engines may share a database.
 */
export class Engine {
  readonly #options: EngineOptions;
  readonly #leaseMs: number;
  readonly #owners = new Map<string, RunOwner>();
  readonly #questions = new Limiter(limits.authorizeAtOnce);
  readonly #taking = new Set<string>();
  /** Open runs that are not for this engine, until when they are not looked at, by `performance.now()`. */
  readonly #leftAlone = new Map<string, number>();
  #owner: string | undefined;
  #stopForeign: (() => void) | undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  #poll: NodeJS.Timeout | undefined;
  /** What the engine does it does for the installation, never as part of the call that made it look. */
  readonly #outside = AsyncLocalStorage.snapshot();
  #scan: Promise<void> | null = null;
  #nextScan: Promise<void> | null = null;
  #stopped = false;
  /** What to add to this process's clock to estimate protected time; brought up to date with the heartbeat. */
  #clockOffset = 0;
  /** Runs were left unowned because their queue has enough waiting ones. */
  #leftSome = false;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#leaseMs = options.leaseMs ?? limits.leaseMs;
  }

  /** Starts taking runs. Recovery never ends: every scan looks again for runs without a live owner (FF-060). */
  async start(): Promise<void> {
    this.#owner = ownerName('engine');
    this.#stopForeign = this.#options.database.onForeignCommit(() => void this.scan());
    this.#heartbeat = setInterval(() => void this.#renew(), this.#leaseMs / 3);
    this.#poll = setInterval(() => void this.scan(), 1_000);
    await this.#readClock().catch((error: unknown) => this.#options.onFault(error, ''));
    await this.scan();
  }

  /** Runs owned now. */
  get owned(): number {
    return this.#owners.size;
  }

  /** Runs owned now of which something is under way or could be: not those that wait for people. */
  get busy(): number {
    let busy = 0;
    for (const owner of this.#owners.values()) if (!owner.isParked) busy++;
    return busy;
  }

  /**
   * Starts a run in the unit of work that admits it: the run, its lease and its first intents are one
   * commit. Does nothing in a process whose engine does not run or has enough of the queue; a scan finds the run then.
   */
  async startRun(tx: WriteTx, run: RootRun, plan: FrozenPlan): Promise<void> {
    if (this.#owner === undefined || this.#stopped) return;
    if (!this.#hasRoomFor(run)) return;
    const lease = await tx.leases.claim(runLease(run.id), this.#owner, this.#leaseMs);
    if (lease === null) return;
    const owned = await this.#own(tx, takeNew(run, plan, lease));
    tx.afterCommit(() => this.#begin(owned));
  }

  /** Tells that somebody wrote a wish for a run: its owner, if it is in this process, or else a run at rest is taken. */
  poke(runId: string): void {
    const owner = this.#owners.get(runId);
    if (owner !== undefined) owner.poke();
    else if (this.#owner !== undefined) void this.scan();
  }

  /** Gives everything up without stopping any attempt; another engine carries on. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#heartbeat);
    clearInterval(this.#poll);
    this.#stopForeign?.();
    await this.#scan;
    const owners = [...this.#owners.values()];
    for (const owner of owners) owner.abandon();
    await Promise.all(owners.map((owner) => owner.finished.catch(() => null)));
    await this.#options.database
      .write(
        async (tx) => {
          for (const owner of owners) await tx.leases.release(owner.lease);
        },
        { whilePaused: true },
      )
      .catch((error: unknown) => this.#options.onFault(error, ''));
  }

  /**
   * Looks for runs without a live owner and for wishes on owned ones. Resolves after a pass that began
   * after the call: whatever was committed before it has been seen. Calls that wait share that pass.
   */
  scan(): Promise<void> {
    if (this.#stopped) return Promise.resolve();
    if (this.#scan === null) return this.#startScan();
    this.#nextScan ??= this.#scan.then(() => {
      this.#nextScan = null;
      return this.#stopped ? undefined : this.#startScan();
    });
    return this.#nextScan;
  }

  #startScan(): Promise<void> {
    this.#scan = this.#outside(() => this.#pass())
      .catch((error: unknown) => this.#options.onFault(error, ''))
      .finally(() => {
        this.#scan = null;
      });
    return this.#scan;
  }

  async #pass(): Promise<void> {
    this.#leftSome = false;
    // Nothing is granted meanwhile; the next pass looks again.
    if ((await this.#options.database.read(openClockIncident)) !== null) return;
    // A lock or slot may have been freed by another process.
    for (const owner of this.#owners.values()) if (owner.isStarved) owner.poke();
    const untaken: OpenRun[] = [];
    for (let after: string | null = ''; after !== null; ) {
      const { open, free } = await this.#look(after);
      for (const { id, controlSeq } of open) this.#owners.get(id)?.noticeControl(controlSeq);
      untaken.push(...free);
      after = open.length < PAGE ? null : (open.at(-1)?.id ?? null);
    }
    for (const run of this.#inOrder(untaken)) {
      // One run that cannot be taken must not keep the others.
      if (this.#hasRoomFor(run))
        await this.#take(run.id).catch((error: unknown) => this.#noteUntaken(error, run.id));
    }
  }

  /** Who has the better claim first: what waits unowned gains by waiting as what waits owned does. */
  #inOrder(runs: readonly OpenRun[]): OpenRun[] {
    const now = this.#now();
    return runs
      .map((run) => ({ run, level: levelOf({ priority: run.priority, since: run.submittedAt }, now) }))
      .sort((a, b) => b.level - a.level || a.run.submittedAt - b.run.submittedAt)
      .map(({ run }) => run);
  }

  /** A page of open runs, and those among them that nobody who may be alive owns. */
  async #look(after: string): Promise<{ readonly open: OpenRun[]; readonly free: OpenRun[] }> {
    return this.#options.database.read(async (tx) => {
      const open = await listOpenRuns(tx, after, PAGE, this.#now());
      const foreign = open.filter(({ id }) => !this.#owners.has(id));
      const leases = await tx.leases.readMany(foreign.map(({ id }) => runLease(id)));
      return { open, free: foreign.filter(({ id }) => !this.#isHeld(leases.get(runLease(id)))) };
    });
  }

  /** As far as can be told without a claim: the claim decides. */
  #isHeld(lease: Lease | undefined): boolean {
    return lease !== undefined && lease.expiresAt > this.#now() && !isDeadOwner(lease);
  }

  /** False, and noted, while enough runs wait in its queue whose claim is as good as this one's. */
  #hasRoomFor({
    project,
    queue,
    priority,
    submittedAt,
  }: Pick<OpenRun, 'project' | 'queue' | 'priority' | 'submittedAt'>): boolean {
    const now = this.#now();
    const level = levelOf({ priority, since: submittedAt }, now);
    let waiting = 0;
    for (const owner of this.#owners.values())
      if (owner.isOf(project, queue) && owner.isWaiting && owner.level(now) >= level) waiting++;
    const hasRoom = waiting < this.#maxWaiting;
    if (!hasRoom) this.#leftSome = true;
    return hasRoom;
  }

  /** Protected time as far as this process knows it. */
  #now(): number {
    return Date.now() + this.#clockOffset;
  }

  /** Owned runs of the queue that only wait for a slot or a lock. */
  #waitingIn({ project, queue }: Pick<OpenRun, 'project' | 'queue'>): number {
    let waiting = 0;
    for (const owner of this.#owners.values()) if (owner.isOf(project, queue) && owner.isWaiting) waiting++;
    return waiting;
  }

  get #maxWaiting(): number {
    return this.#options.maxWaiting ?? MAX_WAITING;
  }

  async #take(runId: string): Promise<void> {
    if (this.#owner === undefined || this.#stopped) return;
    if (this.#owners.has(runId) || this.#taking.has(runId)) return;
    if ((this.#leftAlone.get(runId) ?? 0) > performance.now()) return;
    this.#taking.add(runId);
    try {
      const { database } = this.#options;
      const own = async (tx: WriteTx, taken: Takeover): Promise<Owned | null> => {
        if (this.#canCarryOut(taken, tx.now)) return this.#own(tx, taken);
        await tx.leases.release(taken.lease);
        tx.afterCommit(() => this.#leaveAlone(runId));
        return null;
      };
      const owned = await takeRun(database, runId, this.#owner, this.#leaseMs, isDeadOwner, own);
      if (owned !== null) this.#begin(owned);
    } finally {
      this.#taking.delete(runId);
    }
  }

  /**
   * False for a run with items for an executor that only another engine has (DI-190): to try them here would be to
   * fail them. One whose state is damaged, or that only has to be ended, needs none, nor does an item that has ended.
   */
  #canCarryOut({ run, graph, open, damage }: Takeover, now: number): boolean {
    const isOver = run.cancelRequestedAt !== null || (run.deadlineAt !== null && run.deadlineAt <= now);
    if (damage !== null || (isOver && open.length === 0)) return true;
    return graph.items.every(
      (item, i) =>
        // What a person decides needs none.
        item.approval !== undefined ||
        this.#options.executors.has(item.executor) ||
        ITEM_TERMINAL.has(graph.facts(i).state),
    );
  }

  #leaveAlone(runId: string): void {
    const now = performance.now();
    for (const [id, until] of this.#leftAlone) if (until <= now) this.#leftAlone.delete(id);
    this.#leftAlone.set(runId, now + LEFT_ALONE_MS);
  }

  /** The owner of a run just taken, and its first step where that is possible in the same unit of work. */
  async #own(tx: WriteTx, taken: Takeover): Promise<Owned> {
    const owner = new RunOwner(
      {
        ...this.#options,
        questions: this.#questions,
        random: this.#options.random ?? Math.random,
        ruleOf: this.#options.ruleOf ?? ruleOf,
        judge: this.#options.judge ?? (async (_, end) => end),
        material: this.#options.material ?? (async () => null),
        onRelease: () => this.#pokeOthers(taken.run.id),
      },
      taken,
    );
    return { owner, first: await owner.firstStep(tx), damage: taken.damage };
  }

  #begin({ owner, first, damage }: Owned): void {
    if (damage !== null) this.#options.onFault(new PalisadeError('integrity_mismatch', damage), owner.id);
    if (this.#stopped) {
      // Its intents are committed and without effect, as after a crash: the next owner sees to them.
      void this.#release(owner.lease).catch((error: unknown) => this.#options.onFault(error, owner.id));
      return;
    }
    this.#owners.set(owner.id, owner);
    owner.begin(first);
    void this.#follow(owner);
  }

  /** A run that no engine can take says so itself: who waits for it looks there, not into a log (FF-057). */
  async #noteUntaken(error: unknown, runId: string): Promise<void> {
    this.#options.onFault(error, runId);
    try {
      await this.#options.database.write((tx) => noteTrouble(tx, runId, null, error));
    } catch (failure) {
      this.#options.onFault(failure, runId);
    }
  }

  async #follow(owner: RunOwner): Promise<void> {
    let state: RunState | null = null;
    try {
      state = await owner.finished;
      if (state !== null) this.#options.onFinished?.(owner.id, state);
      // Given up on a conflict, the lease may still be ours: nobody could take the run until it expired.
      else await this.#release(owner.lease);
      // A process that owns nothing may leave, and the removal with it.
      await owner.removed();
    } catch (error) {
      this.#options.onFault(error, owner.id);
    } finally {
      this.#owners.delete(owner.id);
      this.#pokeOthers(owner.id);
      // Not for each one that ended: a pass looks at every open run.
      if (this.#leftSome && this.#waitingIn(owner.run) <= this.#maxWaiting / 2) void this.scan();
      // A wish that came while it was being given up has been told to nobody.
      else if (state === null) void this.scan();
    }
  }

  /** Gives a lease back; one that is not ours any more stays as it is. */
  async #release(lease: Lease): Promise<void> {
    await this.#options.database.write((tx) => tx.leases.release(lease), { whilePaused: true });
  }

  #pokeOthers(runId: string): void {
    for (const owner of this.#owners.values()) if (owner.id !== runId && owner.isStarved) owner.poke();
  }

  async #readClock(): Promise<void> {
    const now = await this.#options.database.write(async (tx) => tx.now, { whilePaused: true });
    this.#clockOffset = now - Date.now();
  }

  async #renew(): Promise<void> {
    await this.#readClock().catch((error: unknown) => this.#options.onFault(error, ''));
    for (const owner of this.#owners.values()) {
      try {
        owner.lease = await this.#options.database.write((tx) => tx.leases.renew(owner.lease, this.#leaseMs));
      } catch (error) {
        if (isLeaseLost(error)) owner.abandon();
        else this.#options.onFault(error, owner.id);
      }
    }
  }
}
