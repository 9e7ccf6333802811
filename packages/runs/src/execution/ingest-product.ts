import { lstat } from 'node:fs/promises';
import {
  type AttemptIntent,
  type AttemptResult,
  type BlobStore,
  boundProduct,
  PalisadeError,
  type ProductFacts,
} from '@palisade/contracts';
import type { AttemptDirectory } from './attempt-directory.ts';

/**
 * Stores what a worker left and gives the facts to be recorded. `result.json` is the worker's word:
 * nothing it names is believed that was not stored from its directory under its own address (DI-020),
 * and the facts are bounded to what an event holds, outputs that other items need first. Idempotent: it
 * may be repeated after any failure.
 *
 * @throws PalisadeError `integrity_mismatch` and `unsafe_path` when the result is not to be believed;
 *   anything else is trouble with storing, and the product is still where it was
 */
export async function ingestProduct(
  directory: AttemptDirectory,
  blobs: BlobStore,
  result: AttemptResult,
  intent: Pick<AttemptIntent, 'runId' | 'neededOutputs'>,
): Promise<ProductFacts> {
  if (result.attempt_id !== intent.runId)
    throw new PalisadeError('integrity_mismatch', 'result.json is that of another attempt');
  assertNamesFiles(result);
  for (const { file, ref } of result.files) {
    const path = directory.productPath(file);
    // Only a regular file is read: a pipe would never end, and a missing file never comes.
    if (!(await isFile(path)))
      throw new PalisadeError('integrity_mismatch', `result.json names ${file}, which is not a file`);
    await blobs.putFile(path, { expected: ref });
  }
  const { log_ref: _claimed, ...product } = result.product;
  const whole = { ...product, ...(await ingestLog(directory, blobs)) };
  const bounded = boundProduct(whole, new Set(intent.neededOutputs));
  if (bounded.listing !== null) await blobs.put(bounded.listing.bytes, bounded.listing.ref);
  return bounded.product;
}

/** Stores the attempt's log, which is there whether or not it left a result; nothing when it never wrote a line. */
export async function ingestLog(
  directory: AttemptDirectory,
  blobs: BlobStore,
): Promise<Pick<ProductFacts, 'log_ref'>> {
  return (await isFile(directory.logPath)) ? { log_ref: (await blobs.putFile(directory.logPath)).hash } : {};
}

/** Whatever the product refers to has to be among the files that are stored. */
function assertNamesFiles({ files, product }: AttemptResult): void {
  const named = new Set<string>(files.map(({ ref }) => ref));
  const outputs = product.outputs ?? [];
  const { result_ref, conflicts_ref, agent_session, question } = product;
  for (const ref of [
    result_ref,
    conflicts_ref,
    agent_session?.state_ref,
    question?.partial_state?.ref,
    ...outputs.map((each) => each.ref),
  ]) {
    if (ref !== undefined && !named.has(ref))
      throw new PalisadeError('integrity_mismatch', `the product refers to ${ref}, which no file is`);
  }
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isFile();
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return false;
    throw error;
  }
}
