import { pathText } from '@palisade/workspace';
import type { Repository } from './repository.ts';

/** What git's index holds under a name. */
export interface TrackedFile {
  /** Text form of its name. */
  readonly path: string;
  /** Object id in git's index. */
  readonly oid: string;
  /** A submodule is another repository; a link is none of the files that are read. */
  readonly kind: 'file' | 'link' | 'submodule';
}

/** What `git status` says of a path: its two letters, `??` for what is untracked. */
export interface ChangedFile {
  readonly path: string;
  readonly status: string;
  readonly isGone: boolean;
}

/** Folders whose content is never a person's work here, unless git knows it. */
export const SKIPPED = /(?:^|\/)(?:\.git|node_modules|\.palisade)(?:\/|$)/;

export async function trackedFiles({ git }: Repository): Promise<readonly TrackedFile[]> {
  const fields = await git.fields(['ls-files', '--stage', '-z']);
  return fields.flatMap((field) => {
    const tab = field.indexOf(0x09);
    const [mode = '', oid = '', stage = ''] = field.toString('latin1', 0, tab).split(' ');
    // Of a file in conflict one side is enough.
    if (stage !== '0' && stage !== '2') return [];
    const kind = mode.startsWith('100') ? 'file' : mode.startsWith('16') ? 'submodule' : 'link';
    return [{ path: pathText(field.subarray(tab + 1)), oid, kind }];
  });
}

/** Where the caller's work tree stands, and what differs there from `HEAD`. */
export interface WorkTreeState {
  /** Null before the first commit. */
  readonly commit: string | null;
  /** Null when detached, and before the first commit. */
  readonly branch: string | null;
  /** With untracked files one by one (WM-015); of a rename both names. */
  readonly changes: readonly ChangedFile[];
}

export async function stateOf({ git }: Repository): Promise<WorkTreeState> {
  const fields = await git.fields([
    'status',
    '--porcelain=v2',
    '--branch',
    '-z',
    '--no-renames',
    '--untracked-files=all',
    '--ignore-submodules=dirty',
  ]);
  let commit: string | null = null;
  let branch: string | null = null;
  const changes: ChangedFile[] = [];
  for (const field of fields) {
    const [kind = '', second = '', third = ''] = field.toString('utf8', 0, 300).split(' ');
    if (kind === '#') {
      if (second === 'branch.oid' && third !== '(initial)') commit = third;
      if (second === 'branch.head' && third !== '(detached)') branch = field.toString('utf8').slice(14);
      continue;
    }
    // Two letters and their names' places: of a file in conflict there are three objects.
    const status = kind === '?' ? '??' : second.replaceAll('.', ' ');
    const path = pathText(afterSpaces(field, kind === '?' ? 1 : kind === 'u' ? 10 : 8));
    if (!SKIPPED.test(path)) changes.push({ path, status, isGone: status[1] === 'D' || status === 'D ' });
  }
  return { commit, branch: commit === null ? null : branch, changes };
}

function afterSpaces(field: Buffer, count: number): Buffer {
  let at = 0;
  for (let left = count; left > 0; left--) at = field.indexOf(0x20, at) + 1;
  return field.subarray(at);
}
