import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

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
