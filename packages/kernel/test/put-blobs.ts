import { randomBytes } from 'node:crypto';
import { writeSync } from 'node:fs';
import { fileBlobStore } from '../src/blobs/file-blob-store.ts';

/*
 * Puts random blobs of up to <max bytes> into <directory>, several at once, and writes each address
 * to stdout once its put has resolved, until it is killed or a put fails; then it writes the code.
 */
const [directory = '', maxBytes = '0'] = process.argv.slice(2);
const store = fileBlobStore(directory);

async function putForEver(): Promise<void> {
  for (;;) {
    const size = Math.floor(Math.random() * Number(maxBytes));
    const { hash } = await store.put(randomBytes(size));
    writeSync(1, `${hash}\n`);
  }
}

try {
  await Promise.all([1, 2, 3, 4].map(() => putForEver()));
} catch (error) {
  writeSync(1, `${(error as { code: string }).code}\n`);
  process.exit(0);
}
