import { closeSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import type { Invocation } from './invocation.ts';
import { errorName } from './read-input.ts';
import { UsageError } from './tree/usage-error.ts';
import { userPath } from './user-path.ts';

/**
 * Writes a file the user named, whole or not at all. An existing file is left alone unless `force`.
 * Gives the absolute path.
 */
export function writeOutput(invocation: Invocation, name: string, bytes: Uint8Array, force: boolean): string {
  const path = userPath(invocation.directory, name);
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    // `wx` in the target itself claims the name; the content then replaces it in one step.
    if (!force) closeSync(openSync(path, 'wx'));
    const file = openSync(temporary, 'wx');
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    if (errorName(error) === 'EEXIST')
      throw new UsageError(`${name} exists`, { next: 'add --force to replace it' });
    throw new UsageError(`${name} cannot be written (${errorName(error)})`);
  }
  return path;
}
