import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { type ContentHash, getArtifact, limits, PalisadeError } from '@palisade/contracts';
import type { Invocation } from '../invocation.ts';

/** What a run left, by its address; naming the run finds it sooner. */
export interface ProductAddress {
  readonly ref: ContentHash;
  readonly run?: string;
}

/** Longer than a captured patch or a kept log can be, bytes. */
const LONGEST_PRODUCT = 4 * limits.patchBytes;

/**
 * Writes what is stored at an address to a file, part by part, and gives its size. `integrity_mismatch`
 * unless all of it hashes to the address: the file is then not to be used. No more is written than the
 * first part said that there is.
 */
export async function download(
  invocation: Invocation,
  { ref, run }: ProductAddress,
  file: FileHandle,
): Promise<number> {
  const hash = createHash('sha256');
  let size = 0;
  let whole: number | undefined;
  for (;;) {
    const {
      base64,
      next_offset: next,
      size: announced,
    } = await invocation.call(getArtifact, {
      ref,
      ...(run === undefined ? {} : { run }),
      offset: size,
    });
    const bytes = Buffer.from(base64, 'base64');
    whole ??= announced;
    if (whole > LONGEST_PRODUCT || announced !== whole || size + bytes.length > whole)
      throw new PalisadeError('integrity_mismatch', `more came for ${ref} than a product has`, {
        next: 'check that the address is that of your server',
      });
    hash.update(bytes);
    await file.writeFile(bytes);
    size += bytes.length;
    if (bytes.length === 0 || next !== size) break;
  }
  if (`sha256:${hash.digest('hex')}` !== ref)
    throw new PalisadeError('integrity_mismatch', `what came for ${ref} does not hash to it`, {
      next: 'restore the product from a backup, or run its item again',
    });
  return size;
}

/** {@link download} to a new file at `path`. */
export async function downloadTo(
  invocation: Invocation,
  product: ProductAddress,
  path: string,
): Promise<number> {
  const file = await open(path, 'wx', 0o600);
  try {
    return await download(invocation, product, file);
  } finally {
    await file.close();
  }
}
