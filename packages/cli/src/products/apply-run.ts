import { PalisadeError } from '@palisade/contracts';
import {
  type ApplyPlan,
  applyPlanned,
  isNotPutBack,
  planApply,
  recordOf,
  revertApplied,
} from '@palisade/workspace';
import type { Invocation } from '../invocation.ts';
import { forgetRecord, hasRecord, readRecord, storeRecord } from './applied-record.ts';
import { type ItemPatch, patchesOf } from './products.ts';

/** Everything known before a file is touched. */
export interface PreparedApply {
  readonly run: string;
  readonly patches: readonly ItemPatch[];
  readonly plan: ApplyPlan;
}

/**
 * Proves that a run's patches fit the working tree `directory` is in. Touches nothing. Raises
 * `patch_conflict`, `target_dirty`, `credential_in_text`, or `already_exists` when the run is applied already.
 */
export async function prepareApply(
  invocation: Invocation,
  run: string,
  items: readonly string[],
): Promise<PreparedApply> {
  const { products, patches } = await patchesOf(invocation, run, items);
  const { directory } = await invocation.controlPlane();
  if (hasRecord(directory, products.run_id))
    throw new PalisadeError('already_exists', `${products.run_id} is applied here already`, {
      next: `pal apply ${products.run_id} --revert`,
    });
  for (const patch of patches) await refuseCredentials(invocation, products.run_id, patch);
  const plan = await planApply({ directory: invocation.directory, patches });
  return { run: products.run_id, patches, plan };
}

/**
 * Applies what was proved, record first. Gives the record's file. When files are left half changed
 * the record stays, so that the rest can be taken back.
 */
export async function carryOut(invocation: Invocation, prepared: PreparedApply): Promise<string> {
  const { directory } = await invocation.controlPlane();
  const file = storeRecord(directory, prepared.run, recordOf(prepared.plan));
  try {
    await applyPlanned(prepared.plan);
  } catch (error) {
    // Otherwise nothing was changed, or everything was put back: there is nothing to revert.
    if (!isNotPutBack(error)) forgetRecord(directory, prepared.run);
    throw error;
  }
  return file;
}

/** Takes back what `apply` did. Gives the files. */
export async function takeBack(invocation: Invocation, run: string): Promise<readonly string[]> {
  const { directory } = await invocation.controlPlane();
  const record = readRecord(directory, run);
  const { files } = await revertApplied(record, invocation.directory);
  forgetRecord(directory, run);
  return files;
}

/** A patch that carries a credential must not reach a repository (DI-048). */
async function refuseCredentials(invocation: Invocation, run: string, patch: ItemPatch): Promise<void> {
  const found = await invocation.connections.findCredential?.(patch.bytes);
  if (found === undefined || found === null) return;
  throw new PalisadeError(
    'credential_in_text',
    `the patch of ${patch.item} holds what looks like a ${found.pattern}`,
    {
      why: found.line === null ? 'found in the patch' : `line ${found.line} of the patch`,
      next: `pal diff ${run} --item ${patch.item}`,
    },
  );
}
