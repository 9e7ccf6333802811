import { budgetOf } from './git-process.ts';
import { Git } from './git.ts';
import { branchOf } from './resolve-base.ts';

const ASK_MS = 10_000;

/** The branch checked out where `directory` is; null when detached, without a commit, or outside of a repository. */
export async function currentBranch(directory: string): Promise<string | null> {
  const git = Git.around(directory, { budget: budgetOf(ASK_MS), failure: 'not_found' });
  return branchOf(git, 'HEAD');
}
