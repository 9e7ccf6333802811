import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type ContentHash, isContentHash, PalisadeError, toPalisadeError } from '@palisade/contracts';

/** Unfinished files. */
export const TEMP = 'tmp';
/** Where a collection holds a blob while it makes sure that nobody wants it. */
export const TRASH = 'trash';

const FAN = /^[0-9a-f]{2}$/;
const HEX = /^[0-9a-f]{64}$/;

/** `<directory>/ab/cd/abcd…` of an address. */
export function blobPath(directory: string, hash: ContentHash): string {
  const hex = hash.slice('sha256:'.length);
  return join(directory, hex.slice(0, 2), hex.slice(2, 4), hex);
}

/** Addresses in order, strictly after `after`, a page at a time; reads only the directories the page needs. */
export async function listBlobs(
  directory: string,
  after: ContentHash | undefined,
  limit: number,
): Promise<{ hashes: ContentHash[]; next: ContentHash | null }> {
  if (!Number.isInteger(limit) || limit < 1)
    throw new PalisadeError('invalid_input', 'a page holds at least one address');
  if (after !== undefined && !isContentHash(after))
    throw new PalisadeError('invalid_input', 'a page starts after an address');
  const hashes: ContentHash[] = [];
  for await (const hash of blobsAfter(directory, after)) {
    if (hashes.length === limit) return { hashes, next: hashes.at(-1) ?? null };
    hashes.push(hash);
  }
  return { hashes, next: null };
}

/** All addresses in order, strictly after `after`. */
export async function* blobsAfter(directory: string, after?: ContentHash): AsyncGenerator<ContentHash> {
  const from = after === undefined ? '' : after.slice('sha256:'.length);
  for (const outer of await entries(directory, FAN, from.slice(0, 2))) {
    const innerFrom = from.startsWith(outer) ? from.slice(2, 4) : '';
    for (const inner of await entries(join(directory, outer), FAN, innerFrom)) {
      for (const hex of await entries(join(directory, outer, inner), HEX, from))
        if (hex > from && hex.startsWith(outer + inner)) yield `sha256:${hex}`;
    }
  }
}

async function entries(directory: string, pattern: RegExp, from: string): Promise<string[]> {
  try {
    const names = await readdir(directory);
    return names.filter((name) => pattern.test(name) && name >= from).sort();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw toPalisadeError(error);
  }
}
