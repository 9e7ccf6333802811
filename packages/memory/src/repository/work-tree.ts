import { pathText } from '@palisade/workspace';
import type { Repository } from './repository.ts';

/** A file of the work tree that git knows or would take. */
export interface TrackedFile {
  /** Text form of its name. */
  readonly path: string;
  /** Object id in git's index; undefined of what is not in it. */
  readonly oid: string | undefined;
}

/** What `git status` says of a path: its two letters, `??` for what is untracked. */
export interface ChangedFile {
  readonly path: string;
  readonly status: string;
  readonly isGone: boolean;
}

/** Folders whose content is never a person's work here. */
const SKIPPED = /(?:^|\/)(?:\.git|node_modules|\.palisade)(?:\/|$)/;

/** Regular files in git's index; links and submodules are left out. */
export async function trackedFiles({ git }: Repository): Promise<readonly TrackedFile[]> {
  const fields = await git.fields(['ls-files', '--stage', '-z']);
  return fields.flatMap((field) => {
    const tab = field.indexOf(0x09);
    const [mode = '', oid = '', stage = ''] = field.toString('latin1', 0, tab).split(' ');
    // Of a file in conflict one side is enough.
    if (!mode.startsWith('100') || (stage !== '0' && stage !== '2')) return [];
    return [{ path: pathText(field.subarray(tab + 1)), oid }];
  });
}

/** What differs from `HEAD`, with untracked files one by one (WM-015); of a rename both names. */
export async function changedFiles({ git }: Repository): Promise<readonly ChangedFile[]> {
  const fields = await git.fields([
    'status',
    '--porcelain=v1',
    '-z',
    '--no-renames',
    '--untracked-files=all',
    '--ignore-submodules=dirty',
  ]);
  return fields.flatMap((field) => {
    const status = field.toString('latin1', 0, 2);
    const path = pathText(field.subarray(3));
    if (SKIPPED.test(path)) return [];
    return [{ path, status, isGone: status[1] === 'D' || status === 'D ' }];
  });
}
