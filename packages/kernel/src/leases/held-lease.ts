import { isPalisadeError, PalisadeError } from '@palisade/contracts';
import type { Database, Lease } from '../database/database.ts';

export interface HoldOptions {
  readonly database: Database;
  readonly resource: string;
  readonly owner: string;
  /** How long the lease outlives its last renewal, ms: so long a holder that stands still keeps others away. */
  readonly ttlMs: number;
  /** Proves that a holder is gone for good: its lease is then taken before it expires. */
  readonly isDead?: (holder: Lease) => boolean;
}

/**
 * Does work under a lease that is renewed for as long as the work takes. `held: false` when somebody else
 * holds it. The lease is given back afterwards, however the work ends.
 */
export async function underLease<T>(
  options: HoldOptions,
  work: (held: HeldLease) => Promise<T>,
): Promise<{ readonly held: true; readonly value: T } | { readonly held: false }> {
  const lease = await claim(options);
  if (lease === null) return { held: false };
  const held = new HeldLease(options, lease);
  try {
    return { held: true, value: await work(held) };
  } finally {
    await held.release();
  }
}

async function claim({ database, resource, owner, ttlMs, isDead }: HoldOptions): Promise<Lease | null> {
  const { lease, holder } = await database.write(async (tx) => {
    const claimed = await tx.leases.claim(resource, owner, ttlMs);
    return { lease: claimed, holder: claimed === null ? await tx.leases.read(resource) : null };
  });
  if (lease !== null || holder === null || isDead === undefined || !isDead(holder)) return lease;
  return database.write((tx) => tx.leases.claim(resource, owner, ttlMs, holder));
}

/** A lease as its holder's long work sees it. */
export class HeldLease {
  readonly #options: HoldOptions;
  readonly #lost = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #lease: Lease;
  /** `performance.now()` at which the lease has expired unless it is renewed. */
  #validUntil: number;
  #renewing: Promise<void> = Promise.resolve();

  constructor(options: HoldOptions, lease: Lease) {
    this.#options = options;
    this.#lease = lease;
    this.#validUntil = performance.now() + options.ttlMs;
    this.#timer = setInterval(() => {
      this.#renewing = this.#renew();
    }, options.ttlMs / 3);
    this.#timer.unref();
  }

  /** Aborts once the lease is lost: the work must stop and write nothing more. */
  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  /** Raises `lease_conflict` unless the lease is ours at this moment. Call before what must not be done twice. */
  async assert(): Promise<void> {
    this.#lost.signal.throwIfAborted();
    try {
      await this.#options.database.write((tx) => tx.leases.assert(this.#lease));
    } catch (error) {
      if (isPalisadeError(error, 'lease_conflict')) this.#lose();
      throw error;
    }
  }

  /** Gives it back; one that is not ours any more stays as it is, and one that cannot be given back expires. */
  async release(): Promise<void> {
    clearInterval(this.#timer);
    await this.#renewing;
    await this.#options.database.write((tx) => tx.leases.release(this.#lease)).catch(() => false);
  }

  async #renew(): Promise<void> {
    const { database, ttlMs } = this.#options;
    const asked = performance.now();
    try {
      this.#lease = await database.write((tx) => tx.leases.renew(this.#lease, ttlMs));
      this.#validUntil = asked + ttlMs;
    } catch (error) {
      // A database that is away may be back in time; after the deadline somebody else may hold the lease.
      if (isPalisadeError(error, 'lease_conflict') || performance.now() >= this.#validUntil) this.#lose();
    }
  }

  #lose(): void {
    clearInterval(this.#timer);
    this.#lost.abort(
      new PalisadeError(
        'lease_conflict',
        `the lease of ${this.#lease.resource} was lost while it was needed`,
        {
          next: 'stop, and write nothing',
        },
      ),
    );
  }
}
