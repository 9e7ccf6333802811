import type { RootRun } from '@palisade/runs';
import type { WriteTx } from '@palisade/kernel';
import { runLease } from '../engine/run-lease.ts';
import { type Claim, sharesOf } from './fair-share.ts';
import { afterStarts, nextStartAt, type Rate, startsLeft } from './rate.ts';
import { claimsOf, putClaim, putRate, queueNow } from './slot-store.ts';

/** A claim whose slots stay free this long, by protected time, holds nobody up any more: whoever made it is stuck. */
const PATIENCE_MS = 2_000;
/** How exactly the table knows when a run last got a slot: not every start is worth a write. */
const SINCE_MS = 1_000;

/** Slots that were left to another run, and since when they lie there. */
interface Left {
  readonly since: number;
  readonly used: number;
  readonly at: number;
}

/** A run's claim as its owner knows it between two steps. */
export interface OwnClaim {
  readonly wants: number;
  readonly since: number;
  readonly left: ReadonlyMap<string, Left>;
  /** Protected ms at which the queue's rate lets something start; null when something else is waited for. */
  readonly wakeAt: number | null;
}

/** The claim of a run that has not asked for anything yet. */
export function noClaim(since: number): OwnClaim {
  return { wants: 0, since, left: new Map(), wakeAt: null };
}

/**
 * The slots of one step: how many it may take, and what the run claims afterwards. What a run uses and wants is
 * one row, written in the unit of work of its step, so any number of engines see the same. A claim counts while
 * its run's lease is held; with that of a dead engine it ends.
 */
export class StepSlots {
  readonly #tx: WriteTx;
  readonly #run: RootRun;
  readonly #running: number;
  readonly #claim: OwnClaim;
  readonly #wish: () => number;
  #left: ReadonlyMap<string, Left> = new Map();
  #rate: { readonly rate: Rate; readonly fullAt: number } | null = null;
  #wakeAt: number | null = null;

  /** `running`: items that run before anything is started; `wish`: how many could start, if there were slots. */
  constructor(tx: WriteTx, run: RootRun, running: number, claim: OwnClaim, wish: () => number) {
    this.#tx = tx;
    this.#run = run;
    this.#running = running;
    this.#claim = claim;
    this.#wish = wish;
  }

  /** Items that may start now; null while the queue is paused. */
  async room(): Promise<number | null> {
    const { now } = this.#tx;
    const queue = await queueNow(this.#tx, this.#run, this.#run.id);
    if (queue === undefined) return 0;
    if (queue.isPaused) return null;
    let free = queue.concurrency - queue.othersUse - this.#running;
    if (queue.rate !== null) {
      this.#rate = { rate: queue.rate, fullAt: queue.fullAt };
      const starts = startsLeft(queue.rate, queue.fullAt, now);
      if (starts < free) this.#wakeAt = nextStartAt(queue.rate, queue.fullAt, now);
      free = Math.min(free, starts);
    }
    if (free <= 0) return 0;
    if (queue.othersWant === 0) return free;
    const wants = this.#wish();
    return free >= queue.othersWant + wants ? wants : this.#share(wants, free);
  }

  async #share(wants: number, free: number): Promise<number> {
    const { now } = this.#tx;
    const others = await this.#livingClaims();
    const { id: runId, priority } = this.#run;
    const mine: Claim = { runId, used: this.#running, wants, priority, since: this.#claim.since };
    const stuck = others.filter((other) => this.#isStuck(other));
    const shares = sharesOf([mine, ...others.filter((other) => !stuck.includes(other))], free, now);
    const share = shares.get(runId) ?? 0;
    if (share < wants) this.#left = this.#leftTo(others, shares, stuck);
    return share;
  }

  async #livingClaims(): Promise<Claim[]> {
    const claims = await claimsOf(this.#tx, this.#run, this.#run.id);
    const leases = await this.#tx.leases.readMany(claims.map(({ runId }) => runLease(runId)));
    return claims.filter(({ runId }) => (leases.get(runLease(runId))?.expiresAt ?? 0) > this.#tx.now);
  }

  #isStuck(claim: Claim): boolean {
    const left = this.#leftBefore(claim);
    return left !== undefined && this.#tx.now - left.at >= PATIENCE_MS;
  }

  /** The same slots that were left to a run by an earlier step: it has taken none since. */
  #leftBefore({ runId, since, used }: Claim): Left | undefined {
    const left = this.#claim.left.get(runId);
    return left !== undefined && left.since === since && left.used === used ? left : undefined;
  }

  #leftTo(
    others: readonly Claim[],
    shares: ReadonlyMap<string, number>,
    stuck: readonly Claim[],
  ): Map<string, Left> {
    const left = new Map<string, Left>();
    for (const other of others) {
      if ((shares.get(other.runId) ?? 0) === 0 && !stuck.includes(other)) continue;
      const { since, used } = other;
      left.set(other.runId, { since, used, at: this.#leftBefore(other)?.at ?? this.#tx.now });
    }
    return left;
  }

  /** Records what the run uses and claims after the step; `before` is what it was recorded to use. */
  async settle(before: number, used: number, wants: number, started: number): Promise<OwnClaim> {
    const { now } = this.#tx;
    const { id, priority, submittedAt, state } = this.#run;
    if (this.#rate !== null && started > 0)
      await putRate(this.#tx, this.#run, afterStarts(this.#rate.rate, this.#rate.fullAt, now, started));
    const asked = state === 'queued' ? submittedAt : now;
    const since = started > 0 ? now : this.#claim.wants > 0 ? this.#claim.since : asked;
    const isNews =
      wants !== this.#claim.wants || (wants > 0 && Math.abs(since - this.#claim.since) >= SINCE_MS);
    if (used !== before || isNews)
      await putClaim(this.#tx, this.#run, { runId: id, used, wants, priority, since });
    const told = used !== before || isNews ? since : this.#claim.since;
    return { wants, since: told, left: this.#left, wakeAt: wants > 0 ? this.#wakeAt : null };
  }
}
