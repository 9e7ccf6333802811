import { isPalisadeError, limits, PalisadeError, type RunState } from '@palisade/contracts';
import type { Lease, WriteTx } from '@palisade/kernel';
import { isDeadOwner, listControl, listOpenRuns, ownerName, type RootRun } from '@palisade/runs';
import type { FrozenPlan } from '../plans/frozen-plan.ts';
import { RunOwner, type RunOwnerDeps, type Takeover } from './run-owner.ts';
import type { StepResult } from './step-types.ts';
import { runLease, takeNew, takeRun } from './take-run.ts';
import { noteTrouble } from './trouble-store.ts';

export interface EngineOptions extends Omit<RunOwnerDeps, 'onRelease' | 'random'> {
  readonly random?: () => number;
  readonly leaseMs?: number;
  /** Runs owned at once by this process. */
  readonly maxRuns?: number;
  /** Called when a run this process owned has ended, after the commit. */
  readonly onFinished?: (runId: string, state: RunState) => void;
}

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
  readonly #taking = new Set<string>();
  #owner: string | undefined;
  #stopForeign: (() => void) | undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  #poll: NodeJS.Timeout | undefined;
  #scan: Promise<void> | null = null;
  #nextScan: Promise<void> | null = null;
  #stopped = false;

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
    await this.scan();
  }

  /** Runs owned now. */
  get owned(): number {
    return this.#owners.size;
  }

  /**
   * Starts a run in the unit of work that admits it: the run, its lease and its first intents are one
   * commit. Does nothing in a process whose engine does not run or is full; a scan finds the run then.
   */
  async startRun(tx: WriteTx, run: RootRun, plan: FrozenPlan): Promise<void> {
    if (this.#isFull || this.#owner === undefined) return;
    const lease = await tx.leases.claim(runLease(run.id), this.#owner, this.#leaseMs);
    if (lease === null) return;
    const owned = await this.#own(tx, takeNew(run, plan, lease));
    tx.afterCommit(() => this.#begin(owned));
  }

  /** Tells a run's owner, if it is in this process, that somebody wrote a wish. */
  poke(runId: string): void {
    this.#owners.get(runId)?.poke();
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
      .write(async (tx) => {
        for (const owner of owners) await tx.leases.release(owner.lease);
      })
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
    this.#scan = this.#pass()
      .catch((error: unknown) => this.#options.onFault(error, ''))
      .finally(() => {
        this.#scan = null;
      });
    return this.#scan;
  }

  async #pass(): Promise<void> {
    const { control, open } = await this.#options.database.read(async (tx) => ({
      control: await listControl(tx),
      open: await listOpenRuns(tx, '', 1_000),
    }));
    for (const owner of this.#owners.values()) {
      owner.noticeControl(control.get(owner.id) ?? -1);
      // A lock or slot may have been freed by another process.
      if (owner.isStarved) owner.poke();
    }
    // One run that cannot be taken must not keep the others.
    for (const id of open) {
      if (this.#owners.has(id)) continue;
      await this.#take(id).catch((error: unknown) => this.#noteUntaken(error, id));
    }
  }

  async #take(runId: string): Promise<void> {
    if (this.#isFull || this.#owner === undefined) return;
    if (this.#owners.has(runId) || this.#taking.has(runId)) return;
    this.#taking.add(runId);
    try {
      const { database } = this.#options;
      const owned = await takeRun(database, runId, this.#owner, this.#leaseMs, isDeadOwner, (tx, taken) =>
        this.#own(tx, taken),
      );
      if (owned !== null) this.#begin(owned);
    } finally {
      this.#taking.delete(runId);
    }
  }

  get #isFull(): boolean {
    return this.#stopped || this.#owners.size + this.#taking.size >= (this.#options.maxRuns ?? 256);
  }

  /** The owner of a run just taken, and its first step where that is possible in the same unit of work. */
  async #own(tx: WriteTx, taken: Takeover): Promise<Owned> {
    const owner = new RunOwner(
      {
        ...this.#options,
        random: this.#options.random ?? Math.random,
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
    try {
      const state = await owner.finished;
      if (state !== null) this.#options.onFinished?.(owner.id, state);
      // Given up on a conflict, the lease may still be ours: nobody could take the run until it expired.
      else await this.#release(owner.lease);
    } catch (error) {
      this.#options.onFault(error, owner.id);
    } finally {
      this.#owners.delete(owner.id);
      this.#pokeOthers(owner.id);
    }
  }

  /** Gives a lease back; one that is not ours any more stays as it is. */
  async #release(lease: Lease): Promise<void> {
    await this.#options.database.write((tx) => tx.leases.release(lease));
  }

  #pokeOthers(runId: string): void {
    for (const owner of this.#owners.values()) if (owner.id !== runId && owner.isStarved) owner.poke();
  }

  async #renew(): Promise<void> {
    for (const owner of this.#owners.values()) {
      try {
        owner.lease = await this.#options.database.write((tx) => tx.leases.renew(owner.lease, this.#leaseMs));
      } catch (error) {
        if (isPalisadeError(error, 'lease_conflict')) owner.abandon();
        else this.#options.onFault(error, owner.id);
      }
    }
  }
}
