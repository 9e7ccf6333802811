import type { Database, JobClaim } from '../database/database.ts';
import { staleClaim } from './jobs.ts';

export interface JobDeskOptions {
  readonly database: Database;
  readonly kinds: readonly string[];
  readonly owner: string;
  /** How long a claim is held without a heartbeat. */
  readonly leaseMs: number;
}

interface Waiting<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
}

/** Claims and completions of one transaction: bounds the statements' size. */
const BATCH = 64;

/**
 * Claims and completes jobs for many concurrent workers of one process, one transaction at a time:
 * while one is under way the wishes of other workers gather, and the next serves them together. As
 * with group commit, nobody is answered before the commit that holds the answer. Sixteen workers that
 * each ran their own transactions spent six times as long on PostgreSQL, waiting for one another.
 */
export class JobDesk {
  readonly #options: JobDeskOptions;
  readonly #claims: Waiting<JobClaim | null>[] = [];
  readonly #completions: (Waiting<void> & { readonly claim: JobClaim })[] = [];
  #isServing = false;

  constructor(options: JobDeskOptions) {
    this.#options = options;
  }

  /** The next job for one worker; null when none is ready. */
  claim(): Promise<JobClaim | null> {
    return new Promise((resolve, reject) => {
      this.#claims.push({ resolve, reject });
      this.#serve();
    });
  }

  /** Ends a claim's job; `lease_conflict` when the claim is not current any more. */
  complete(claim: JobClaim): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#completions.push({ claim, resolve, reject });
      this.#serve();
    });
  }

  #serve(): void {
    if (this.#isServing) return;
    this.#isServing = true;
    // Workers answered by the last commit are about to ask again: they come along.
    setImmediate(() => void this.#transact());
  }

  async #transact(): Promise<void> {
    const { database, kinds, owner, leaseMs } = this.#options;
    const claims = this.#claims.splice(0, BATCH);
    const completions = this.#completions.splice(0, BATCH);
    try {
      const { claimed, completed } = await database.write(
        async (tx) => ({
          completed: await tx.jobs.completeMany(completions.map(({ claim }) => claim)),
          claimed: await tx.jobs.claimMany(kinds, owner, leaseMs, claims.length),
        }),
        { guarded: true },
      );
      for (const [i, { claim, resolve, reject }] of completions.entries())
        if (completed[i] === true) resolve();
        else reject(staleClaim(claim));
      for (const [i, { resolve }] of claims.entries()) resolve(claimed[i] ?? null);
    } catch (error) {
      for (const { reject } of [...claims, ...completions]) reject(error);
    }
    this.#isServing = false;
    if (this.#claims.length > 0 || this.#completions.length > 0) this.#serve();
  }
}
