import { lchown, lstat, readdir } from 'node:fs/promises';
import { errno } from './errno.ts';
import type { WorkspaceHandle } from './handle.ts';
import { childPath } from './remove-tree.ts';

/**
 * Gives the workspace's files to the user the sandbox runs programs as. Symlinks change hands
 * themselves, never what they point to. Called by root, before the baseline is recorded and again
 * whenever root wrote into the workspace; only while no program of the agent runs.
 */
export async function handOver(handle: WorkspaceHandle, uid: number, gid: number): Promise<void> {
  const queue: (string | Buffer)[] = [handle.directory];
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    const stats = await lstat(path).catch((error: unknown) => {
      if (errno(error) === 'ENOENT') return null;
      throw error;
    });
    if (stats === null) continue;
    if (stats.uid !== uid || stats.gid !== gid) await lchown(path, uid, gid);
    if (stats.isDirectory())
      for (const name of await readdir(path, { encoding: 'buffer' })) queue.push(childPath(path, name));
  }
}
