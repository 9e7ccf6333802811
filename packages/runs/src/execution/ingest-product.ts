import { lstat } from 'node:fs/promises';
import {
  type AttemptEnd,
  type AttemptIntent,
  type AttemptResult,
  type BlobStore,
  boundProduct,
  PalisadeError,
  type ProductFacts,
} from '@palisade/contracts';
import { refsOf } from '../run/product-refs.ts';
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
): Promise<Pick<AttemptEnd, 'product' | 'listed'>> {
  if (result.attempt_id !== intent.runId)
    throw new PalisadeError('integrity_mismatch', 'result.json is that of another attempt');
  const { log_ref: _claimed, ...product } = result.product;
  assertNamesFiles(product, result.files);
  for (const { file, ref } of result.files) {
    const path = directory.productPath(file);
    // Only a regular file is read: a pipe would never end, and a missing file never comes.
    if (!(await isFile(path)))
      throw new PalisadeError('integrity_mismatch', `result.json names ${file}, which is not a file`);
    await blobs.putFile(path, { expected: ref });
  }
  const whole = { ...product, ...(await ingestLog(directory, blobs)) };
  const bounded = boundProduct(whole, new Set(intent.neededOutputs));
  if (bounded.listing !== null) await blobs.put(bounded.listing.bytes, bounded.listing.ref);
  const listed = bounded.listing === null ? {} : { listed: (product.outputs ?? []).map(({ ref }) => ref) };
  return { product: bounded.product, ...listed };
}

/** Stores the attempt's log, which is there whether or not it left a result; nothing when it never wrote a line. */
export async function ingestLog(
  directory: AttemptDirectory,
  blobs: BlobStore,
): Promise<Pick<ProductFacts, 'log_ref'>> {
  return (await isFile(directory.logPath)) ? { log_ref: (await blobs.putFile(directory.logPath)).hash } : {};
}

/** Whatever the product refers to has to be among the files that are stored. */
function assertNamesFiles(product: ProductFacts, files: AttemptResult['files']): void {
  const named = new Set<string>(files.map(({ ref }) => ref));
  for (const ref of refsOf(product)) {
    if (!named.has(ref))
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
