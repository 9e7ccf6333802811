import { readdir, rm, writeFile } from 'node:fs/promises';
import { readBeneath } from './beneath.ts';
import { type Git, splitNul } from './git.ts';
import { assertBudget, type Budget } from './git-process.ts';
import { historyObjects, type WorkspaceHandle } from './handle.ts';
import { pathText } from './path-text.ts';
import { pathKey } from './tree-entry.ts';

/*
 * The agent's own repository is data of unknown intent. Two things are read from it, both without
 * letting git interpret its configuration: the names in its index, because `git add --force` of an
 * ignored file says that the file is part of the work; and a mark by which the repository is
 * recognised after the agent moved it.
 */

/** A bigger index is not read; the files it names are then captured by the usual rules. */
const MAX_INDEX_BYTES = 256 * 1024 * 1024;
/** Ours names one store, and an agent has little reason to add any. */
const MAX_ALTERNATES_BYTES = 64 * 1024;
const ALTERNATES = ['objects', 'info', 'alternates'].map((name) => Buffer.from(name));

/** Paths in the agent's index that the baseline does not have. */
export async function forcedByAgent(
  git: Git,
  handle: WorkspaceHandle,
  seedIndex: string,
): Promise<{ paths: Buffer[]; warnings: string[] }> {
  const copied = `${seedIndex}.agent-${process.pid}`;
  try {
    const bytes = await readBeneath(
      handle.directory,
      [Buffer.from('.git'), Buffer.from('index')],
      MAX_INDEX_BYTES,
    );
    if (bytes === null) return { paths: [], warnings: [] };
    await writeFile(copied, bytes);
    const known = new Set((await git.with({ indexFile: seedIndex }).fields(['ls-files', '-z'])).map(pathKey));
    const listed = await git.with({ indexFile: copied }).run(['ls-files', '-z', '--stage'], {
      accept: Array.from({ length: 256 }, (_, code) => code),
    });
    if (listed.code !== 0)
      return {
        paths: [],
        warnings: ["the agent's index is unreadable; ignored files it added are not captured"],
      };
    const paths: Buffer[] = [];
    for (const entry of splitNul(listed.stdout)) {
      const path = entry.subarray(entry.indexOf(9) + 1);
      if (entry.toString('latin1', 0, 6) !== '160000' && !known.has(pathKey(path))) paths.push(path);
    }
    return { paths, warnings: [] };
  } finally {
    await rm(copied, { force: true });
  }
}

/** Finds the workspace's own repository when the agent renamed its folder: it is ours, not work. */
export async function ownRepositoryMoved(
  handle: WorkspaceHandle,
  budget: Budget,
): Promise<{ name: string | null; warnings: string[] }> {
  const store = historyObjects(handle.stateDir);
  for (const name of await readdir(handle.directory, { encoding: 'buffer' })) {
    assertBudget(budget);
    if (name.toString('latin1') === '.git') continue;
    const alternates = await readBeneath(handle.directory, [name, ...ALTERNATES], MAX_ALTERNATES_BYTES);
    if (alternates === null || !alternates.toString('utf8').split('\n').includes(store)) continue;
    return {
      name: name.toString('latin1'),
      warnings: [
        `the workspace's own repository was moved to ${pathText(name)}; it is not part of the product`,
      ],
    };
  }
  return { name: null, warnings: [] };
}
