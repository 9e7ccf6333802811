import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, readdir } from 'node:fs/promises';
import { PalisadeError } from '@palisade/contracts';
import { errno } from './errno.ts';
import { childPath } from './remove-tree.ts';

/*
 * Opening below a folder that somebody else may be writing to. Node has no openat; on Linux
 * `/proc/self/fd/<n>/<name>` is the same thing: the folder is the open one, whatever its path has
 * become, and O_NOFOLLOW refuses a symlink as the last step. One component at a time, no symlink
 * can lead out. Elsewhere the path is used and the identity is compared afterwards.
 */

const viaDescriptor = process.platform === 'linux';

/** An open folder and how to name what is in it. */
export interface OpenFolder extends AsyncDisposable {
  readonly handle: FileHandle;
  readonly path: Buffer;
}

function place(folder: OpenFolder): Buffer {
  return viaDescriptor ? Buffer.from(`/proc/self/fd/${folder.handle.fd}`) : folder.path;
}

/** Opens a folder, not a symlink to one: `ELOOP` or `ENOTDIR` otherwise. */
export async function openFolder(path: string | Buffer): Promise<OpenFolder> {
  return folderOf(
    await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW),
    Buffer.from(path),
  );
}

/** Opens a folder inside an open one. */
export async function openFolderIn(parent: OpenFolder, name: Buffer): Promise<OpenFolder> {
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
  const handle = await open(childPath(place(parent), name), flags);
  await assertSame(handle, childPath(parent.path, name));
  return folderOf(handle, childPath(parent.path, name));
}

/** Opens a regular file inside an open folder; null when it is anything else. Never blocks on a fifo. */
export async function openFileIn(
  parent: OpenFolder,
  name: Buffer,
): Promise<{ handle: FileHandle; stats: Stats } | null> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(childPath(place(parent), name), flags);
  const stats = await handle.stat();
  if (stats.isFile()) {
    await assertSame(handle, childPath(parent.path, name));
    return { handle, stats };
  }
  await handle.close();
  return null;
}

/**
 * The bytes of a regular file below `root`, which somebody else may be writing to. Null when any
 * step on the way is a symlink, is missing or closed to us, or when the end is no regular file of at
 * most `maxBytes`. Takes no more than the size the file had when it was opened, so neither a fifo,
 * a device nor a file that grows can hold the caller up.
 */
export async function readBeneath(
  root: string | Buffer,
  steps: readonly Buffer[],
  maxBytes: number,
): Promise<Buffer | null> {
  try {
    await using folder = await openFolder(root);
    return await readIn(folder, steps, maxBytes);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'EPERM', 'ENXIO'].includes(errno(error) ?? '')) return null;
    throw error;
  }
}

async function readIn(
  folder: OpenFolder,
  [name, ...rest]: readonly Buffer[],
  maxBytes: number,
): Promise<Buffer | null> {
  if (name === undefined) return null;
  if (rest.length > 0) {
    await using inner = await openFolderIn(folder, name);
    return await readIn(inner, rest, maxBytes);
  }
  const opened = await openFileIn(folder, name);
  if (opened === null) return null;
  await using file = opened.handle;
  if (opened.stats.size > maxBytes) return null;
  const bytes = Buffer.alloc(opened.stats.size);
  let length = 0;
  while (length < bytes.length) {
    const { bytesRead } = await file.read(bytes, length, bytes.length - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.subarray(0, length);
}

/** Names in an open folder with their type, in byte order. */
export async function entriesIn(
  folder: OpenFolder,
): Promise<{ name: Buffer; kind: 'file' | 'directory' | 'symlink' | 'special' }[]> {
  const names = await readdir(place(folder), { encoding: 'buffer' });
  names.sort((a, b) => Buffer.compare(a, b));
  const entries: { name: Buffer; kind: 'file' | 'directory' | 'symlink' | 'special' }[] = [];
  for (const name of names) {
    const stats = await lstat(childPath(place(folder), name)).catch(() => null);
    if (stats === null) continue;
    entries.push({
      name,
      kind: stats.isFile()
        ? 'file'
        : stats.isDirectory()
          ? 'directory'
          : stats.isSymbolicLink()
            ? 'symlink'
            : 'special',
    });
  }
  return entries;
}

function folderOf(handle: FileHandle, path: Buffer): OpenFolder {
  return { handle, path, [Symbol.asyncDispose]: () => handle.close() };
}

/** Where paths are used, a folder swapped for a symlink between two steps shows as another identity. */
async function assertSame(handle: FileHandle, path: Buffer): Promise<void> {
  if (viaDescriptor) return;
  const [opened, named] = await Promise.all([handle.stat(), lstat(path)]);
  if (opened.ino === named.ino && opened.dev === named.dev) return;
  await handle.close();
  throw new PalisadeError('unsafe_path', 'a folder was replaced while it was read');
}
