import { AsyncLocalStorage } from 'node:async_hooks';
import type { Caller } from '@palisade/contracts';
import type { Database, WriteTx } from '@palisade/kernel';
import { guardedWrites } from '../guarded-writes.ts';

/**
 * The database as operations see it that are called from outside: every unit of work begins by asking whether its caller may still
 * call, after the writer lock (AC-056). What nobody outside called (an engine's steps, a schedule) is not asked about.
 */
export class GuardedCalls {
  readonly #callers = new AsyncLocalStorage<Caller>();
  readonly #recheck: (tx: WriteTx, caller: Caller) => Promise<void>;

  /** `recheck` raises `authentication_required` when the caller's credential is not good any more. */
  constructor(recheck: (tx: WriteTx, caller: Caller) => Promise<void>) {
    this.#recheck = recheck;
  }

  /** Runs a call in the name of its caller. */
  as<T>(caller: Caller, call: () => Promise<T>): Promise<T> {
    return this.#callers.run(caller, call);
  }

  guard(database: Database): Database {
    return guardedWrites(database, () => {
      const caller = this.#callers.getStore();
      return caller === undefined ? undefined : (tx) => this.#recheck(tx, caller);
    });
  }
}
