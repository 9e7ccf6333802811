import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PalisadeError } from '@palisade/contracts';
import { MEMORY_FILE } from '../store/home.ts';
import { type Budget, type Git, openRepository } from '@palisade/workspace';

/** A repository as memory sees it: what its work trees share, and the one the caller is in (WM-014, L-07). */
export interface Repository {
  /** Reads in the caller's work tree. */
  readonly git: Git;
  /** Absolute folder of the caller's work tree; files are read here. */
  readonly workTree: string;
  /** Absolute folder beside the common git directory: whose index it is, the same for all linked work trees. */
  readonly root: string;
  /** The common git directory. */
  readonly gitDir: string;
  /** Where the index is kept. */
  readonly databasePath: string;
}

/**
 * The repository around a directory. Errors: `not_found` outside of one, `invalid_input` for a bare one,
 * whose files nobody can edit (WM-014), and those of a repository that cannot be read, each with `next`.
 */
export async function findRepository(directory: string, budget: Budget): Promise<Repository> {
  const { git, topLevel, gitDir } = await openRepository(directory, budget);
  if (topLevel === gitDir)
    throw new PalisadeError('invalid_input', `${gitDir} is a bare repository: it has no files to advise on`, {
      next: `work in a tree of it: git -C ${JSON.stringify(gitDir)} worktree add ../work`,
    });
  const root = dirname(gitDir);
  return {
    git: git.with({ cwd: topLevel }),
    workTree: topLevel,
    root,
    gitDir,
    databasePath: join(root, '.palisade', MEMORY_FILE),
  };
}

/** The commits a shallow clone was cut at: each looks as if it had added everything. */
export async function shallowCommits({ gitDir }: Repository): Promise<ReadonlySet<string>> {
  const path = join(gitDir, 'shallow');
  if (!existsSync(path)) return new Set();
  return new Set((await readFile(path, 'utf8')).split('\n').filter((line) => line !== ''));
}
