import { link, lstat, mkdir, readdir, rename, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type ContentHash, faultPoint, isContentHash, toPalisadeError } from '@palisade/contracts';
import { withFileLock, withSharedLock } from '@palisade/process';
import { blobPath, blobsAfter, TRASH } from './blob-layout.ts';

/** Locked by whoever removes blobs, and shared by whoever must find each of them again. */
const LOCK = 'collect.lock';

/** A put and the commit of the row that refers to it are never this far apart. */
const DEFAULT_GRACE_MS = 24 * 60 * 60 * 1000;

export interface CollectOptions {
  /** Blobs that were put after this moment, Unix ms, are kept. Default: a day ago. */
  readonly before?: number;
  /** Only counts what would go. */
  readonly dryRun?: boolean;
  /** Ends the collection between two blobs. */
  readonly signal?: AbortSignal;
}

/** What a collection did; `bytes` is what it freed. */
export interface Collected {
  readonly kept: number;
  readonly removed: number;
  readonly bytes: number;
}

/*
 * Removing a blob races with a put of equal content, which finds the file there and only sets its
 * age anew. Both sides look twice, so that one of them always notices the other:
 *
 *   put:      set the age, then look whether the file is still in its place; if not, write it anew
 *   collect:  move the file to the trash, then look at its age; if it is young, put it back
 *
 * A put that saw the file in place set the age before the move, so the collection sees it young.
 * Readers look into the trash for the moment between the move and the way back; a collection that
 * dies there is finished by the next one.
 */

/**
 * Runs `body` while no collection removes anything of the store, in whatever process (AO-185). Raises `lease_held` while one does for too
 * long.
 */
export async function whileUncollected<T>(directory: string, body: () => Promise<T>): Promise<T> {
  await mkdir(directory, { recursive: true });
  return withSharedLock(join(directory, LOCK), { busy: 'blobs are being removed at this moment' }, body);
}

/** Removes what is neither reachable nor young; see the head of this file. Raises `lease_held` while somebody relies on the blobs. */
export async function collectBlobs(
  directory: string,
  reachable: { has(hash: ContentHash): boolean },
  options: CollectOptions = {},
): Promise<Collected> {
  if (options.dryRun === true) return collect(directory, reachable, options);
  await mkdir(join(directory, TRASH), { recursive: true });
  const wish = { busy: 'the blobs are being copied at this moment', patienceMs: 0 };
  return withFileLock(join(directory, LOCK), wish, () => collect(directory, reachable, options));
}

async function collect(
  directory: string,
  reachable: { has(hash: ContentHash): boolean },
  { before = Date.now() - DEFAULT_GRACE_MS, dryRun = false, signal }: CollectOptions,
): Promise<Collected> {
  let kept = 0;
  let removed = 0;
  let bytes = 0;
  const trash = join(directory, TRASH);
  try {
    if (!dryRun) await finishTrash(directory, reachable, before);
    for await (const hash of blobsAfter(directory)) {
      signal?.throwIfAborted();
      const path = blobPath(directory, hash);
      const facts = reachable.has(hash) ? undefined : await stat(path).catch(() => undefined);
      if (facts === undefined || facts.mtimeMs > before) {
        kept++;
        continue;
      }
      const held = join(trash, hash.slice('sha256:'.length));
      if (!dryRun) await rename(path, held).catch(ignoreAbsent);
      if (!dryRun) faultPoint('collect.in-trash');
      if (dryRun || (await settle(held, path, before))) {
        removed++;
        bytes += facts.size;
      } else kept++;
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw toPalisadeError(error);
  }
  return { kept, removed, bytes };
}

/** Decides what a collection that died left in the trash. */
async function finishTrash(
  directory: string,
  reachable: { has(hash: ContentHash): boolean },
  oldest: number,
): Promise<void> {
  for (const hex of await readdir(join(directory, TRASH))) {
    const hash = `sha256:${hex}`;
    if (!isContentHash(hash)) continue;
    const age = reachable.has(hash) ? Number.NEGATIVE_INFINITY : oldest;
    await settle(join(directory, TRASH, hex), blobPath(directory, hash), age);
  }
}

/** True when the held file is old and now gone; otherwise it is in its place again. */
async function settle(held: string, path: string, oldest: number): Promise<boolean> {
  const facts = await lstat(held).catch(() => undefined);
  // Another collection settled it.
  if (facts === undefined) return false;
  const isOld = facts.mtimeMs <= oldest;
  // A link never replaces the file a put may have written meanwhile, as a rename would.
  if (!isOld) await link(held, path).catch(ignoreExisting);
  await unlink(held).catch(ignoreAbsent);
  return isOld;
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}

function ignoreAbsent(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
