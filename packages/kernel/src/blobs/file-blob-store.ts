import { constants } from 'node:fs';
import { type FileHandle, lstat, open, unlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import {
  type BlobStore,
  type ContentHash,
  contentHash,
  isContentHash,
  isPalisadeError,
  PalisadeError,
  toPalisadeError,
} from '@palisade/contracts';
import { AtomicFiles } from './atomic-files.ts';
import { collectBlobs, type Collected, type CollectOptions } from './blob-collection.ts';
import { blobPath, listBlobs, TEMP, TRASH } from './blob-layout.ts';
import type { SyncDirectory } from './directory-sync.ts';
import { copyHashing, damaged, hashFile, holds, readBytes, VerifiedStream } from './file-content.ts';
import { Limiter } from './limiter.ts';

// Never through a link, and never blocked by a pipe somebody put in a blob's place.
const READ = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const MAX_OPEN = 64;

export interface FileBlobStore extends BlobStore {
  /**
   * Removes blobs that `reachable` does not name and that nobody has put since `before` (DI-030). A put of
   * equal content counts, so `before` must be earlier than every put whose row is not committed yet, and
   * earlier than the moment at which `reachable` was read.
   */
  collect(reachable: { has(hash: ContentHash): boolean }, options?: CollectOptions): Promise<Collected>;
}

/**
 * Blobs as files under `directory`, `<2 hex>/<2 hex>/<64 hex>`. Any number of processes may use one
 * directory at once. Every read re-hashes; a blob found damaged is replaced by the next put of its
 * content. `sync` makes a directory's entries durable and is `fsync` unless a test says otherwise.
 */
export function fileBlobStore(
  directory: string,
  options: { readonly sync?: SyncDirectory } = {},
): FileBlobStore {
  const files = new AtomicFiles(directory, { temp: TEMP, mode: 0o444, ...options });
  const limiter = new Limiter(MAX_OPEN);
  const at = (hash: ContentHash): string => blobPath(directory, hash);
  const withBlob = <T>(hash: ContentHash, use: (blob: OpenBlob) => Promise<T>): Promise<T> =>
    limiter.run(async () => {
      const blob = await openBlob(directory, hash);
      try {
        return await use(blob);
      } catch (error) {
        throw toPalisadeError(error);
      } finally {
        await blob.handle.close();
      }
    });

  return {
    rootUri: pathToFileURL(resolve(directory)).href,

    async put(bytes, expected) {
      const blob = { hash: contentHash(bytes), size: bytes.byteLength };
      refuseOther(blob.hash, expected);
      return limiter.run(async () => {
        const target = at(blob.hash);
        if (await keepPresent(files, target, blob.size, (present) => holds(present, bytes))) return blob;
        return files.write(async (handle) => {
          await handle.writeFile(bytes);
          return { target, value: blob };
        });
      });
    },

    putFile: (path, { expected, maxBytes = Number.POSITIVE_INFINITY } = {}) =>
      limiter.run(async () => {
        const source = await openSource(path);
        try {
          return await files.write(async (handle) => {
            const blob = await copyHashing(source, handle, maxBytes);
            refuseOther(blob.hash, expected);
            const target = at(blob.hash);
            const isSame = async (present: FileHandle): Promise<boolean> =>
              (await hashFile(present)).hash === blob.hash;
            const isKept = await keepPresent(files, target, blob.size, isSame);
            return { target: isKept ? null : target, value: blob };
          });
        } finally {
          await source.close();
        }
      }),

    get: (hash, { maxBytes = Number.POSITIVE_INFINITY } = {}) =>
      withBlob(hash, async ({ handle, size }) => {
        if (size > maxBytes)
          throw new PalisadeError('too_large', `the blob ${hash} has more than ${maxBytes} bytes`);
        const bytes = await readBytes(handle, size);
        if (contentHash(bytes) !== hash) throw damaged(hash);
        return bytes;
      }),

    part: (hash, { offset, length }) =>
      withBlob(hash, async ({ handle, size }) => {
        const bytes = await readBytes(handle, Math.max(0, Math.min(length, size - offset)), offset);
        if (bytes.length === size && contentHash(bytes) !== hash) throw damaged(hash);
        return { bytes, size };
      }),

    stream: async (hash) => new VerifiedStream((await openBlob(directory, hash)).handle, hash),

    async has(hash) {
      try {
        return await withBlob(hash, async () => true);
      } catch (error) {
        if (isPalisadeError(error, 'not_found')) return false;
        throw error;
      }
    },

    async path(hash) {
      // A blob in the trash goes back to its place, or away for good, within a moment.
      for (let tries = 0; tries < 100; tries++) {
        const found = await withBlob(hash, async ({ handle, path }) => {
          if (path !== at(hash)) return false;
          if ((await hashFile(handle)).hash !== hash) throw damaged(hash);
          return true;
        });
        if (found) return at(hash);
        await delay(5);
      }
      throw absent(hash);
    },

    list: ({ after, limit }) => listBlobs(directory, after, limit),

    async remove(hash) {
      assertHash(hash);
      try {
        await unlink(at(hash));
        await files.settle(dirname(at(hash)));
      } catch (error) {
        if (!isAbsent(error)) throw toPalisadeError(error);
      }
    },

    async collect(reachable, collectOptions) {
      if (collectOptions?.dryRun !== true) await files.sweep();
      return collectBlobs(directory, reachable, collectOptions);
    },
  };
}

/**
 * True when the blob at `path` is whole; then it is durable and its age starts anew. The path is
 * looked at again after the age is set: a collection that moved the file away before that is
 * answered by writing the content anew (see blob-collection.ts).
 */
async function keepPresent(
  files: AtomicFiles,
  path: string,
  size: number,
  isSame: (present: FileHandle) => Promise<boolean>,
): Promise<boolean> {
  let present: FileHandle;
  try {
    present = await open(path, READ);
  } catch (error) {
    if (isAbsent(error) || isNotRegular(error)) return false;
    throw toPalisadeError(error);
  }
  try {
    const facts = await present.stat();
    if (!facts.isFile() || facts.size !== size || !(await isSame(present))) return false;
    const now = new Date();
    await present.utimes(now, now);
    const still = await lstat(path).catch(() => undefined);
    if (still?.ino !== facts.ino) return false;
    await files.settle(dirname(path));
    return true;
  } catch (error) {
    throw toPalisadeError(error);
  } finally {
    await present.close();
  }
}

interface OpenBlob {
  readonly handle: FileHandle;
  readonly size: number;
  readonly path: string;
}

async function openBlob(directory: string, hash: ContentHash): Promise<OpenBlob> {
  assertHash(hash);
  const path = blobPath(directory, hash);
  // A blob that is being put back by a collection is for a moment in the trash, then in its place again.
  for (const place of [path, join(directory, TRASH, hash.slice('sha256:'.length)), path]) {
    const opened = await openRegular(place, () => damaged(hash));
    if (opened !== null) return { ...opened, path: place };
  }
  throw absent(hash);
}

async function openSource(path: string): Promise<FileHandle> {
  const opened = await openRegular(
    path,
    () => new PalisadeError('unsafe_path', 'only a regular file, not a link, can be stored'),
  );
  if (opened === null) throw new PalisadeError('not_found', 'there is no file to store');
  return opened.handle;
}

/** Opens a regular file; null when nothing is there, `otherwise` when something else is. */
async function openRegular(
  path: string,
  otherwise: () => PalisadeError,
): Promise<{ handle: FileHandle; size: number } | null> {
  let handle: FileHandle;
  try {
    handle = await open(path, READ);
  } catch (error) {
    if (isAbsent(error)) return null;
    throw isNotRegular(error) ? otherwise() : toPalisadeError(error);
  }
  const facts = await handle.stat();
  if (facts.isFile()) return { handle, size: facts.size };
  await handle.close();
  throw otherwise();
}

function assertHash(hash: ContentHash): void {
  if (!isContentHash(hash))
    throw new PalisadeError('invalid_input', 'a blob address is sha256: and 64 lower-case hex digits');
}

function refuseOther(actual: ContentHash, expected: ContentHash | undefined): void {
  if (expected !== undefined && actual !== expected)
    throw new PalisadeError('integrity_mismatch', `expected content ${expected}, got ${actual}`);
}

function absent(hash: ContentHash): PalisadeError {
  return new PalisadeError('not_found', `no blob has the address ${hash}`);
}

function isAbsent(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** A link (O_NOFOLLOW), or something that is no file at all. */
function isNotRegular(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ELOOP' || code === 'EISDIR' || code === 'ENXIO' || code === 'EMLINK';
}
