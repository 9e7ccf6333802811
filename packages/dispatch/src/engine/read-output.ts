import { type BlobStore, type ContentHash, type ErrorCode, isPalisadeError } from '@palisade/contracts';

/** What no other try would change: the content is gone, is damaged, or is not what the record of the product says. */
const LOST: readonly ErrorCode[] = ['not_found', 'integrity_mismatch', 'too_large', 'invalid_input'];

/**
 * The content of an output that an attempt left, at most `maxBytes`; null when there is none that anybody could read. Whatever else keeps
 * a store from answering says nothing of the attempt: it is raised, and asking again may help.
 */
export async function readOutput(
  blobs: Pick<BlobStore, 'get'>,
  ref: ContentHash,
  maxBytes: number,
): Promise<Buffer | null> {
  try {
    return await blobs.get(ref, { maxBytes });
  } catch (error) {
    if (LOST.some((code) => isPalisadeError(error, code))) return null;
    throw error;
  }
}
