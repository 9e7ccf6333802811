import { constants, createWriteStream } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir, statfs } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { type ContentHash, PalisadeError, toPalisadeError } from '@palisade/contracts';
import { blobPath, copyHashing, type FileBlobStore, fsyncDirectory } from '@palisade/kernel';

/** Names inside a snapshot. */
export const SNAPSHOT = {
  database: 'database.sqlite3',
  blobs: 'blobs',
  manifest: 'manifest.json',
  complete: 'COMPLETE',
} as const;

/** What must stay free on a disk that a snapshot is written to, bytes (AO-190). */
const RESERVE_BYTES = 256 * 1024 * 1024;

// Never through a link, and never blocked by a pipe.
const READ = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Raises `storage_full` when a disk has not that many bytes beside the reserve. */
export async function assertRoom(directory: string, bytes: number, reserve = RESERVE_BYTES): Promise<void> {
  const { bavail, bsize } = await statfs(directory);
  if (bavail * bsize >= bytes + reserve) return;
  throw new PalisadeError('storage_full', `there is no room for ${bytes} bytes more in ${directory}`, {
    why: `${reserve} bytes are to stay free`,
    next: 'make room, or put the repository on another disk',
  });
}

/** Writes a file that nobody else reads and that was not there, and makes its bytes durable. */
export async function writePrivate(path: string, bytes: Uint8Array): Promise<void> {
  const handle = await open(path, 'wx', 0o600);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** A whole small file; `integrity_mismatch` for anything but a regular one of at most `maxBytes`. */
export async function readWhole(path: string, maxBytes: number): Promise<Buffer> {
  const handle = await openPlain(path);
  try {
    const { size } = await handle.stat();
    if (size > maxBytes) throw notWhole(path, `it has more than ${maxBytes} bytes`);
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

/** Address and size of a regular file. */
export async function digestOf(
  path: string,
  signal?: AbortSignal,
): Promise<{ readonly hash: ContentHash; readonly size: number }> {
  return copyPlain(path, undefined, signal);
}

/** Copies a regular file to one that was not there, durably; gives the address and size of what was copied. */
export async function copyPlain(
  path: string,
  target: string | undefined,
  signal?: AbortSignal,
): Promise<{ readonly hash: ContentHash; readonly size: number }> {
  const source = await openPlain(path);
  try {
    if (target === undefined) return await copyHashing(source, undefined, Number.POSITIVE_INFINITY, signal);
    const copy = await open(target, 'wx', 0o600);
    try {
      const copied = await copyHashing(source, copy, Number.POSITIVE_INFINITY, signal);
      await copy.sync();
      return copied;
    } finally {
      await copy.close();
    }
  } finally {
    await source.close();
  }
}

/** Copies a blob to its place below `directory`, durably but for the directories, and gives its size. Its digest is checked. */
export async function copyBlob(
  from: Pick<FileBlobStore, 'stream'>,
  hash: ContentHash,
  directory: string,
  signal?: AbortSignal,
): Promise<number> {
  signal?.throwIfAborted();
  const target = blobPath(directory, hash);
  const source = await from.stream(hash);
  try {
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    const file = createWriteStream(target, { flags: 'wx', mode: 0o600, flush: true });
    await pipeline(source, file, { signal });
    return file.bytesWritten;
  } catch (error) {
    source.destroy();
    throw failureOf(error, signal);
  }
}

/** Every file below a directory, by its path from there; `integrity_mismatch` for whatever is neither a file nor a directory. */
export async function filesBelow(directory: string): Promise<{ files: string[]; directories: string[] }> {
  const facts = await lstat(directory).catch(() => undefined);
  if (facts === undefined)
    throw new PalisadeError('not_found', `there is nothing at ${directory}`, { next: 'check the path' });
  if (!facts.isDirectory()) throw notWhole(directory, 'it is no directory');
  const files: string[] = [];
  const directories = [directory];
  for (let i = 0; i < directories.length; i++) {
    const at = directories[i] ?? directory;
    for (const entry of await readdir(at, { withFileTypes: true })) {
      const path = join(at, entry.name);
      if (entry.isDirectory()) directories.push(path);
      else if (entry.isFile()) files.push(relative(directory, path).split(sep).join('/'));
      else throw notWhole(path, 'it is neither a file nor a directory');
    }
  }
  return { files, directories };
}

/** What is raised for a failure: of work that was given up, why it was. */
export function failureOf(error: unknown, signal: AbortSignal | undefined): unknown {
  return signal?.aborted === true ? signal.reason : toPalisadeError(error);
}

/** Raises why work was given up, also by a signal of the operating system that came while the process was busy: it takes a turn to be heard. */
export async function assertWanted(signal: AbortSignal | undefined): Promise<void> {
  await setImmediate();
  await setImmediate();
  signal?.throwIfAborted();
}

/** Makes the entries of a directory and of all directories below it durable. */
export async function syncTree(directory: string): Promise<void> {
  const { directories } = await filesBelow(directory);
  for (const each of directories.toReversed()) await fsyncDirectory(each);
}

export function notWhole(path: string, why: string): PalisadeError {
  return new PalisadeError('integrity_mismatch', `the snapshot is not as it was made: ${path}`, {
    why,
    next: 'take another snapshot, or another copy of this one',
  });
}

async function openPlain(path: string): Promise<FileHandle> {
  let handle: FileHandle;
  try {
    handle = await open(path, READ);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw notWhole(path, 'it is missing');
    if (code === 'ELOOP') throw notWhole(path, 'it is a symbolic link');
    throw toPalisadeError(error);
  }
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw notWhole(path, 'it is no regular file');
}
