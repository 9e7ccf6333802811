import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PalisadeError } from '@palisade/contracts';
import { captureGit, captureGitDir, requireState, type WorkspaceHandle, writeState } from './handle.ts';
import { recordIgnored } from './ignored-files.ts';
import { snapshot } from './snapshot.ts';

/** Names at the top of a workspace that belong to the run, not to the work. */
export const RUN_FOLDERS: readonly string[] = ['.palisade', 'inputs', 'outputs'];

/** Bound on what overlay and setup may add to a workspace. */
const MAX_BASELINE_BYTES = 64 * 1024 * 1024 * 1024;

/**
 * Fixes the plain base: the tree every product of this workspace must apply to. Called after the
 * upstream patches and before anything is overlaid; a work tree that already differs from the base
 * is refused with `integrity_mismatch`, because its changes would be lost without a word.
 */
export async function recordBase(handle: WorkspaceHandle): Promise<void> {
  const state = await requireState(handle);
  const seen = await snapshot(captureGit(handle), {
    seedIndex: join(captureGitDir(handle.stateDir), 'base.index'),
    seedTree: state.base_tree,
    exclude: RUN_FOLDERS,
    maxBytes: MAX_BASELINE_BYTES,
  });
  await rm(seen.indexFile);
  if (seen.tree !== state.base_tree)
    throw new PalisadeError('integrity_mismatch', 'the workspace does not equal its base', {
      why: `tree ${seen.tree} instead of ${state.base_tree ?? 'none'}`,
      next: 'nothing may write to the workspace before its base is recorded',
    });
  await writeState(handle.stateDir, { ...state, base_recorded: true });
}

/**
 * Fixes what the agent starts from, after overlay and setup (DI-115). No commit is made and the
 * agent's own repository is not touched.
 */
export async function recordBaseline(handle: WorkspaceHandle): Promise<void> {
  const state = await requireState(handle);
  const git = captureGit(handle);
  const seen = await snapshot(git, {
    seedIndex: join(captureGitDir(handle.stateDir), 'base.index'),
    seedTree: state.base_tree,
    exclude: RUN_FOLDERS,
    maxBytes: MAX_BASELINE_BYTES,
  });
  await rename(seen.indexFile, join(captureGitDir(handle.stateDir), 'baseline.index'));
  await recordIgnored(git, captureGitDir(handle.stateDir));
  await writeState(handle.stateDir, { ...state, baseline_tree: seen.tree });
}
