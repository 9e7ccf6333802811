import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { type ConsoleClaim, PalisadeError } from '@palisade/contracts';
import type { Budget } from '@palisade/workspace';
import { findRepository } from '../repository/repository.ts';

/** A repository as claims see it: one, whatever its work trees. */
export interface ClaimedRepository {
  /** The common git directory, links resolved: work trees side by side may share everything else. */
  readonly repository: string;
  /** Its work trees, links resolved, the longest path first: one may lie within another. */
  readonly workTrees: readonly string[];
}

export type ClaimTarget = Pick<ConsoleClaim, 'target' | 'target_type'>;

/** Errors: those of {@link findRepository}. */
export async function claimedRepository(directory: string, budget: Budget): Promise<ClaimedRepository> {
  const { git, gitDir, workTree } = await findRepository(directory, budget);
  const listed = await git.run(['worktree', 'list', '--porcelain', '-z'], { accept: [0, 129] });
  const trees = listed.stdout
    .toString('utf8')
    .split('\0')
    .flatMap((line) => (line.startsWith('worktree ') ? [line.slice('worktree '.length)] : []));
  return {
    repository: realpathSync(gitDir),
    workTrees: [
      ...new Set([workTree, ...trees].filter((path) => existsSync(path)).map((path) => realpathSync(path))),
    ].toSorted((one, other) => other.length - one.length),
  };
}

/**
 * What a written path is within the repository, the same from every work tree: links are followed as far as the path
 * exists. Errors: `unsafe_path` when it is outside.
 */
export function claimTarget(
  { workTrees }: ClaimedRepository,
  directory: string,
  written: string,
): ClaimTarget {
  const path = followed(resolve(directory, written));
  const workTree = workTrees.find((tree) => path === tree || path.startsWith(`${tree}/`));
  if (workTree === undefined || written === '' || written.includes('\0'))
    throw new PalisadeError('unsafe_path', `${JSON.stringify(written)} is no path within this repository`, {
      next: 'name a file or folder of it',
    });
  const isDirectory = statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? written.endsWith('/');
  return {
    target: relative(workTree, path) || '.',
    target_type: isDirectory ? 'directory' : 'file',
  };
}

/** Whether two claims are of the same thing, or one is of something below the other. */
export function overlap(one: string, other: string): boolean {
  return isWithin(one, other) || isWithin(other, one);
}

function isWithin(path: string, folder: string): boolean {
  return folder === '.' || path === folder || path.startsWith(`${folder}/`);
}

/** The path with the links in it followed; what is not there yet is where its folder is. */
function followed(path: string): string {
  for (let at = path, rest = ''; ; rest = join(at.slice(dirname(at).length), rest), at = dirname(at))
    try {
      return join(realpathSync(at), rest);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if ((code !== 'ENOENT' && code !== 'ENOTDIR') || at === dirname(at))
        throw new PalisadeError('unsafe_path', `${JSON.stringify(path)} cannot be followed`, {
          cause: error,
        });
    }
}
