import { chmod, lchown, lstat, rm } from 'node:fs/promises';
import { limits, PalisadeError, toPalisadeError } from '@palisade/contracts';
import type { ApplyTarget } from './apply-target.ts';
import { errno } from './errno.ts';
import { joinNul } from './git.ts';
import { budgetOf } from './git-process.ts';
import { NotPutBack } from './not-put-back.ts';
import { listPaths, type PathStates, readStates, sameState } from './path-states.ts';
import { pathBytes } from './path-text.ts';
import { childPath } from './remove-tree.ts';
import { keepScratch } from './scratch-folder.ts';
import { parentOf } from './work-tree.ts';

/**
 * Runs `git apply` on the files and checks the outcome path by path, then takes `stage`, the step
 * that changes the operator's index. When the outcome is not as proved or the step fails, the files are put back to what `indexFile` recorded, and the error says why; {@link NotPutBack} when
 * that failed too.
 */
export async function changeFiles(
  target: ApplyTarget,
  states: readonly PathStates[],
  side: 'before' | 'after',
  indexFile: string,
  patchFile: string,
  flags: readonly string[],
  stage: (() => Promise<void>) | null,
): Promise<void> {
  const attributes = await fileAttributes(target, states);
  const git = target.git.with({ indexFile });
  await keepScratch(target.scratch);
  try {
    await git.run(['apply', ...flags, '--whitespace=nowarn', patchFile] as const);
    await restoreAttributes(target, states, attributes);
    const wrong = await statesOtherThan(target, states, side);
    if (wrong.length > 0)
      throw new PalisadeError('patch_conflict', `${listPaths(wrong)} did not become what was proved`, {
        next: 'nothing was changed; look for a program that writes to the checkout',
      });
    await stage?.();
  } catch (error) {
    const other = side === 'after' ? 'before' : 'after';
    await putBack(withFreshBudget(target), states, other, indexFile, attributes).catch((failure: unknown) => {
      throw notPutBack(target, states, indexFile, error, failure);
    });
    throw error;
  }
}

/** Time that ran out while files changed must not keep them from being put back. */
function withFreshBudget(target: ApplyTarget): ApplyTarget {
  const budget = budgetOf(limits.captureMs);
  return {
    ...target,
    git: target.git.with({ budget }),
    operator: target.operator?.with({ budget }) ?? null,
  };
}

/** Writes back what `indexFile` recorded before the change, and looks whether it arrived. */
async function putBack(
  target: ApplyTarget,
  states: readonly PathStates[],
  side: 'before' | 'after',
  indexFile: string,
  attributes: ReadonlyMap<string, FileAttributes>,
): Promise<void> {
  const wrong = await statesOtherThan(target, states, side);
  for (const state of wrong.filter((state) => state[side] === null))
    await rm(childPath(target.topLevel, pathBytes(state.path)), { force: true });
  const present = wrong.filter((state) => state[side] !== null).map((state) => pathBytes(state.path));
  if (present.length > 0)
    await target.git
      .with({ indexFile })
      .run(['checkout-index', '--force', '-z', '--stdin'], { input: joinNul(present) });
  await restoreAttributes(target, states, attributes);
  const left = await statesOtherThan(target, states, side);
  if (left.length > 0)
    throw new PalisadeError('patch_conflict', `${listPaths(left)} did not become what was there before`);
}

/** The states whose path holds something else than its `side` now. */
async function statesOtherThan(
  target: ApplyTarget,
  states: readonly PathStates[],
  side: 'before' | 'after',
): Promise<PathStates[]> {
  const now = await readStates(
    target,
    states.map((state) => state.path),
  );
  return states.filter((state) => !sameState(now.states.get(state.path), state[side]));
}

function notPutBack(
  target: ApplyTarget,
  states: readonly PathStates[],
  indexFile: string,
  error: unknown,
  failure: unknown,
): NotPutBack {
  return new NotPutBack(
    `the change failed half way and ${listPaths(states)} in ${target.topLevel} could not be put back`,
    {
      why: `${reason(error)}; then ${reason(failure)}. What the files held before is kept in ${target.scratch}`,
      next: `make room and see that the files can be written, run \`${restoreCommand(target, indexFile)}\`, then take the product back`,
      cause: error,
      keptIn: target.scratch,
    },
  );
}

function reason(error: unknown): string {
  const known = toPalisadeError(error);
  return known.why === undefined ? known.message : `${known.message} (${known.why})`;
}

/** A shell command that writes the recorded files as {@link putBack} would have, with no setting of a user. */
function restoreCommand(target: ApplyTarget, indexFile: string): string {
  const words = [
    'env',
    'GIT_CONFIG_NOSYSTEM=1',
    'GIT_CONFIG_GLOBAL=/dev/null',
    `GIT_INDEX_FILE=${indexFile}`,
    'git',
    ...(target.git.scope.config ?? []).flatMap((setting) => ['-c', setting]),
    `--git-dir=${target.git.scope.gitDir ?? ''}`,
    `--work-tree=${target.topLevel}`,
    'checkout-index',
    '--force',
    '--all',
  ];
  return words
    .map((word) => (/^[\w./=:-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`))
    .join(' ');
}

interface FileAttributes {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

async function fileAttributes(
  target: ApplyTarget,
  states: readonly PathStates[],
): Promise<Map<string, FileAttributes>> {
  const found = new Map<string, FileAttributes>();
  for (const { path } of states) {
    const stats = await lstatOrNull(childPath(target.topLevel, pathBytes(path)));
    if (stats?.isFile() === true)
      found.set(path, { mode: stats.mode & 0o7777, uid: stats.uid, gid: stats.gid });
  }
  return found;
}

/**
 * Git writes a changed file anew. It gets its permission bits back, with the execute bits of its
 * new mode, and under root its owner; a new file gets the owner of its folder.
 */
async function restoreAttributes(
  target: ApplyTarget,
  states: readonly PathStates[],
  attributes: ReadonlyMap<string, FileAttributes>,
): Promise<void> {
  for (const { path } of states) {
    const file = childPath(target.topLevel, pathBytes(path));
    const stats = await lstatOrNull(file);
    if (stats === null || stats.isDirectory()) continue;
    const before = attributes.get(path);
    if (process.geteuid?.() === 0) {
      const parent = parentOf(pathBytes(path));
      const owner =
        before ?? (await lstat(parent.length === 0 ? target.topLevel : childPath(target.topLevel, parent)));
      if (stats.uid !== owner.uid || stats.gid !== owner.gid) await lchown(file, owner.uid, owner.gid);
    }
    if (before === undefined || !stats.isFile()) continue;
    const wasExecutable = (before.mode & 0o100) !== 0;
    const isExecutable = (stats.mode & 0o100) !== 0;
    const mode =
      wasExecutable === isExecutable
        ? before.mode
        : isExecutable
          ? before.mode | ((before.mode & 0o444) >> 2)
          : before.mode & ~0o111;
    if ((stats.mode & 0o7777) !== mode) await chmod(file, mode);
  }
}

async function lstatOrNull(path: Buffer) {
  try {
    return await lstat(path);
  } catch (error) {
    if (errno(error) === 'ENOENT' || errno(error) === 'ENOTDIR') return null;
    throw error;
  }
}
