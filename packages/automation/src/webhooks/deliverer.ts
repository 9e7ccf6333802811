import { faultPoint, limits } from '@palisade/contracts';
import {
  buryLostJobs,
  type Database,
  forgetEndedJobs,
  type JobClaim,
  NearClock,
  type WriteTx,
} from '@palisade/kernel';
import { attempt, type AttemptDeps, type Outcome, pauseMs } from './attempt.ts';
import {
  dueEndpoints,
  forgetDeliveries,
  hasPending,
  jobKind,
  markAttempt,
  markOutcome,
  type Message,
  pendingMessage,
} from './delivery-store.ts';
import { disableEndpoint, type Endpoint, type EndpointOf, findEndpoint } from './endpoint-store.ts';

/** Attempts under way at once: of this process, and of one endpoint. */
const AT_ONCE = 32;
const AT_ONCE_EACH = 4;
const LOOKED_AT = 64;
/** How long a claim is held at least: well above the time of an attempt. */
const LEAST_LEASE_MS = 10_000;
/** How often what is old is forgotten. */
const FORGET_MS = 3_600_000;
/** How long messages are kept after they were delivered or given up. */
const KEPT_MS = 30 * 86_400_000;
const FORGOTTEN_AT_ONCE = 200;

export interface DelivererOptions extends AttemptDeps {
  readonly database: Database;
  /** Names this process among those that deliver. */
  readonly owner: string;
  /** How long a claim is held; limits.leaseMs by default, and never shorter than an attempt can be. */
  readonly leaseMs?: number;
  readonly onFault: (error: unknown, about: string) => void;
  /** This machine's clock: it says when to look, and never whether a time has come. */
  readonly wallClock?: () => number;
  readonly random?: () => number;
}

interface Claimed {
  readonly claim: JobClaim;
  readonly message: Message;
  readonly endpoint: Endpoint;
  readonly now: number;
}

/**
 * Delivers what waits in the outbox; any number of processes may. A message is delivered at least once, always
 * under the same id: whoever dies between an answer and its record is repeated by the next.
 */
export class Deliverer {
  readonly #options: DelivererOptions;
  readonly #stop = new AbortController();
  readonly #underWay = new Map<string, { readonly kind: string; readonly done: Promise<void> }>();
  readonly #clock: NearClock;
  #forgetAt = Number.NEGATIVE_INFINITY;

  constructor(options: DelivererOptions) {
    this.#options = options;
    this.#clock = new NearClock(options.database, options.wallClock);
  }

  /** Begins to deliver what is due; does not wait for it. */
  async look(): Promise<void> {
    const { database } = this.#options;
    const wall = (this.#options.wallClock ?? Date.now)();
    if (wall >= this.#forgetAt) await this.#forget(wall);
    if (!(await this.hasPending())) return;
    const now = await this.#clock.now();
    const due = await database.read((tx) => dueEndpoints(tx, now, LOOKED_AT));
    const wanted = due.flatMap((endpoint) => {
      const room = Math.min(AT_ONCE_EACH - this.#busy(jobKind(endpoint)), AT_ONCE - this.#underWay.size);
      return room > 0 ? [{ endpoint, room }] : [];
    });
    if (wanted.length === 0) return;
    const claimed = await database.write((tx) => this.#claim(tx, wanted));
    if (claimed.length > 0) faultPoint('webhook.claimed');
    for (const each of claimed) {
      const done = this.#deliver(each).finally(() => this.#underWay.delete(each.message.id));
      this.#underWay.set(each.message.id, { kind: jobKind(each.message), done });
    }
  }

  /** True when some message waits to be delivered. */
  hasPending(): Promise<boolean> {
    return this.#options.database.read(hasPending);
  }

  /** Resolves when no attempt is under way. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all([...this.#underWay.values()].map(({ done }) => done));
  }

  /** Breaks off what is under way; it stays pending. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.settled();
  }

  get #leaseMs(): number {
    return Math.max(LEAST_LEASE_MS, this.#options.leaseMs ?? limits.leaseMs);
  }

  #busy(kind: string): number {
    return [...this.#underWay.values()].filter((each) => each.kind === kind).length;
  }

  async #claim(
    tx: WriteTx,
    wanted: readonly { readonly endpoint: EndpointOf; readonly room: number }[],
  ): Promise<Claimed[]> {
    const claimed: Claimed[] = [];
    for (const { endpoint: of, room } of wanted) {
      const kind = jobKind(of);
      for (const lost of await buryLostJobs(tx, kind))
        await markOutcome(tx, idOf(lost.payload), {
          state: 'undelivered',
          reason: 'aborted',
          status: null,
          nextAt: null,
        });
      const endpoint = await findEndpoint(tx, of);
      for (const claim of await tx.jobs.claimMany([kind], this.#options.owner, this.#leaseMs, room)) {
        const message = await pendingMessage(tx, idOf(claim.payload));
        if (message !== undefined && endpoint?.state === 'enabled') {
          await markAttempt(tx, message.id, tx.now + this.#leaseMs);
          claimed.push({ claim, message, endpoint, now: tx.now });
          continue;
        }
        await tx.jobs.complete(claim);
        if (message !== undefined)
          await markOutcome(tx, message.id, {
            state: 'undelivered',
            reason: 'refused',
            status: null,
            nextAt: null,
          });
      }
    }
    return claimed;
  }

  async #deliver({ claim, message, endpoint, now }: Claimed): Promise<void> {
    const about = `webhook ${endpoint.name}`;
    try {
      const outcome = await attempt(this.#options, endpoint, message, now, this.#stop.signal);
      faultPoint('webhook.after-answer');
      await this.#options.database.write((tx) => this.#record(tx, claim, message, outcome));
    } catch (error) {
      // Its lease runs out, and somebody delivers it again.
      this.#options.onFault(error, about);
    }
  }

  async #record(tx: WriteTx, claim: JobClaim, message: Message, outcome: Outcome): Promise<void> {
    if (outcome.what === 'delivered') {
      await tx.jobs.complete(claim);
      const { status } = outcome;
      await markOutcome(tx, message.id, { state: 'delivered', reason: null, status, nextAt: null });
      return;
    }
    const { what, reason, status, retryAfterMs } = outcome;
    if (what !== 'failed') {
      await tx.jobs.complete(claim);
      if (what === 'gone') await disableEndpoint(tx, message, 'it answered that it is gone (410)');
      await markOutcome(tx, message.id, { state: 'undelivered', reason, status, nextAt: null });
      return;
    }
    if (this.#stop.signal.aborted) {
      await tx.jobs.standDown(claim);
      await markOutcome(tx, message.id, { state: 'pending', reason, status, nextAt: tx.now });
      return;
    }
    const pause = Math.max(retryAfterMs, pauseMs(claim.attempt, this.#options.random ?? Math.random));
    const nextAt = tx.now + pause;
    const state = await tx.jobs.fail(claim, reason, { retryAt: nextAt });
    await markOutcome(
      tx,
      message.id,
      state === 'dead'
        ? { state: 'undelivered', reason, status, nextAt: null }
        : { state: 'pending', reason, status, nextAt },
    );
  }

  /** Forgets a part at a time: what is more than that is gone with the next looks. */
  async #forget(wall: number): Promise<void> {
    const forgotten = await this.#options.database.write(async (tx) => {
      const before = tx.now - KEPT_MS;
      const jobs = await forgetEndedJobs(tx, before, FORGOTTEN_AT_ONCE);
      return Math.max(jobs, await forgetDeliveries(tx, before, FORGOTTEN_AT_ONCE));
    });
    if (forgotten < FORGOTTEN_AT_ONCE) this.#forgetAt = wall + FORGET_MS;
  }
}

function idOf(payload: unknown): string {
  const id = typeof payload === 'object' && payload !== null && 'id' in payload ? payload.id : '';
  return typeof id === 'string' ? id : '';
}
