import { existsSync } from 'node:fs';
import { lstat, mkdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { faultPoint, newId, PalisadeError, type RestoreReport } from '@palisade/contracts';
import {
  checkImage,
  type Database,
  fileBlobStore,
  fsyncDirectory,
  openDatabase,
  openImage,
  raiseStoredClock,
  settleDatabase,
} from '@palisade/kernel';
import { reachableBlobs, requiredBlobs } from '@palisade/runs';
import { type Layout, layoutOf, planeLayoutOf } from '../layout.ts';
import { roomMigrations } from '../room-migrations.ts';
import { assertOwnTriggers } from './own-triggers.ts';
import { invalidate } from './invalidate.ts';
import { assertApart, assertOutside, whileKept } from './repository.ts';
import { assertKeys, findKeys } from './restore-keys.ts';
import {
  assertRoom,
  assertWanted,
  copyBlob,
  copyPlain,
  failureOf,
  notWhole,
  SNAPSHOT,
  syncTree,
  writePrivate,
} from './snapshot-files.ts';
import { type CheckedSnapshot, verifySnapshot } from './verify-snapshot.ts';

export interface RestoreOptions {
  readonly snapshot: string;
  /** A directory that is not there yet, which is to hold `.palisade/`. */
  readonly destination: string;
  /** 1 to 500 characters; kept in the audit record. */
  readonly reason: string;
  /** Where the files of the keys are. */
  readonly keys?: string | undefined;
  /** Goes on without keys that are not found. */
  readonly withoutKeys?: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Makes a control plane of a snapshot, in a directory of its own (AO-195, AO-196): verified, brought up to date, with everything ended that
 * could still act on what it was; it appears whole or not at all. The snapshot and any other control plane stay as they are. Raises what
 * `verifySnapshot` raises; `already_exists`, `unsafe_path`, `not_found`, `requirements_unmet` without keys, `storage_full`; the reason of
 * `signal`, with nothing left, when that aborts before it appears.
 */
export async function restoreSnapshot(options: RestoreOptions): Promise<RestoreReport> {
  const { snapshot, signal } = options;
  const destination = resolve(options.destination);
  await assertApart(destination, snapshot);
  await assertOutside(destination);
  await assertAbsent(destination);
  const parent = dirname(destination);
  if (!existsSync(parent))
    throw new PalisadeError('not_found', `there is no directory ${parent}`, { next: `mkdir -p '${parent}'` });
  return whileKept(snapshot, signal, async () => {
    const checked = await verifySnapshot(snapshot, signal);
    await assertRoom(parent, 2 * checked.manifest.database.size + checked.view.blob_bytes);
    const staging = join(parent, `.${basename(destination)}.${newId('snp')}.partial`);
    await mkdir(staging, { mode: 0o700 });
    try {
      const report = await fill(options, checked, layoutOf(staging));
      await syncTree(staging);
      faultPoint('restore.before-publish');
      await assertAbsent(destination);
      await assertWanted(signal);
      await rename(staging, destination);
      await fsyncDirectory(parent);
      return { ...report, data_directory: destination, database_path: layoutOf(destination).database };
    } catch (error) {
      await rm(staging, { recursive: true, force: true });
      throw failureOf(error, signal);
    }
  });
}

async function fill(
  options: RestoreOptions,
  { manifest }: CheckedSnapshot,
  layout: Layout,
): Promise<Omit<RestoreReport, 'data_directory' | 'database_path'>> {
  const { snapshot, reason, keys: keyDirectory, withoutKeys = false, env, signal } = options;
  await mkdir(layout.home, { mode: 0o700 });
  const image = await copyPlain(join(snapshot, SNAPSHOT.database), layout.database, signal);
  if (image.hash !== manifest.database.sha256)
    throw notWhole(snapshot, 'its image changed while it was copied');
  const keys = await closing(openImage(layout.database), (copied) => findKeys(copied, keyDirectory, env));
  assertKeys(keys, withoutKeys);

  raiseStoredClock(layout.database, manifest.protected_time);
  const database = await openDatabase({ url: layout.database, migrations: roomMigrations.flat() });
  const { snapshot_id: snapshotId, protected_time: snapshotAt } = manifest;
  const invalidated = await closing(database, async () => {
    await assertOwnTriggers(database, join(layout.home, 'fresh.db'), snapshot);
    return invalidate(database, { reason, snapshotId, snapshotAt });
  });
  settleDatabase(layout.database);

  const { blobs } = planeLayoutOf(layout, manifest.log_origin);
  await mkdir(blobs, { recursive: true, mode: 0o700 });
  const from = fileBlobStore(join(snapshot, SNAPSHOT.blobs));
  for (const [hash] of manifest.blobs) {
    await copyBlob(from, hash, blobs, signal);
    faultPoint('restore.in-blobs');
  }
  await recheck(options, layout, blobs);
  // Last: what a killed restoration leaves has hardly ever a key in it.
  for (const { name, text } of keys.files) await writePrivate(join(layout.home, name), Buffer.from(text));
  return {
    snapshot_id: snapshotId,
    created_at: manifest.created_at,
    invalidated,
    keys: keys.files.map(({ name }) => name),
    keys_missing: keys.missing,
  };
}

/** What was written is sound, and every blob that it needs is there with the bytes of its address. */
function recheck(
  { snapshot, signal }: RestoreOptions,
  { database: path }: Layout,
  blobs: string,
): Promise<void> {
  return closing(openImage(path), async (database) => {
    await checkImage(database, roomMigrations);
    const store = fileBlobStore(blobs);
    const required = await requiredBlobs(database);
    const reachable = await reachableBlobs(database, store, { ...(signal && { signal }) });
    for (const hash of new Set([...required, ...reachable])) {
      signal?.throwIfAborted();
      if (await store.has(hash)) await store.path(hash);
      else if (required.has(hash)) throw notWhole(snapshot, `it has no ${hash}, which its database names`);
    }
  });
}

async function closing<T>(database: Database, use: (database: Database) => Promise<T>): Promise<T> {
  try {
    return await use(database);
  } finally {
    await database.close();
  }
}

async function assertAbsent(path: string): Promise<void> {
  if ((await lstat(path).catch(() => undefined)) === undefined) return;
  throw new PalisadeError('already_exists', `there is something at ${path} already`, {
    next: 'name a directory that is not there yet',
  });
}
