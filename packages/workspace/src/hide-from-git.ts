import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errno } from './errno.ts';

/**
 * Creates a directory of ours that git never sees: it carries its own `.gitignore` with `*`, so no
 * file of the repository is edited and `git add -A` stages nothing of it (FF-026). Idempotent; a
 * `.gitignore` that exists is left alone.
 */
export async function hideFromGit(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  try {
    await writeFile(join(directory, '.gitignore'), '*\n', { flag: 'wx' });
  } catch (error) {
    if (errno(error) !== 'EEXIST') throw error;
  }
}
