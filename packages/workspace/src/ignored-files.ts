import { lstat, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errno } from './errno.ts';
import { type Git, joinNul, splitNul } from './git.ts';
import { assertBudget } from './git-process.ts';
import { childPath } from './remove-tree.ts';
import { pathKey } from './tree-entry.ts';

const FILE = 'baseline.ignored';

/**
 * Remembers the ignored files that overlay and setup left, each with its identity. Without it an
 * agent that edits `.gitignore` would turn an untouched capability or a setup's build folder into
 * its own work.
 */
export async function recordIgnored(git: Git, captureDir: string): Promise<void> {
  const index = git.with({ indexFile: join(captureDir, 'baseline.index') });
  const paths = await index.fields(['ls-files', '-z', '--others', '--ignored', '--exclude-standard']);
  const records: Buffer[] = [];
  for (const path of paths) {
    assertBudget(git.scope.budget);
    records.push(path, Buffer.from(await identity(git.scope.cwd, path)));
  }
  await writeFile(join(captureDir, FILE), joinNul(records));
}

/** True for a path that was ignored at the baseline and is the same file still. */
export async function untouchedIgnored(
  git: Git,
  captureDir: string,
): Promise<(path: Buffer) => Promise<boolean>> {
  const known = new Map<string, string>();
  const records = splitNul(await readFile(join(captureDir, FILE)));
  for (let i = 0; i + 1 < records.length; i += 2)
    known.set(pathKey(records[i] ?? Buffer.alloc(0)), (records[i + 1] ?? Buffer.alloc(0)).toString('latin1'));
  return async (path) => {
    const before = known.get(pathKey(path));
    return before !== undefined && before === (await identity(git.scope.cwd, path));
  };
}

/** Inode, size and change time; the last cannot be set by the agent. Empty for a path that is gone. */
async function identity(root: string, path: Buffer): Promise<string> {
  try {
    const stats = await lstat(childPath(root, path), { bigint: true });
    return `${stats.dev}:${stats.ino}:${stats.size}:${stats.ctimeNs}`;
  } catch (error) {
    if (errno(error) === 'ENOENT' || errno(error) === 'ENOTDIR') return '';
    throw error;
  }
}
