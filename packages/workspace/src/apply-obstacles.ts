import { access, constants, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PalisadeError } from '@palisade/contracts';
import { type ApplyTarget, exists } from './apply-target.ts';
import { errno } from './errno.ts';
import type { PathStates } from './path-states.ts';
import { pathBytes, pathText } from './path-text.ts';
import { collidingNames } from './product-warnings.ts';
import { childPath } from './remove-tree.ts';
import { parentOf, WorkTree } from './work-tree.ts';

/* What makes a proved patch impossible to write into a checkout: each refuses before anything is touched. */

/** What git leaves in its directory while the operator is in the middle of something. */
const OPERATIONS: Readonly<Record<string, string>> = {
  MERGE_HEAD: 'merge',
  'rebase-merge': 'rebase',
  'rebase-apply': 'rebase or am',
  CHERRY_PICK_HEAD: 'cherry-pick',
  REVERT_HEAD: 'revert',
};

export async function assertNoOperation(target: ApplyTarget): Promise<void> {
  if (target.ownGitDir === null) return;
  for (const [file, name] of Object.entries(OPERATIONS))
    if (await exists(join(target.ownGitDir, file)))
      throw new PalisadeError('target_dirty', `a ${name} is under way in ${target.topLevel}`, {
        next: 'finish or abort it, then apply again',
      });
}

/** Refuses when a file is to appear where something unknown to the patch lies. */
export async function assertPlacesFree(target: ApplyTarget, states: readonly PathStates[]): Promise<void> {
  const tree = new WorkTree(target.topLevel);
  const going = new Set(states.filter((state) => state.after === null).map((state) => state.path));
  for (const { path } of states.filter((state) => state.after !== null)) {
    const bytes = pathBytes(path);
    const blocker = await tree.blocker(bytes);
    if (blocker !== null && !going.has(pathText(blocker))) throw inTheWay(path, pathText(blocker));
    const found = await tree.kind(bytes);
    if (found.kind === 'special') throw inTheWay(path, path);
    if (found.kind === 'directory' && !(await emptiesFolder(target, bytes, going)))
      throw inTheWay(path, path);
  }
}

/** True when removing the `going` files leaves nothing in a folder. */
async function emptiesFolder(
  target: ApplyTarget,
  folder: Buffer,
  going: ReadonlySet<string>,
): Promise<boolean> {
  for (const entry of await readdir(childPath(target.topLevel, folder), {
    encoding: 'buffer',
    withFileTypes: true,
  })) {
    const path = childPath(folder, entry.name);
    if (entry.isDirectory()) {
      const inside = await readdir(childPath(target.topLevel, path));
      if (inside.length === 0 || !(await emptiesFolder(target, path, going))) return false;
    } else if (!going.has(pathText(path))) return false;
  }
  return true;
}

function inTheWay(path: string, what: string): PalisadeError {
  return new PalisadeError('target_dirty', `${what} is in the way of ${path}`, {
    next: `move ${what} away, then apply again`,
  });
}

export async function assertWritable(target: ApplyTarget, states: readonly PathStates[]): Promise<void> {
  const folders = new Set<string>();
  for (const { path } of states) folders.add(pathText(parentOf(pathBytes(path))));
  for (const folder of folders) {
    let bytes = pathBytes(folder);
    while (bytes.length > 0 && !(await exists(childPath(target.topLevel, bytes)))) bytes = parentOf(bytes);
    const place = bytes.length === 0 ? target.topLevel : childPath(target.topLevel, bytes);
    await access(place, constants.W_OK).catch((error: unknown) => {
      throw new PalisadeError('requirements_unmet', `${place.toString()} cannot be written to`, {
        why: errno(error) ?? 'unknown',
        next: 'make the folder writable, or apply elsewhere',
        cause: error,
      });
    });
  }
}

/** FF-008: on a folding file system two names would become one file. */
export async function assertNamesFit(target: ApplyTarget, states: readonly PathStates[]): Promise<void> {
  if (!target.foldsCase) return;
  const added = states
    .filter((state) => state.before === null && state.after !== null)
    .map((state) => state.path);
  if (added.length === 0) return;
  const gone = new Set(states.filter((state) => state.after === null).map((state) => state.path));
  const listed =
    target.operator === null
      ? []
      : (await target.operator.fields(['ls-files', '-z', '--cached', '--others'])).map(pathText);
  const [pair] = collidingNames([...listed.filter((path) => !gone.has(path)), ...added], added);
  if (pair !== undefined)
    throw new PalisadeError(
      'patch_conflict',
      `${pair[0]} and ${pair[1]} cannot exist together in ${target.topLevel}`,
      {
        why: 'its file system takes names that differ only in case for one',
        next: 'rename one of the two in the product',
      },
    );
}
