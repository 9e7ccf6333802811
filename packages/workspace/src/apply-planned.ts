import { chmod, lchown, lstat, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isPalisadeError, PalisadeError } from '@palisade/contracts';
import type { ApplyPlan } from './apply-plan.ts';
import { type ApplyTarget, withApplyTarget } from './apply-target.ts';
import { errno } from './errno.ts';
import { formatOf } from './git-files.ts';
import { joinNul } from './git.ts';
import { patchSections } from './patch-summary.ts';
import { type PathStates, readStates, sameState } from './path-states.ts';
import { pathBytes } from './path-text.ts';
import { childPath } from './remove-tree.ts';
import { parentOf } from './work-tree.ts';

/** How to undo an application. Plain JSON, kept by the caller. */
export interface AppliedRecord {
  readonly schema_version: 1;
  readonly topLevel: string;
  readonly states: readonly PathStates[];
  /** The applied patch in base64. */
  readonly patch: string;
  /** True when the operator's index was changed too. */
  readonly staged: boolean;
}

/** The record of a plan, before it is applied: storing it first makes even a killed application revertible. */
export function recordOf(plan: ApplyPlan, options: { readonly stage?: boolean } = {}): AppliedRecord {
  return {
    schema_version: 1,
    topLevel: plan.topLevel,
    states: plan.states,
    patch: plan.patch.toString('base64'),
    staged: options.stage === true,
  };
}

/**
 * Applies a proved plan to the files of the checkout in one `git apply`. The operator's index and
 * HEAD stay byte-identical unless `stage` is set (FF-015). Files keep their permission bits (FF-006).
 * Afterwards every path is read again and compared (FF-032); if anything went wrong on the way the
 * files are put back.
 *
 * Errors: `stale_revision` when a file changed since the plan was made, `target_dirty` when staging
 * does not fit the index, `storage_full`, `patch_conflict` with git's words.
 */
export async function applyPlanned(
  plan: ApplyPlan,
  options: { readonly stage?: boolean } = {},
): Promise<AppliedRecord> {
  const record = recordOf(plan, options);
  if (plan.states.length === 0) return record;
  await withApplyTarget(plan.topLevel, plan.format, async (target) => {
    const now = await readStates(
      target,
      plan.states.map((state) => state.path),
    );
    const moved = plan.states.filter((state) => !sameState(now.states.get(state.path), state.before));
    if (moved.length > 0)
      throw new PalisadeError('stale_revision', `${listPaths(moved)} changed since the plan was made`, {
        next: 'plan again',
      });
    const patchFile = join(target.scratch, 'apply.patch');
    await writeFile(patchFile, plan.patch);
    const stage = options.stage === true ? await prepareStaging(target, patchFile, []) : null;
    await changeFiles(target, plan.states, 'after', now.indexFile, patchFile, []);
    await stage?.();
  });
  return record;
}

/**
 * Takes an application back. Every path must hold exactly what the application left there, or what
 * was there before it (an application that was killed half way); anything else is refused with
 * `target_dirty` and nothing is touched.
 */
export async function revertApplied(
  record: AppliedRecord,
  directory: string,
): Promise<{ readonly files: readonly string[] }> {
  const patch = Buffer.from(record.patch, 'base64');
  const oid = record.states
    .flatMap((state) => [state.before?.oid, state.after?.oid])
    .find((id) => id !== undefined);
  return withApplyTarget(directory, formatOf(oid ?? ''), async (target) => {
    const now = await readStates(
      target,
      record.states.map((state) => state.path),
    );
    const changed = record.states.filter(
      (state) =>
        !sameState(now.states.get(state.path), state.after) &&
        !sameState(now.states.get(state.path), state.before),
    );
    if (changed.length > 0)
      throw new PalisadeError('target_dirty', `${listPaths(changed)} changed since the product was applied`, {
        next: 'undo these changes first, or take the product back by hand',
      });
    const applied = record.states.filter((state) => !sameState(now.states.get(state.path), state.before));
    if (applied.length === 0) return { files: [] };
    const paths = new Set(applied.map((state) => state.path));
    const patchFile = join(target.scratch, 'revert.patch');
    await writeFile(
      patchFile,
      Buffer.concat(
        patchSections(patch)
          .filter((section) => paths.has(section.file.path))
          .map((section) => patch.subarray(section.start, section.end)),
      ),
    );
    const stage = record.staged ? await prepareStaging(target, patchFile, ['--reverse']) : null;
    await changeFiles(target, applied, 'before', now.indexFile, patchFile, ['--reverse']);
    await stage?.();
    return { files: applied.map((state) => state.path) };
  });
}

function listPaths(states: readonly PathStates[]): string {
  const names = states.slice(0, 10).map((state) => state.path);
  return states.length > 10 ? `${names.join(', ')} and ${states.length - 10} more` : names.join(', ');
}

/** Runs `git apply` on the files and checks the outcome path by path; puts the files back when it is not as proved. */
async function changeFiles(
  target: ApplyTarget,
  states: readonly PathStates[],
  side: 'before' | 'after',
  indexFile: string,
  patchFile: string,
  flags: readonly string[],
): Promise<void> {
  const attributes = await fileAttributes(target, states);
  const git = target.git.with({ indexFile });
  try {
    await git.run(['apply', ...flags, '--whitespace=nowarn', patchFile] as const);
    await restoreAttributes(target, states, attributes);
    const reached = await readStates(
      target,
      states.map((state) => state.path),
    );
    const wrong = states.filter((state) => !sameState(reached.states.get(state.path), state[side]));
    if (wrong.length > 0)
      throw new PalisadeError('patch_conflict', `${listPaths(wrong)} did not become what was proved`, {
        next: 'nothing was changed; look for a program that writes to the checkout',
      });
  } catch (error) {
    await putBack(target, states, side === 'after' ? 'before' : 'after', indexFile);
    await restoreAttributes(target, states, attributes);
    throw error;
  }
}

/** Writes back what `indexFile` recorded before the change. */
async function putBack(
  target: ApplyTarget,
  states: readonly PathStates[],
  side: 'before' | 'after',
  indexFile: string,
): Promise<void> {
  const now = await readStates(
    target,
    states.map((state) => state.path),
  );
  const wrong = states.filter((state) => !sameState(now.states.get(state.path), state[side]));
  for (const state of wrong.filter((state) => state[side] === null))
    await rm(childPath(target.topLevel, pathBytes(state.path)), { force: true });
  const present = wrong.filter((state) => state[side] !== null).map((state) => pathBytes(state.path));
  if (present.length > 0)
    await target.git
      .with({ indexFile })
      .run(['checkout-index', '--force', '-z', '--stdin'], { input: joinNul(present) });
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

/** Checks that the operator's index takes the patch; the returned step does it. */
async function prepareStaging(
  target: ApplyTarget,
  patchFile: string,
  flags: readonly string[],
): Promise<() => Promise<void>> {
  const { operator } = target;
  if (operator === null)
    throw new PalisadeError(
      'invalid_input',
      `${target.topLevel} is no git repository: nothing can be staged`,
    );
  const git = operator.with({ failure: 'target_dirty' });
  const args = ['apply', '--cached', ...flags, '--whitespace=nowarn'] as const;
  await git.run([...args, '--check', patchFile]).catch((error: unknown) => {
    throw isPalisadeError(error, 'target_dirty')
      ? new PalisadeError('target_dirty', 'the product does not fit what is staged', {
          ...(error.why === undefined ? {} : { why: error.why }),
          next: 'apply without staging, or commit what is staged',
          cause: error,
        })
      : error;
  });
  return async () => {
    await git.run([...args, patchFile]);
  };
}
