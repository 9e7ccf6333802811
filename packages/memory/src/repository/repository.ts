import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { PalisadeError } from '@palisade/contracts';
import { type Budget, Git, openRepository, operatorValues } from '@palisade/workspace';

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
  /** Where the index is kept: where nothing is ever checked out, and for each repository its own. */
  readonly databasePath: string;
}

/**
 * The repository around a directory. Errors: `not_found` outside of one, `invalid_input` for a bare one,
 * whose files nobody can edit (WM-014), and those of a repository that cannot be read, each with `next`.
 */
export async function findRepository(directory: string, budget: Budget): Promise<Repository> {
  const asked = ignored(Git.around(directory, { budget }));
  // What hinders it hinders the other too, which says it better.
  asked.catch(() => {});
  const { git: opened, topLevel, gitDir } = await openRepository(directory, budget);
  const git = opened.with({
    foreignConfig: [...(opened.scope.foreignConfig ?? []), ...(await asked)],
  });
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
    databasePath: join(gitDir, 'palisade', 'memory.db'),
  };
}

/** The operator's own list of what is no work: git reads it by default, and ours is told to read no settings of anybody. */
async function ignored(git: Git): Promise<readonly (readonly [string, string])[]> {
  const named = (await operatorValues(git, ['core.excludesfile'])).get('core.excludesfile');
  const path =
    named?.replace(/^~(?=\/)/, () => homedir()) ??
    join(process.env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config'), 'git/ignore');
  return existsSync(path) ? [['core.excludesFile', path]] : [];
}

/** The commits a shallow clone was cut at: each looks as if it had added everything. */
export async function shallowCommits({ gitDir }: Repository): Promise<ReadonlySet<string>> {
  const path = join(gitDir, 'shallow');
  if (!existsSync(path)) return new Set();
  return new Set((await readFile(path, 'utf8')).split('\n').filter((line) => line !== ''));
}
