import { realpathSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { listRuns, PalisadeError, type RunView } from '@palisade/contracts';
import type { Invocation } from './invocation.ts';
import { findWorkingTree } from './project.ts';
import type { Declaration } from './tree/declaration.ts';
import { UsageError } from './tree/usage-error.ts';

const PAGE = 200;
const PAGES = 5;
/** `@`, `@/ITEM` and `@/ITEM:PATH`. */
const OF_BRANCH = /^@(?=$|\/)/;

/** The arguments with every `@` replaced by the id of the newest run that started on the branch checked out here. */
export async function namingRuns(
  invocation: Invocation,
  declaration: Declaration,
  args: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>>> {
  const named = { ...args };
  for (const [name, { completes }] of Object.entries(declaration.args)) {
    const word = args[name];
    if (completes === 'run' && typeof word === 'string' && OF_BRANCH.test(word))
      named[name] = word.replace(OF_BRANCH, await runOfBranch(invocation));
  }
  return named;
}

async function runOfBranch(invocation: Invocation): Promise<string> {
  const tree = findWorkingTree(invocation.directory);
  if (tree === undefined) throw new UsageError('@ is the run of this branch, and this is no git repository');
  const { currentBranch } = await import('@palisade/workspace');
  const branch = await currentBranch(tree);
  if (branch === null) throw new UsageError('@ is the run of this branch, and no branch is checked out');
  const repository = realpathSync(tree);
  let cursor: string | undefined;
  for (let page = 0; page < PAGES; page++) {
    const answer = await invocation.call(listRuns, {
      limit: PAGE,
      ...(cursor === undefined ? {} : { cursor }),
    });
    for (const { id, workspace } of answer.data)
      if (workspace.branch === branch && (await isFrom(workspace, repository))) return id;
    cursor = answer.next_cursor;
    if (cursor === undefined) break;
  }
  throw new PalisadeError('not_found', `no run started on branch ${branch}`, {
    why: 'a run counts whose commit this repository has: git fetch brings those of others',
    next: 'pal status',
  });
}

/**
 * True when a run started from a repository. Who may not see where that lies is told its name alone, and a clone may be called anything:
 * then it is the one that has the commit.
 */
async function isFrom({ repository, commit }: RunView['workspace'], path: string): Promise<boolean> {
  if (repository === path) return true;
  if (repository === undefined || isAbsolute(repository) || commit === undefined) return false;
  const { resolveBase } = await import('@palisade/workspace');
  return resolveBase({ directory: path, revision: commit }).then(
    () => true,
    () => false,
  );
}
