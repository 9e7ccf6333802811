import {
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { readRegularFile } from './bounded-read.ts';
import { UsageError } from './tree/usage-error.ts';

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
  syncDirectory(dirname(file));
}

/**
 * Makes a directory that only its owner reaches, and those above it that are not there: each is on the disk when this returns. Raises a
 * UsageError for what is something else.
 */
export function makePrivateDirectory(directory: string, sync = syncDirectory): void {
  const first = mkdirSync(directory, { recursive: true, mode: 0o700 });
  if (!lstatSync(directory).isDirectory()) throw new UsageError(`${directory} is no directory`);
  if (first === undefined) return;
  for (let made = directory; made.length >= first.length; made = dirname(made)) sync(dirname(made));
}

/** Windows has no such call, and orders its metadata itself. */
function syncDirectory(path: string): void {
  if (process.platform === 'win32') return;
  const directory = openSync(path, 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}

/** The text of a file that only its owner reaches; undefined where there is none. Raises a UsageError for any other. */
export function readPrivateFile(file: string, maxBytes: number): string | undefined {
  const facts = lstatSync(file, { throwIfNoEntry: false });
  if (facts === undefined) return undefined;
  const isOpen =
    process.platform !== 'win32' && (facts.uid !== process.getuid?.() || (facts.mode & 0o077) !== 0);
  if (!facts.isFile() || facts.nlink > 1 || isOpen)
    throw new UsageError(`${file} is not a file of yours alone`, { next: 'take it away' });
  const tooLarge = (): Error => new UsageError(`${file} is larger than ${maxBytes} bytes`);
  return readRegularFile(file, { shown: file, maxBytes, tooLarge }, 'refuse').toString('utf8');
}
