import { closeSync, fsyncSync, lstatSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
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
  if (process.platform === 'win32') return;
  const directory = openSync(dirname(file), 'r');
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
