import { existsSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { type ConsoleClaim, PalisadeError } from '@palisade/contracts';
import type { Budget } from '@palisade/workspace';
import { findRepository } from '../repository/repository.ts';

/** As many as Linux follows. */
const MAX_LINKS = 40;

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
 * What a written path is within the repository, the same from every work tree: links are followed as the
 * system follows them, also where what they lead to is not there yet. Errors: `unsafe_path` when it is outside.
 */
export function claimTarget(
  { workTrees }: ClaimedRepository,
  directory: string,
  written: string,
): ClaimTarget {
  const path = followed(isAbsolute(written) ? written : `${directory}/${written}`);
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

/**
 * The path that the system would open: links are followed where they stand, so that `..` behind one is of where it leads.
 * What is not there yet, a link may lead to as well.
 */
function followed(path: string): string {
  let at = '/';
  let links = 0;
  for (const parts = path.split('/'); parts.length > 0; ) {
    const part = parts.shift() ?? '';
    if (part === '' || part === '.') continue;
    if (part === '..') {
      at = dirname(at);
      continue;
    }
    const next = join(at, part);
    const to = linkAt(next);
    if (to === undefined) at = next;
    else {
      if ((links += 1) > MAX_LINKS) throw unfollowed(path);
      if (isAbsolute(to)) at = '/';
      parts.unshift(...to.split('/'));
    }
  }
  return at;
}

/** What a link says; undefined where there is none. */
function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EINVAL' || code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw unfollowed(path, error);
  }
}

function unfollowed(path: string, cause?: unknown): PalisadeError {
  return new PalisadeError('unsafe_path', `${JSON.stringify(path)} cannot be followed`, { cause });
}
