import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  type Stats,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { PalisadeError, quotePath } from '@palisade/contracts';

/*
 * Files in a workspace are attacker-controlled: a repository, a bundle or an agent may have put a
 * symlink where the worker, which may be another and stronger user, is about to read or write.
 * Everything here walks from the workspace downwards, accepts nothing but real directories on the way
 * and never follows the last name either. The walk is not one atomic step: it is used only while no
 * program of the attempt runs.
 */

/**
 * Writes a new file at a relative path, making directories on the way. A regular file or a symlink
 * that is there is replaced, not written through.
 *
 * @param root absolute path of the workspace
 * @param path relative, already checked by `assertSafePath` or a constant
 * @returns whether something was replaced
 * @throws PalisadeError `unsafe_path` when a directory on the way is a symlink,
 *   `integrity_mismatch` when a file and a directory want the same name
 */
export function writeFileSafely(
  root: string,
  path: string,
  bytes: Uint8Array,
  executable = false,
): { replaced: boolean } {
  const { file, replaced } = createSafely(root, path, executable);
  try {
    writeAll(file, bytes);
  } finally {
    closeSync(file);
  }
  return { replaced };
}

/** As {@link writeFileSafely}, but gives the open descriptor; the caller closes it. */
export function createSafely(
  root: string,
  path: string,
  executable = false,
): { file: number; replaced: boolean } {
  makeDirectories(root, dirname(path));
  const target = join(root, path);
  const before = lstatOrNull(target);
  if (before?.isDirectory() === true) throw typeConflict(path, 'a file', 'a directory');
  if (before !== null) unlinkSync(target);
  // O_EXCL neither follows a symlink nor opens what somebody else has just made.
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const mode = executable ? 0o755 : 0o644;
  const file = openSync(target, flags, mode);
  fchmodSync(file, mode);
  return { file, replaced: before !== null };
}

/** Makes every missing directory of a relative path; refuses symlinks and files on the way. */
export function makeDirectories(root: string, path: string): void {
  if (path === '.' || path === '') return;
  let at = root;
  for (const segment of path.split('/')) {
    at = join(at, segment);
    const stat = lstatOrNull(at);
    if (stat === null) {
      mkdirSync(at, { mode: 0o755 });
      continue;
    }
    if (stat.isSymbolicLink()) throw crossesSymlink(path);
    if (!stat.isDirectory()) throw typeConflict(path, 'a directory', 'a file');
  }
}

/**
 * Opens a regular file an agent may have left, for reading. Null when it is absent, or when it or a
 * directory on the way is a symlink or anything but what its place asks for. The caller closes it.
 *
 * @param path relative; bytes for a name that is no text
 */
export function openSafely(root: string, path: string | Buffer): number | null {
  const segments = Buffer.from(path).toString('latin1').split('/');
  const name = segments.pop() ?? '';
  let at = Buffer.from(root);
  for (const segment of segments) {
    at = Buffer.concat([at, Buffer.from(`/${segment}`, 'latin1')]);
    if (lstatSync(at, { throwIfNoEntry: false })?.isDirectory() !== true) return null;
  }
  let file: number;
  try {
    // O_NONBLOCK: a FIFO must not hold the worker up.
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    file = openSync(Buffer.concat([at, Buffer.from(`/${name}`, 'latin1')]), flags);
  } catch {
    return null;
  }
  if (fstatSync(file).isFile()) return file;
  closeSync(file);
  return null;
}

/**
 * Reads a small file as {@link openSafely} opens it.
 *
 * @param maxBytes most bytes read; `isCut` says that the file is longer
 */
export function readFileSafely(
  root: string,
  path: string,
  maxBytes: number,
): { bytes: Buffer; isCut: boolean } | null {
  const file = openSafely(root, path);
  if (file === null) return null;
  try {
    const bytes = Buffer.alloc(Math.min(fstatSync(file).size, maxBytes) + 1);
    let length = 0;
    while (length < bytes.length) {
      const read = readSync(file, bytes, length, bytes.length - length, length);
      if (read === 0) break;
      length += read;
    }
    return { bytes: bytes.subarray(0, Math.min(length, maxBytes)), isCut: length > maxBytes };
  } finally {
    closeSync(file);
  }
}

/** Removes a file that may be there, in directories that are real all the way; a directory of that name stays. */
export function removeSafely(root: string, path: string): void {
  let at = root;
  for (const segment of path.split('/').slice(0, -1)) {
    at = join(at, segment);
    if (lstatOrNull(at)?.isDirectory() !== true) return;
  }
  const found = lstatOrNull(join(root, path));
  if (found !== null && !found.isDirectory()) unlinkSync(join(root, path));
}

/** Writes all bytes, whatever one call takes (FF-079). */
export function writeAll(file: number, bytes: Uint8Array): void {
  let written = 0;
  while (written < bytes.byteLength) written += writeSync(file, bytes, written);
}

function lstatOrNull(path: string): Stats | null {
  return lstatSync(path, { throwIfNoEntry: false }) ?? null;
}

function crossesSymlink(path: string): PalisadeError {
  return new PalisadeError('unsafe_path', `the path ${quotePath(path)} crosses a symlink in the workspace`);
}

function typeConflict(path: string, wanted: string, found: string): PalisadeError {
  return new PalisadeError(
    'integrity_mismatch',
    `${quotePath(path)} must be ${wanted} but is ${found} in the workspace`,
  );
}
