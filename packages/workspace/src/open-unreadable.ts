import { chmod, lstat, readdir } from 'node:fs/promises';
import { errno } from './errno.ts';
import { assertBudget, type Budget } from './git-process.ts';
import { childPath } from './remove-tree.ts';

/**
 * Gives ourselves read access to every directory and regular file of a tree we own (FF-019). The
 * execute bit of files, which is content, stays as it was. Only of use without root, where the
 * agent's files are our own; runs after its processes have ended.
 */
export async function openUnreadable(root: string, budget: Budget): Promise<void> {
  if (process.geteuid?.() === 0) return;
  const queue: (string | Buffer)[] = [root];
  for (let directory = queue.pop(); directory !== undefined; directory = queue.pop()) {
    assertBudget(budget);
    for (const name of await names(directory)) {
      const path = childPath(directory, name);
      const stats = await lstat(path);
      const wanted = stats.isDirectory() ? 0o700 : 0o400;
      if ((stats.isDirectory() || stats.isFile()) && (stats.mode & wanted) !== wanted)
        await chmod(path, (stats.mode & 0o7777) | wanted).catch(ignoreForeign);
      if (stats.isDirectory()) queue.push(path);
    }
  }
}

async function names(directory: string | Buffer): Promise<Buffer[]> {
  try {
    return await readdir(directory, { encoding: 'buffer' });
  } catch (error) {
    ignoreForeign(error);
    return [];
  }
}

/** Another user's file: the capture that follows names it. */
function ignoreForeign(error: unknown): void {
  if (errno(error) !== 'EPERM' && errno(error) !== 'EACCES' && errno(error) !== 'ENOENT') throw error;
}
