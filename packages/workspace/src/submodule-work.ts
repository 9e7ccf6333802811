import { readdir } from 'node:fs/promises';
import type { Git } from './git.ts';
import { assertBudget } from './git-process.ts';
import { pathText } from './path-text.ts';
import { childPath } from './remove-tree.ts';
import { WorkTree } from './work-tree.ts';

/** Sentences for submodules that the agent put files into: a product cannot carry them (FF-014, FF-033). */
export async function submoduleWork(git: Git, seedIndex: string): Promise<string[]> {
  const warnings: string[] = [];
  const tree = new WorkTree(git.scope.cwd);
  for (const entry of await git.with({ indexFile: seedIndex }).fields(['ls-files', '-z', '--stage'])) {
    if (entry.toString('latin1', 0, 6) !== '160000') continue;
    const path = entry.subarray(entry.indexOf(9) + 1);
    assertBudget(git.scope.budget);
    // A symlink in its place leads somewhere else, perhaps in a circle.
    if ((await tree.kind(path)).kind !== 'directory') continue;
    if ((await readdir(childPath(git.scope.cwd, path))).length > 0)
      warnings.push(
        `files were written into the submodule ${pathText(path)}; they are not part of the product`,
      );
  }
  return warnings;
}
