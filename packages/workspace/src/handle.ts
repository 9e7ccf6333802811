import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { limits, PalisadeError } from '@palisade/contracts';
import { errno } from './errno.ts';
import { Git } from './git.ts';
import { type Budget, budgetOf } from './git-process.ts';
import type { ObjectFormat } from './git-files.ts';

/** A materialised workspace. Plain JSON: it survives in a file and in another process. */
export interface WorkspaceHandle {
  /** What the agent sees. Everything in it is the agent's word. */
  readonly directory: string;
  /** Ours. Never shown to the agent, except {@link readOnlyPaths}. */
  readonly stateDir: string;
  /** Host paths the sandbox must show read-only at the same path: the shared objects. */
  readonly readOnlyPaths: readonly string[];
  readonly base:
    | { readonly kind: 'git'; readonly gitDir: string; readonly commit: string }
    | { readonly kind: 'empty' };
}

/*
 * What is under `stateDir`:
 *
 *   workspace.json        WorkspaceState, the mark by which a half-made or half-removed workspace is known as ours
 *   history/objects/      the base's objects, readable by the agent, never written by it
 *   capture.git/          our git directory for the agent's work tree: own configuration, own index, own objects
 *     base.index          index of the plain base with stat data of the fresh checkout
 *     baseline.index      index of what the agent started from
 *     baseline.ignored    NUL-separated ignored files present when the agent started, with their identity
 */
export interface WorkspaceState {
  readonly schema_version: 1;
  readonly directory: string;
  readonly format: ObjectFormat;
  /** `materialising` until the checkout is complete. */
  readonly phase: 'materialising' | 'ready' | 'releasing';
  /** Tree of commit plus base patches: what the product must apply to. */
  readonly base_tree: string | null;
  /** True after {@link recordBase} saw that the work tree equals `base_tree`. */
  readonly base_recorded: boolean;
  /** Tree the agent starts from; null until recorded. */
  readonly baseline_tree: string | null;
  /** Work tree paths that the operator's own configuration makes executable, e.g. `core.hooksPath` (FF-131). */
  readonly executable_paths: readonly string[];
}

/** Git directory used for everything we do with an agent's work tree. */
export function captureGitDir(stateDir: string): string {
  return join(stateDir, 'capture.git');
}

/** Object store shared read-only with the agent. */
export function historyObjects(stateDir: string): string {
  return join(stateDir, 'history', 'objects');
}

/** Git over our own directory with the agent's files as work tree; configuration in that tree is never read (FF-135). */
export function captureGit(handle: WorkspaceHandle, budget: Budget = budgetOf(limits.captureMs)): Git {
  return new Git({
    budget,
    gitDir: captureGitDir(handle.stateDir),
    workTree: handle.directory,
    cwd: handle.directory,
    config: ['core.fileMode=true', 'core.symlinks=true', 'core.ignoreCase=false', ...ANY_NAME],
    failure: 'capture_failed',
  });
}

/** Names are captured as they are, also those another system reserves. */
const ANY_NAME = ['core.protectNTFS=false', 'core.protectHFS=false', 'core.precomposeUnicode=false'] as const;

const STATE_FILE = 'workspace.json';

/**
 * The state of a workspace, or null when there is none. `unreadable` is a mark that a loss of power or a
 * failing disk tore: the place is still ours, and what is there can only be removed.
 */
export async function readState(stateDir: string): Promise<WorkspaceState | 'unreadable' | null> {
  let text: string;
  try {
    text = await readFile(join(stateDir, STATE_FILE), 'utf8');
  } catch (error) {
    if (errno(error) === 'ENOENT' || errno(error) === 'ENOTDIR') return null;
    throw error;
  }
  try {
    const state = JSON.parse(text) as WorkspaceState | null;
    return typeof state?.directory === 'string' ? state : 'unreadable';
  } catch {
    return 'unreadable';
  }
}

/** The state of a workspace that must exist. */
export async function requireState(handle: WorkspaceHandle): Promise<WorkspaceState> {
  const state = await readState(handle.stateDir);
  if (state === null || state === 'unreadable' || state.phase !== 'ready')
    throw new PalisadeError('capture_failed', 'the workspace is not materialised', {
      why: `no complete workspace state in ${handle.stateDir}`,
    });
  return state;
}

/** Replaces the state atomically and durably. */
export async function writeState(stateDir: string, state: WorkspaceState): Promise<void> {
  const temporary = join(stateDir, `${STATE_FILE}.new`);
  await writeFile(temporary, `${JSON.stringify(state)}\n`, { flush: true });
  await rename(temporary, join(stateDir, STATE_FILE));
}
