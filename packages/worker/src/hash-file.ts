import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { ContentHash } from '@palisade/contracts';

/** The address of a file's bytes. */
export async function hashFile(path: string): Promise<ContentHash> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path)) hash.update(piece as Buffer);
  return `sha256:${hash.digest('hex')}`;
}
