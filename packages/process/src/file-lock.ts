import { existsSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { PalisadeError } from '@palisade/contracts';

const PATIENCE_MS = 30_000;
const POLL_MS = 40;
const BUSY = 5;
const SQLITE_FULL = 13;

// Nothing is ever written, so there is no journal to be left behind.
const EXCLUSIVE = 'PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE';
const LOOK = 'SELECT count(*) FROM sqlite_schema';
const SHARED = `BEGIN; ${LOOK}`;

export interface LockWish {
  /** What is said when it is not free in time. */
  readonly busy: string;
  readonly signal?: AbortSignal;
  /** 30 s when absent. */
  readonly patienceMs?: number;
}

/**
 * Runs `body` while no other process holds the lock of a file, whose directory exists. The lock is the operating system's, on an empty
 * SQLite file, so that it ends with its holder however that ends: that the file is there says nothing. `lease_held` when it was not free
 * in time.
 */
export async function withFileLock<T>(file: string, wish: LockWish, body: () => Promise<T>): Promise<T> {
  makeLock(file);
  return withFree(file, EXCLUSIVE, wish, body);
}

/** The same together with others who share it, and never with one who holds it alone. */
export async function withSharedLock<T>(file: string, wish: LockWish, body: () => Promise<T>): Promise<T> {
  makeLock(file);
  return withFree(file, SHARED, wish, body);
}

/** Resolves when nobody holds the lock of a file; at once where it is not there. `lease_held` when it was not free in time. */
export async function afterFileLock(file: string, wish: LockWish): Promise<void> {
  if (!existsSync(file)) return;
  // It is had together with others who only look, and not kept.
  await withFree(file, LOOK, wish, async () => {});
}

/**
 * Makes an empty file that only its owner reads, unless it is there. An existing one is not opened: closing it again would let go of a
 * lock that this process holds.
 */
export function makePrivate(file: string): void {
  try {
    writeFileSync(file, '', { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

/** True of a failure of the file system, or of SQLite, that room on the disk would have prevented. */
export function isDiskFull(error: unknown): boolean {
  const { errcode, code } = error as { errcode?: unknown; code?: unknown };
  return errcode === SQLITE_FULL || code === 'ENOSPC' || code === 'EDQUOT';
}

function makeLock(file: string): void {
  try {
    makePrivate(file);
  } catch (error) {
    throw unusable(file, error);
  }
}

async function withFree<T>(
  file: string,
  taking: string,
  { busy, signal, patienceMs = PATIENCE_MS }: LockWish,
  body: () => Promise<T>,
): Promise<T> {
  const { DatabaseSync } = await import('node:sqlite');
  const lock = new DatabaseSync(file, { timeout: 0 });
  const take = (): boolean => {
    try {
      lock.exec(taking);
      return true;
    } catch (error) {
      // BEGIN may have succeeded before the look that failed.
      if (lock.isTransaction) lock.exec('ROLLBACK');
      const code: unknown = error instanceof Error && 'errcode' in error ? error.errcode : undefined;
      if (code === BUSY) return false;
      throw unusable(file, error);
    }
  };
  try {
    const until = performance.now() + patienceMs;
    while (!take()) {
      if (performance.now() > until)
        throw new PalisadeError('lease_held', busy, { next: 'try again when it has ended' });
      await delay(POLL_MS * (0.5 + Math.random()), undefined, signal && { signal }).catch(() => {
        throw signal?.reason;
      });
    }
    return await body();
  } finally {
    lock.close();
  }
}

function unusable(file: string, error: unknown): PalisadeError {
  return isDiskFull(error)
    ? new PalisadeError('storage_full', `there is no room for the lock ${file}`, { cause: error })
    : new PalisadeError('internal', `the lock ${file} cannot be taken`, { cause: error });
}
