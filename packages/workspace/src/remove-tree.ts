import { chmod, lstat, mkdir, readdir, rename, rmdir, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { PalisadeError } from '@palisade/contracts';
import { errno } from './errno.ts';

/** Deeper or longer than this, a directory is moved up before it is removed: an agent can nest beyond what a path can say. */
const HOIST_DEPTH = 32;
const HOIST_BYTES = 2_048;
/** Times a directory is emptied anew when something was put into it meanwhile. */
const PASSES = 20;

/**
 * Removes a tree whatever its modes (FF-019) and however deep it is; symlinks are removed, never
 * followed. Idempotent: what is already gone is fine, and a call after a crash finishes the work.
 * Runs only after every process that could write to the tree has ended.
 */
export async function removeTree(root: string): Promise<void> {
  const hoisted = join(dirname(root), `.${basename(root)}.removing`);
  await removeEntry(root, 0, hoisted);
  for (;;) {
    const names = await listBytes(hoisted);
    if (names === null) return;
    for (const name of names) await removeEntry(childPath(hoisted, name), 0, hoisted);
    if (names.length === 0) {
      await rmdir(hoisted);
      return;
    }
  }
}

let hoistCount = 0;

async function removeEntry(path: string | Buffer, depth: number, hoisted: string): Promise<void> {
  const stats = await lstat(path).catch((error: unknown) => {
    if (errno(error) === 'ENOENT') return null;
    throw error;
  });
  if (stats === null) return;
  if (!stats.isDirectory()) {
    await attempt(path, () => unlink(path));
    return;
  }
  if (depth > HOIST_DEPTH || (depth > 0 && Buffer.byteLength(path) > HOIST_BYTES)) {
    await mkdir(hoisted, { recursive: true });
    await openUp(path, stats.mode);
    await attempt(path, () => rename(path, join(hoisted, `${process.pid}-${Date.now()}-${hoistCount++}`)));
    return;
  }
  await openUp(path, stats.mode);
  for (let pass = 1; ; pass++) {
    const names = (await attempt(path, () => listBytes(path))) ?? [];
    for (const name of names) await removeEntry(childPath(path, name), depth + 1, hoisted);
    try {
      await rmdir(path);
      return;
    } catch (error) {
      if (errno(error) === 'ENOENT') return;
      // A git process of a killed supervisor may still be writing here for a moment.
      if (errno(error) !== 'ENOTEMPTY' || pass === PASSES)
        await attempt(path, () => Promise.reject(error as Error));
    }
  }
}

/** Gives ourselves access to a directory we own. A foreign owner is reported by the step that then fails. */
async function openUp(path: string | Buffer, mode: number): Promise<void> {
  if ((mode & 0o700) === 0o700) return;
  await chmod(path, 0o700).catch((error: unknown) => {
    if (errno(error) !== 'EPERM' && errno(error) !== 'ENOENT') throw error;
  });
}

async function attempt<T>(path: string | Buffer, step: () => Promise<T>): Promise<T | undefined> {
  try {
    return await step();
  } catch (error) {
    if (errno(error) === 'ENOENT') return undefined;
    throw new PalisadeError('internal', `cannot remove ${path.toString('utf8')}`, {
      why: errno(error) ?? 'unknown',
      next: 'remove it as its owner or as root, then repeat',
      cause: error,
    });
  }
}

async function listBytes(directory: string | Buffer): Promise<Buffer[] | null> {
  try {
    return await readdir(directory, { encoding: 'buffer' });
  } catch (error) {
    if (errno(error) === 'ENOENT') return null;
    throw error;
  }
}

/** `directory/name` with a name that need not be text. */
export function childPath(directory: string | Buffer, name: Buffer): Buffer {
  return Buffer.concat([Buffer.from(directory), SLASH, name]);
}

const SLASH = Buffer.from('/');
