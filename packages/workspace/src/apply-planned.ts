import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isPalisadeError, PalisadeError } from '@palisade/contracts';
import type { ApplyPlan } from './apply-plan.ts';
import { type ApplyTarget, withApplyTarget } from './apply-target.ts';
import { changeFiles } from './change-files.ts';
import { formatOf } from './git-files.ts';
import { patchSections } from './patch-summary.ts';
import { listPaths, type PathStates, readStates, sameState } from './path-states.ts';

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
 * Errors: {@link NotPutBack} when even that failed, `stale_revision` when a file changed since the plan was made, `target_dirty` when staging
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
 * `target_dirty` and nothing is touched. {@link NotPutBack} as for {@link applyPlanned}.
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
