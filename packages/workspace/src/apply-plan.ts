import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isPalisadeError, limits, PalisadeError } from '@palisade/contracts';
import { assertNamesFit, assertNoOperation, assertPlacesFree, assertWritable } from './apply-obstacles.ts';
import { type ApplyTarget, withApplyTarget } from './apply-target.ts';
import { writePatch } from './capture-patch.ts';
import { copyIndex } from './copy-index.ts';
import type { ObjectFormat } from './git-files.ts';
import { changedFiles, type PatchFile } from './patch-file.ts';
import {
  committedStates,
  outsideSparseCheckout,
  type PathState,
  type PathStates,
  readStates,
  sameState,
  statesOf,
} from './path-states.ts';
import { type Link, parseIndex, readLinks } from './links.ts';
import { pathBytes, pathText } from './path-text.ts';
import { type ParsedPatch, parsePatch, pathsOf, type ProductPatch } from './product-patch.ts';
import { executableWarnings, linkWarnings } from './product-warnings.ts';
import { indexInfo } from './tree-entry.ts';

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
    const links = await linksAfter(target, states);
    return {
      topLevel: target.topLevel,
      patch,
      files,
      states,
      merged,
      warnings: [
        ...executableWarnings(files, target.executablePaths, links),
        ...linkWarnings(files, links),
        ...(await dirtyWarnings(target, states)),
      ],
      format,
    };
  });
}

/** The symlinks the checkout will have: its tracked ones and those of the product. */
async function linksAfter(target: ApplyTarget, states: readonly PathStates[]): Promise<Link[]> {
  const changed = new Map(states.map((state) => [state.path, state.after]));
  const tracked =
    target.operator === null
      ? []
      : [...parseIndex((await target.operator.run(['ls-files', '-z', '--stage'])).stdout)];
  return readLinks(target.git, [
    ...tracked.filter((entry) => !changed.has(pathText(entry.path))),
    ...states.flatMap(({ path, after }) => (after === null ? [] : [{ path: pathBytes(path), ...after }])),
  ]);
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
  const outside = await outsideSparseCheckout(target, named.length > 0 ? named : paths);
  if (outside.length > 0)
    return new PalisadeError(
      'target_dirty',
      `the product of ${patch.item} changes what this sparse checkout leaves out: ${outside.slice(0, 10).join(', ')}`,
      {
        why: words,
        next: 'add the folders to it with git sparse-checkout add, then apply again',
        cause: error,
      },
    );
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
    input: indexInfo(
      target.format,
      entries.filter(({ entry }) => entry !== null),
    ),
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
