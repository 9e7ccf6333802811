import { rm } from 'node:fs/promises';
import { readState, type WorkspaceHandle, writeState } from './handle.ts';
import { removeTree } from './remove-tree.ts';

/**
 * Removes a workspace: the agent's directory, then our state, whose mark goes last so that a crash
 * at any point leaves something the next call recognises and finishes (FF-019, FF-031). Idempotent.
 */
export async function release(handle: WorkspaceHandle): Promise<void> {
  const state = await readState(handle.stateDir);
  if (state !== null && state !== 'unreadable')
    await writeState(handle.stateDir, { ...state, phase: 'releasing' });
  await removeTree(handle.directory);
  await removeState(handle.stateDir);
}

/**
 * Clears what a crashed materialise or release left at this place. Does nothing when there is no mark of
 * ours; one that cannot be read stands for the workspace at `directory`.
 */
export async function removeLeftovers(stateDir: string, directory: string): Promise<void> {
  const state = await readState(stateDir);
  if (state === null) return;
  await removeTree(state === 'unreadable' ? directory : state.directory);
  await removeState(stateDir);
}

async function removeState(stateDir: string): Promise<void> {
  for (const part of ['capture.git', 'history']) await removeTree(`${stateDir}/${part}`);
  await rm(`${stateDir}/workspace.json.new`, { force: true });
  await rm(`${stateDir}/workspace.json`, { force: true });
  await removeTree(stateDir);
}
