import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { PalisadeError } from '@palisade/contracts';
import { errorName } from '../bounded-read.ts';

const PATIENCE_MS = 30_000;
const POLL_MS = 40;
const BUSY = 5;

/**
 * Runs `body` while no other process applies or takes back anything in this project: what is proved
 * there is what is changed, and no record is lost. The lock is the operating system's, on an empty SQLite
 * file, so that it ends with its holder however that ends. `lease_held` when it was not free in time.
 */
export async function withApplyLock<T>(
  projectDirectory: string,
  signal: AbortSignal,
  body: () => Promise<T>,
  patienceMs = PATIENCE_MS,
): Promise<T> {
  const file = join(projectDirectory, '.palisade', 'applied', 'lock');
  makePrivate(file);
  const lock = new DatabaseSync(file, { timeout: 0 });
  try {
    const until = performance.now() + patienceMs;
    while (!isTaken(lock)) {
      if (performance.now() > until)
        throw new PalisadeError('lease_held', 'busy: another pal apply is at work in this project', {
          next: 'try again when it has ended',
        });
      await delay(POLL_MS * (0.5 + Math.random()), undefined, { signal }).catch(() => {
        throw signal.reason;
      });
    }
    return await body();
  } finally {
    lock.close();
  }
}

function isTaken(lock: DatabaseSync): boolean {
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    const code: unknown = error instanceof Error && 'errcode' in error ? error.errcode : undefined;
    if (code === BUSY) return false;
    throw new PalisadeError('internal', 'the lock of pal apply cannot be taken', { cause: error });
  }
}

/** An existing file is not opened here: closing it again would let go of a lock that this process holds. */
function makePrivate(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  try {
    writeFileSync(file, '', { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (errorName(error) !== 'EEXIST') throw error;
  }
}
