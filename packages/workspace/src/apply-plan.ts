import { access, constants, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isPalisadeError, limits, PalisadeError } from '@palisade/contracts';
import { type ApplyTarget, exists, withApplyTarget } from './apply-target.ts';
import { writePatch } from './capture-patch.ts';
import { copyIndex } from './copy-index.ts';
import { errno } from './errno.ts';
import type { ObjectFormat } from './git-files.ts';
import { changedFiles, type PatchFile } from './patch-file.ts';
import { summarisePatch } from './patch-summary.ts';
import {
  committedStates,
  type PathState,
  type PathStates,
  readStates,
  sameState,
  statesOf,
} from './path-states.ts';
import { pathBytes, pathText } from './path-text.ts';
import { collidingNames, executableWarnings } from './product-warnings.ts';
import { childPath } from './remove-tree.ts';
import { indexInfo } from './tree-entry.ts';
import { parentOf, WorkTree } from './work-tree.ts';

/** A product to apply: the absolute path of its patch. `item` names it in messages. */
export interface ProductPatch {
  readonly item: string;
  readonly file: string;
}

/** A proved change of a checkout. Nothing was touched yet. */
export interface ApplyPlan {
  readonly topLevel: string;
  /** All products as one patch against the files as they are now. */
  readonly patch: Buffer;
  readonly files: readonly PatchFile[];
  readonly states: readonly PathStates[];
  /** Items whose patch needed a three-way merge because the checkout moved on. */
  readonly merged: readonly string[];
  /** What the operator must know, one sentence each. */
  readonly warnings: readonly string[];
  readonly format: ObjectFormat;
}

/**
 * Proves that products apply in this order to the files of a checkout as they are now, in a
 * temporary index and object store. Touches nothing. Uncommitted changes elsewhere are fine, and so
 * are those in a changed file as long as the product fits beside them.
 *
 * Errors, each with git's words or the path, and `next` (FF-024): `patch_conflict` names item and
 * file; `target_dirty` when uncommitted work is in the way or a merge, rebase or the like is under
 * way; `requirements_unmet` for a read-only or damaged target; `invalid_input` for bytes that are no patch.
 */
export async function planApply(input: {
  readonly directory: string;
  readonly patches: readonly ProductPatch[];
}): Promise<ApplyPlan> {
  const parsed: ParsedPatch[] = [];
  // One after another: several may be as big as a patch can be.
  for (const patch of input.patches) parsed.push(await parsePatch(patch));
  const paths = [...new Set(parsed.flatMap((patch) => patch.files.flatMap(pathsOf)))].sort();
  const format = parsed.some((patch) => patch.format === 'sha256') ? 'sha256' : 'sha1';
  return withApplyTarget(input.directory, format, async (target) => {
    await assertNoOperation(target);
    const before = await readStates(target, paths);
    const merged = await applyInOrder(target, parsed, before);
    const after = await statesOf(target, before.indexFile, paths);
    const states = paths
      .map(
        (path): PathStates => ({
          path,
          before: before.states.get(path) ?? null,
          after: after.get(path) ?? null,
        }),
      )
      .filter((state) => !sameState(state.before, state.after));
    await assertPlacesFree(target, states);
    await assertWritable(target, states);
    await assertNamesFit(target, states);
    const { patch, files } = await combine(target, states);
    return {
      topLevel: target.topLevel,
      patch,
      files,
      states,
      merged,
      warnings: [
        ...executableWarnings(files, target.executablePaths),
        ...(await dirtyWarnings(target, states)),
      ],
      format,
    };
  });
}

interface ParsedPatch extends ProductPatch {
  readonly files: readonly PatchFile[];
  readonly format: ObjectFormat;
}

async function parsePatch(patch: ProductPatch): Promise<ParsedPatch> {
  const bytes = await readFile(patch.file);
  return { ...patch, files: filesOf(patch.item, bytes), format: formatOfPatch(bytes) };
}

function filesOf(item: string, bytes: Buffer): PatchFile[] {
  let files: PatchFile[];
  try {
    files = summarisePatch(bytes);
  } catch (error) {
    if (!isPalisadeError(error, 'invalid_input')) throw error;
    throw new PalisadeError('invalid_input', `the product of ${item} is not a git patch`, {
      why: error.message,
      cause: error,
    });
  }
  for (const file of files) {
    const unsafe = pathsOf(file).find((path) => UNSAFE_PART.test(path));
    if (unsafe !== undefined)
      throw new PalisadeError('unsafe_path', `the product of ${item} names ${unsafe}`, {
        next: 'do not apply it: no honest capture writes such a path',
      });
    if (file.oldMode === '160000' || file.newMode === '160000')
      throw new PalisadeError('patch_conflict', `the product of ${item} changes the submodule ${file.path}`, {
        next: 'change the submodule by hand',
      });
  }
  return files;
}

/** Absolute, empty, climbing, or into a git directory, in any spelling a file system might take for it. */
const UNSAFE_PART = /(^|\/)(\.{0,2}|\.git)(\/|$)/i;

function pathsOf(file: PatchFile): string[] {
  return file.oldPath === undefined ? [file.path] : [file.path, file.oldPath];
}

/** Told by the length of the first object id. No line of a hunk or of binary data starts like this one. */
function formatOfPatch(bytes: Buffer): ObjectFormat {
  const at = bytes.indexOf('\nindex ');
  return at >= 0 && /^\nindex [0-9a-f]{64}\.\./.test(bytes.toString('latin1', at, at + 80))
    ? 'sha256'
    : 'sha1';
}

/** What git leaves in its directory while the operator is in the middle of something. */
const OPERATIONS: Readonly<Record<string, string>> = {
  MERGE_HEAD: 'merge',
  'rebase-merge': 'rebase',
  'rebase-apply': 'rebase or am',
  CHERRY_PICK_HEAD: 'cherry-pick',
  REVERT_HEAD: 'revert',
};

async function assertNoOperation(target: ApplyTarget): Promise<void> {
  if (target.ownGitDir === null) return;
  for (const [file, name] of Object.entries(OPERATIONS))
    if (await exists(join(target.ownGitDir, file)))
      throw new PalisadeError('target_dirty', `a ${name} is under way in ${target.topLevel}`, {
        next: 'finish or abort it, then apply again',
      });
}

async function applyInOrder(
  target: ApplyTarget,
  patches: readonly ParsedPatch[],
  before: { indexFile: string; states: Map<string, PathState> },
): Promise<string[]> {
  const merged: string[] = [];
  const git = target.git.with({ indexFile: before.indexFile });
  for (const patch of patches) {
    if (patch.files.length === 0) continue;
    try {
      await git.run(['apply', '--cached', '--whitespace=nowarn', patch.file]);
    } catch (error) {
      if (!isPalisadeError(error, 'patch_conflict')) throw error;
      if (!(await mergeInto(target, before.indexFile, patch.file)))
        throw await conflict(target, patch, before.states, error);
      merged.push(patch.item);
    }
  }
  return merged;
}

/** Three-way merge of a patch whose base moved on; false when it does not merge cleanly. */
async function mergeInto(target: ApplyTarget, indexFile: string, patchFile: string): Promise<boolean> {
  const attempt = join(target.scratch, 'merge.index');
  await copyIndex(indexFile, attempt);
  const git = target.git.with({ indexFile: attempt });
  const tried = await git.run(['apply', '--cached', '--3way', '--whitespace=nowarn', patchFile], {
    accept: [0, 1, 128],
  });
  if (tried.code !== 0 || (await git.run(['ls-files', '-z', '--unmerged'])).stdout.length > 0) return false;
  await copyIndex(attempt, indexFile);
  return true;
}

async function conflict(
  target: ApplyTarget,
  patch: ParsedPatch,
  states: Map<string, PathState>,
  error: PalisadeError,
): Promise<PalisadeError> {
  const words = error.why ?? '';
  const paths = patch.files.flatMap(pathsOf);
  const named = paths.filter((path) => words.includes(path));
  const committed = await committedStates(target, paths);
  const dirty = (named.length > 0 ? named : paths).filter(
    (path) => !sameState(states.get(path), committed.get(path)),
  );
  const where = (named.length > 0 ? named : paths).slice(0, 10).join(', ');
  if (dirty.length > 0 && target.operator !== null)
    return new PalisadeError(
      'target_dirty',
      `the product of ${patch.item} meets uncommitted changes in ${dirty.slice(0, 10).join(', ')}`,
      {
        why: words,
        next: 'commit, stash or move these changes, then apply again',
        cause: error,
      },
    );
  return new PalisadeError('patch_conflict', `the product of ${patch.item} does not apply: ${where}`, {
    why: words,
    next: 'run the item again from the current commit, or apply its patch by hand with `git apply --3way`',
    cause: error,
  });
}

/** Refuses when a file is to appear where something unknown to the patch lies. */
async function assertPlacesFree(target: ApplyTarget, states: readonly PathStates[]): Promise<void> {
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

async function assertWritable(target: ApplyTarget, states: readonly PathStates[]): Promise<void> {
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
async function assertNamesFit(target: ApplyTarget, states: readonly PathStates[]): Promise<void> {
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

/** One patch from the files as they are to the files as they will be. */
async function combine(
  target: ApplyTarget,
  states: readonly PathStates[],
): Promise<{ patch: Buffer; files: PatchFile[] }> {
  const [before, after] = await Promise.all([
    treeOfStates(target, states, 'before'),
    treeOfStates(target, states, 'after'),
  ]);
  const file = join(target.scratch, 'combined.patch');
  await writePatch(target.git, before, after, file, 2 * limits.patchBytes);
  return { patch: await readFile(file), files: await changedFiles(target.git, before, after) };
}

/** A tree with only these paths. */
async function treeOfStates(
  target: ApplyTarget,
  states: readonly PathStates[],
  side: 'before' | 'after',
): Promise<string> {
  const git = target.git.with({ indexFile: join(target.scratch, `${side}.index`) });
  await git.run(['read-tree', '--empty']);
  const entries = states.map((state) => ({ path: pathBytes(state.path), entry: state[side] }));
  await git.run(['update-index', '-z', '--index-info'], {
    input: indexInfo(entries.filter(({ entry }) => entry !== null)),
  });
  return git.text(['write-tree']);
}

async function dirtyWarnings(target: ApplyTarget, states: readonly PathStates[]): Promise<string[]> {
  if (target.operator === null) return [];
  const committed = await committedStates(
    target,
    states.map((state) => state.path),
  );
  return states
    .filter((state) => state.before !== null && !sameState(state.before, committed.get(state.path)))
    .map((state) => `${state.path} has uncommitted changes; they are kept beside the product's`);
}
