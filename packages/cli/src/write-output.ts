import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Invocation } from './invocation.ts';
import { errorName } from './bounded-read.ts';
import { shellWords } from '@palisade/contracts/shell-words';
import { UsageError } from './tree/usage-error.ts';
import { userPath } from './user-path.ts';

/**
 * Writes a file the user named through `fill`, whole or not at all. An existing file is left alone
 * unless `force`. Gives the absolute path.
 */
export async function writeOutput(
  invocation: Invocation,
  name: string,
  force: boolean,
  fill: (file: FileHandle) => Promise<unknown>,
): Promise<string> {
  const path = userPath(invocation.directory, name);
  const temporary = `${path}.${process.pid}.tmp`;
  let isClaimed = false;
  try {
    // `wx` in the target itself claims the name; the content then replaces it in one step.
    if (!force) {
      await (await open(path, 'wx')).close();
      isClaimed = true;
    }
    const file = await open(temporary, 'wx');
    try {
      await fill(file);
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    if (isClaimed) await rm(path, { force: true });
    // What the file system did not say is not about the file.
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    if (errorName(error) === 'EEXIST')
      throw new UsageError(`${name} exists`, { next: 'add --force to replace it' });
    if (errorName(error) === 'ENOENT')
      throw new UsageError(`${name} cannot be written: there is no directory ${dirname(path)}`, {
        next: `mkdir -p ${shellWords([dirname(path)])}`,
      });
    throw new UsageError(`${name} cannot be written (${errorName(error)})`, {
      next: 'give the path of a file that you may write',
    });
  }
  return path;
}
