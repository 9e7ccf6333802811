import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type ContentHash,
  isPalisadeError,
  limits,
  PalisadeError,
  toPalisadeError,
} from '@palisade/contracts';
import { forcedByAgent, ownRepositoryMoved } from './agent-repository.ts';
import { assertFilesFit, maxFileBytes } from './file-sizes.ts';
import type { Git } from './git.ts';
import { budgetOf } from './git-process.ts';
import { captureGit, captureGitDir, requireState, type WorkspaceHandle } from './handle.ts';
import { untouchedIgnored } from './ignored-files.ts';
import { changedFiles, type PatchFile } from './patch-file.ts';
import { productTree, provePatch } from './product-tree.ts';
import { productWarnings } from './product-warnings.ts';
import { RUN_FOLDERS } from './record.ts';
import { snapshot } from './snapshot.ts';
import { submoduleWork } from './submodule-work.ts';
import { type TestSet, testSet } from './test-set.ts';

export interface CaptureOptions {
  /** Where the patch is written. Replaced; absent afterwards when there is no change. */
  readonly patchPath: string;
  /** Most bytes of the patch. */
  readonly maxBytes?: number;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Also tells the product's test files, for whoever judges it. */
  readonly withTests?: boolean;
  /** Top-level names that are never part of a product; default {@link RUN_FOLDERS}. */
  readonly exclude?: readonly string[];
}

/** A product: a patch that was proved to turn the plain base into what the agent left. */
export interface CapturedPatch {
  readonly empty: boolean;
  readonly bytes: number;
  /** Address of the patch; null when empty. */
  readonly hash: ContentHash | null;
  readonly files: readonly PatchFile[];
  readonly added: number;
  readonly deleted: number;
  /** What a reviewer must know, one sentence each. */
  readonly warnings: readonly string[];
  /** Null unless they were asked for. */
  readonly tests: TestSet | null;
  /** A patch against the overlaid baseline with the changes that could not be carried to the base; null when all could. */
  readonly conflictsPath: string | null;
}

/** Changed files may be this many times bigger than the patch they give: patches are compressed. */
const CONTENT_FACTOR = 16;

/**
 * Captures what the agent left, as bytes, whatever it did to its repository: only the files count
 * (DI-115, FF-004, FF-029). Ignored files stay out as git would leave them out, unless they were
 * tracked or the agent added them by force. The patch is proved before this returns (FF-017).
 *
 * Errors: `capture_failed` (with git's words; also a patch or content above the limits, never a cut
 * patch), `timed_out`, `canceled`, `storage_full`. On an error no patch file remains.
 */
export async function capturePatch(handle: WorkspaceHandle, options: CaptureOptions): Promise<CapturedPatch> {
  try {
    return await capture(handle, options);
  } catch (error) {
    await rm(options.patchPath, { force: true });
    await rm(conflictsFile(options), { force: true });
    if (isPalisadeError(error, 'too_large'))
      throw new PalisadeError('capture_failed', 'the patch is bigger than the limit', {
        why: error.message,
        next: 'leave big results under outputs/ or ignore them with .gitignore',
        cause: error,
      });
    throw toPalisadeError(error, 'capture_failed');
  }
}

async function capture(handle: WorkspaceHandle, options: CaptureOptions): Promise<CapturedPatch> {
  const state = await requireState(handle);
  if (!state.base_recorded || state.base_tree === null || state.baseline_tree === null)
    throw new PalisadeError('capture_failed', 'the base of this workspace was never recorded');
  const maxBytes = options.maxBytes ?? limits.patchBytes;
  const git = captureGit(handle, budgetOf(options.timeoutMs ?? limits.captureMs, options.signal));
  const captureDir = captureGitDir(handle.stateDir);
  const seedIndex = join(captureDir, 'baseline.index');
  const exclude = options.exclude ?? RUN_FOLDERS;
  const moved = await ownRepositoryMoved(handle, git.scope.budget);
  const untouched = await untouchedIgnored(git, captureDir);
  const forced = await forcedByAgent(git, handle, seedIndex);
  const seen = await snapshot(git, {
    seedIndex,
    seedTree: state.baseline_tree,
    exclude: moved.name === null ? exclude : [...exclude, moved.name],
    forced: forced.paths,
    skip: untouched,
    maxBytes: maxBytes * CONTENT_FACTOR,
    maxFileBytes: maxFileBytes(maxBytes),
  });
  await rm(seen.indexFile);
  const scratchIndex = `${seen.indexFile}.scratch`;
  const product = await productTree(git, {
    base: state.base_tree,
    baseline: state.baseline_tree,
    final: seen.tree,
    scratchIndex,
  });
  const hasConflicts = product.conflictTree !== state.baseline_tree;
  if (hasConflicts)
    await writePatch(git, state.baseline_tree, product.conflictTree, conflictsFile(options), maxBytes);
  else await rm(conflictsFile(options), { force: true });
  const tests = options.withTests === true ? await testSet(git, state.base_tree, product.tree) : null;
  const shared = { tests, conflictsPath: hasConflicts ? conflictsFile(options) : null };
  const warnings = [
    ...moved.warnings,
    ...forced.warnings,
    ...(await submoduleWork(git, seedIndex)),
    ...seen.warnings,
    ...product.warnings,
  ];
  if (product.tree === state.base_tree) {
    await rm(options.patchPath, { force: true });
    return { empty: true, bytes: 0, hash: null, files: [], added: 0, deleted: 0, warnings, ...shared };
  }
  const bytes = await writePatch(git, state.base_tree, product.tree, options.patchPath, maxBytes);
  await provePatch(git, {
    base: state.base_tree,
    expected: product.tree,
    patchPath: options.patchPath,
    scratchIndex,
  });
  const files = await changedFiles(git, state.base_tree, product.tree);
  return {
    empty: false,
    bytes,
    hash: await hashFile(options.patchPath),
    files,
    added: files.reduce((sum, file) => sum + file.added, 0),
    deleted: files.reduce((sum, file) => sum + file.deleted, 0),
    warnings: [...warnings, ...(await productWarnings(git, product.tree, files, state.executable_paths))],
    ...shared,
  };
}

function conflictsFile(options: CaptureOptions): string {
  return `${options.patchPath}.conflicts`;
}

/** Writes the difference of two trees as a patch that any git can apply. Returns its size. */
export async function writePatch(
  git: Git,
  before: string,
  after: string,
  path: string,
  maxBytes: number,
): Promise<number> {
  await assertFilesFit(git, before, after, maxFileBytes(maxBytes));
  const file = await open(path, 'w');
  try {
    const { bytes } = await git.run(
      [
        'diff-tree',
        '-r',
        '-p',
        '--binary',
        '--full-index',
        '--no-renames',
        '--no-ext-diff',
        '--no-textconv',
        '--no-color',
        '--src-prefix=a/',
        '--dst-prefix=b/',
        before,
        after,
      ],
      { output: file, maxOutput: maxBytes },
    );
    await file.sync();
    return bytes;
  } finally {
    await file.close();
  }
}

async function hashFile(path: string): Promise<ContentHash> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return `sha256:${hash.digest('hex')}`;
}
