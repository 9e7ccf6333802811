import {
  type BlobStore,
  canonicalBytes,
  type ContentHash,
  contentHash,
  parseInput,
} from '@palisade/contracts';

/** Definitions are small; a bigger blob under a registered address is not one of ours. */
const MAX_DEFINITION_BYTES = 64 * 1024 * 1024;

/** Stores a definition as its canonical JSON; durable when it resolves (DI-013). A dry run only names its address. */
export async function putDefinition(
  blobs: BlobStore,
  definition: unknown,
  dryRun = false,
): Promise<ContentHash> {
  const bytes = canonicalBytes(definition);
  return dryRun ? contentHash(bytes) : (await blobs.put(bytes)).hash;
}

/** Reads a definition back and checks it against its schema: what was written by another version is not trusted. */
export async function getDefinition<T>(
  blobs: BlobStore,
  schema: Parameters<typeof parseInput<T>>[0],
  hash: ContentHash,
): Promise<T> {
  const bytes = await blobs.get(hash, { maxBytes: MAX_DEFINITION_BYTES });
  const value: unknown = JSON.parse(bytes.toString('utf8'));
  return parseInput(schema, value, `the definition ${hash}`, 'integrity_mismatch');
}
