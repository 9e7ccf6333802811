import { PalisadeError } from '@palisade/contracts';
import { aboutNow, type Database, type HoldOptions, underLease } from '@palisade/kernel';

/** How long after it was done, and after it failed, a chore is due again. */
const EVERY_MS = 24 * 60 * 60 * 1000;
const AGAIN_MS = 10 * 60 * 1000;

/** Work that some process has to do from time to time. */
export interface Chore<T> {
  /** Two processes do not do chores of one name at once, and when it was done holds for all of them. */
  readonly name: string;
  /** Ends soon, with a throw, when the signal aborts; what it did until then stays done. */
  readonly work: (signal: AbortSignal) => Promise<T>;
}

export type ChoreDeps = Pick<HoldOptions, 'database' | 'owner' | 'ttlMs' | 'isDead'>;

/** Does a chore if it is due and nobody else does it. A chore nobody ever did is due a day from now. */
export async function doIfDue<T>(deps: ChoreDeps, chore: Chore<T>, signal: AbortSignal): Promise<void> {
  if (await isDue(deps.database, chore.name)) await attempt(deps, chore, signal, true);
}

/** Does a chore now. `lease_held` when another process does it at this moment. */
export async function doNow<T>(deps: ChoreDeps, chore: Chore<T>): Promise<T> {
  const done = await attempt(deps, chore, new AbortController().signal, false);
  if (done !== null) return done.value;
  throw new PalisadeError('lease_held', 'another process is doing this at this moment', {
    next: 'try again in a minute',
  });
}

async function attempt<T>(
  deps: ChoreDeps,
  { name, work }: Chore<T>,
  signal: AbortSignal,
  onlyIfDue: boolean,
): Promise<{ readonly value: T } | null> {
  const { database } = deps;
  const outcome = await underLease({ ...deps, resource: `chore:${name}` }, async (held) => {
    // Somebody may have done it between the look and the lease.
    if (onlyIfDue && !(await isDue(database, name))) return null;
    try {
      const value = await work(AbortSignal.any([signal, held.signal]));
      await setDue(database, name, EVERY_MS);
      return { value };
    } catch (error) {
      // A chore that was interrupted stays due.
      if (!signal.aborted && !held.signal.aborted) await setDue(database, name, AGAIN_MS);
      throw error;
    }
  });
  return outcome.held ? outcome.value : null;
}

async function isDue(database: Database, name: string): Promise<boolean> {
  const known = await database.read(async (tx) => {
    const row = await tx.sql.get<{ due_at: number }>('SELECT due_at FROM chores WHERE name = ?', [name]);
    return row === undefined ? undefined : { dueAt: row.due_at, now: await aboutNow(tx) };
  });
  if (known === undefined) {
    await setDue(database, name, EVERY_MS);
    return false;
  }
  // Only a unit of work knows the protected time, and a chore a little late is no harm.
  return known.dueAt <= known.now;
}

async function setDue(database: Database, name: string, inMs: number): Promise<void> {
  await database.write((tx) =>
    tx.sql.run(
      'INSERT INTO chores (name, due_at) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET due_at = excluded.due_at',
      [name, tx.now + inMs],
    ),
  );
}
