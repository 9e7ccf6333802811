import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PalisadeError } from '@palisade/contracts';
import type { ApplyPlan } from './apply-plan.ts';
import { withApplyTarget } from './apply-target.ts';
import { changeFiles } from './change-files.ts';
import { formatOf } from './git-files.ts';
import { listPaths, type PathStates, readStates, sameState } from './path-states.ts';
import { prepareStaging, stagedStates, writePart } from './staging.ts';

/** How to undo an application. The caller keeps it: everything but the patch as JSON, and the patch, which may be big, as it is. */
export interface AppliedRecord {
  readonly schema_version: 1;
  readonly topLevel: string;
  readonly states: readonly PathStates[];
  /** The applied patch. */
  readonly patch: Buffer;
  /** True when the operator's index was changed too. */
  readonly staged: boolean;
}

/** The record of a plan, before it is applied: storing it first makes even a killed application revertible. */
export function recordOf(plan: ApplyPlan, options: { readonly stage?: boolean } = {}): AppliedRecord {
  return {
    schema_version: 1,
    topLevel: plan.topLevel,
    states: plan.states,
    patch: plan.patch,
    staged: options.stage === true,
  };
}

/**
 * Applies a proved plan to the files of the checkout in one `git apply`. The operator's index and
 * HEAD stay byte-identical unless `stage` is set (FF-015). Files keep their permission bits (FF-006).
 * Afterwards every path is read again and compared (FF-032); if anything went wrong on the way the
 * files are put back.
 *
 * Errors: {@link NotPutBack} when even that failed, `stale_revision` when a file changed since the
 * plan was made, `target_dirty` when staging fails or does not fit the index, `storage_full`,
 * `patch_conflict` with git's words.
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
    await changeFiles(target, plan.states, 'after', now.indexFile, patchFile, [], stage);
  });
  return record;
}

/**
 * Takes an application back. Every path must hold exactly what the application left there, or what
 * was there before it (an application that was killed half way); anything else is refused with
 * `target_dirty` and nothing is touched. The operator's index is touched only where it holds the
 * product: one that was applied without being staged, as far as it came, leaves it as it is. {@link NotPutBack} as for {@link applyPlanned}.
 */
export async function revertApplied(
  record: AppliedRecord,
  directory: string,
): Promise<{ readonly files: readonly string[] }> {
  const { patch } = record;
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
    const staged = record.staged ? await stagedStates(target, record.states, patch, applied) : [];
    const stage =
      staged.length === 0
        ? null
        : await prepareStaging(target, await writePart(target, 'unstage.patch', patch, staged), [
            '--reverse',
          ]);
    if (applied.length === 0) await stage?.();
    else {
      const patchFile = await writePart(target, 'revert.patch', patch, applied);
      await changeFiles(target, applied, 'before', now.indexFile, patchFile, ['--reverse'], stage);
    }
    return { files: [...new Set([...applied, ...staged].map((state) => state.path))].sort() };
  });
}
