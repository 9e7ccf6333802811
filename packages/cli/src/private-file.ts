import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorName } from './bounded-read.ts';

/**
 * Puts a file that only its owner reads in the place of another: whole and on the disk when this returns, and as it was when anything
 * fails. Its writers take turns.
 */
export function replacePrivateFile(file: string, text: string): void {
  const draft = `${file}.tmp`;
  // Left by a writer that died.
  rmSync(draft, { force: true });
  const opened = openSync(draft, 'wx', 0o600);
  try {
    writeFileSync(opened, text);
    fsyncSync(opened);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  } finally {
    closeSync(opened);
  }
  renameSync(draft, file);
  if (process.platform === 'win32') return;
  const directory = openSync(dirname(file), 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}

/**
 * Makes an empty file that only its owner reads, unless it is there. An existing one is not opened: closing it again would let go of a
 * lock that this process holds.
 */
export function makePrivate(file: string): void {
  try {
    writeFileSync(file, '', { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (errorName(error) !== 'EEXIST') throw error;
  }
}

const SQLITE_FULL = 13;

/** True of a failure of the file system, or of SQLite, that room on the disk would have prevented. */
export function isDiskFull(error: unknown): boolean {
  const { errcode, code } = error as { errcode?: unknown; code?: unknown };
  return errcode === SQLITE_FULL || code === 'ENOSPC' || code === 'EDQUOT';
}
