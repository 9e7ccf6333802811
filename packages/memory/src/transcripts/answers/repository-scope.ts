import { PalisadeError } from '@palisade/contracts';
import { type Budget, branchOf } from '@palisade/workspace';
import { findRepository } from '../../repository/repository.ts';

/** What sessions are compared with to know whether they worked in a repository. */
export interface RepositoryScope {
  /** The caller's work tree; itself where there is no repository. */
  readonly workTree: string;
  /** All of its work trees, with {@link workTree}. */
  readonly folders: readonly string[];
  /** Where it is fetched from, without scheme, user and ending; null when it says none. */
  readonly origin: string | null;
  readonly branch: string | null;
}

/** The repository around a directory, or the directory alone where there is none. */
export async function repositoryScope(directory: string, budget: Budget): Promise<RepositoryScope> {
  try {
    const { git, workTree } = await findRepository(directory, budget);
    const [branch, listed, remote] = await Promise.all([
      branchOf(git, 'HEAD'),
      git.run(['worktree', 'list', '--porcelain', '-z'], { accept: [0, 129] }),
      git.run(['config', '--get', 'remote.origin.url'], { accept: [0, 1] }),
    ]);
    const trees = listed.stdout
      .toString('utf8')
      .split('\0')
      .flatMap((line) => (line.startsWith('worktree ') ? [line.slice('worktree '.length)] : []));
    return {
      workTree,
      folders: [...new Set([workTree, ...trees])],
      origin: originOf(remote.stdout.toString('utf8').trim()),
      branch,
    };
  } catch (error) {
    if (!(error instanceof PalisadeError) || error.code !== 'not_found') throw error;
    return { workTree: directory, folders: [directory], origin: null, branch: null };
  }
}

/** `git@host:owner/name.git` and `https://user@host/owner/name` are both `host/owner/name`. */
export function originOf(url: string): string | null {
  const bare = url
    .replace(/^[a-z+]+:\/\//i, '')
    .replace(/^[^@/]*@/, '')
    .replace(/^([^/:]+):(?!\d+\/)/, '$1/')
    .replace(/\/+$/, '')
    .replace(/\.git$/, '');
  return bare === '' ? null : bare.toLowerCase();
}
