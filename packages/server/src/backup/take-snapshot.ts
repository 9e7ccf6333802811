import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type BackupReport,
  type ContentHash,
  faultPoint,
  isPalisadeError,
  newId,
  PalisadeError,
  PRODUCT_VERSION,
  type SnapshotManifest,
  toPalisadeError,
} from '@palisade/contracts';
import {
  checkImage,
  clockAhead,
  estimateImage,
  fileBlobStore,
  openImage,
  openToRead,
  whileUncollected,
  writeImage,
} from '@palisade/kernel';
import { findOrigin, reachableBlobs, requiredBlobs } from '@palisade/runs';
import { type Layout, planeLayoutOf } from '../layout.ts';
import { roomMigrations } from '../room-migrations.ts';
import { manifestBytes, markerBytes } from './manifest.ts';
import {
  beginPartial,
  openRepository,
  prune,
  publish,
  removeLeftovers,
  type Repository,
  snapshotName,
  whileAlone,
} from './repository.ts';
import {
  assertRoom,
  assertWanted,
  copyBlob,
  digestOf,
  failureOf,
  SNAPSHOT,
  syncTree,
  writePrivate,
} from './snapshot-files.ts';
import { verifySnapshot } from './verify-snapshot.ts';

/** Bounds of one snapshot (AO-190). */
export interface SnapshotLimits {
  readonly imageBytes: number;
  readonly blobs: number;
  /** How long it may take; a snapshot that took longer is not published. ms */
  readonly deadlineMs: number;
  /** What stays free on the disk; see {@link assertRoom}. */
  readonly reserveBytes?: number;
}

export const SNAPSHOT_LIMITS: SnapshotLimits = {
  imageBytes: 8 * 1024 ** 3,
  blobs: 1_000_000,
  deadlineMs: 45 * 60_000,
};

const AT_ONCE = 16;

/** What may end the work before it is done. */
interface Bounds {
  readonly signal: AbortSignal | undefined;
  /** Raises when time is over or the work is given up. */
  readonly inTime: () => void;
}

/**
 * Makes a snapshot of a control plane with an SQLite database, also while it is served, and removes old ones (AO-184…AO-192). The database
 * is only read. Raises `database_newer` and `invalid_state` where its schema is not this program's, `integrity_mismatch` when
 * something it refers to is missing or damaged, `storage_full`, `too_large`, `timed_out`, `lease_held`, what `openRepository` raises, and
 * the reason of `signal`, with nothing left, when that aborts before the snapshot is published.
 */
export async function takeSnapshot(
  layout: Layout,
  path: string,
  limits: SnapshotLimits = SNAPSHOT_LIMITS,
  signal?: AbortSignal,
): Promise<BackupReport> {
  const until = performance.now() + limits.deadlineMs;
  const inTime = (): void => {
    signal?.throwIfAborted();
    if (performance.now() > until)
      throw new PalisadeError('timed_out', `the backup took longer than ${limits.deadlineMs} ms`);
  };
  const repository = await openRepository(path, layout.home);
  return whileAlone(repository, signal, async () => {
    await removeLeftovers(repository);
    const createdAt = Date.now();
    const id = newId('snp', createdAt);
    const name = snapshotName(createdAt, id);
    const partial = await beginPartial(repository, name);
    try {
      await fill(layout, partial, { id, createdAt }, limits, { signal, inTime });
      const { view } = await verifySnapshot(partial, signal);
      await syncTree(partial);
      inTime();
      faultPoint('backup.before-publish');
      await assertWanted(signal);
      const published = await publish(repository, partial, name);
      faultPoint('backup.after-publish');
      const { verified: _verified, schema: _schema, references: _references, ...facts } = view;
      return { ...facts, snapshot_path: published, ...(await retain(repository, name)) };
    } catch (error) {
      await rm(partial, { recursive: true, force: true });
      throw failureOf(error, signal);
    }
  });
}

/** A snapshot that is published stays so whatever becomes of older ones. */
async function retain(
  repository: Repository,
  name: string,
): Promise<Pick<BackupReport, 'retention' | 'warning'>> {
  try {
    return { retention: await prune(repository, name) };
  } catch (error) {
    const { message, why } = toPalisadeError(error);
    return {
      warning: { code: 'retention_failed', message: why === undefined ? message : `${message}: ${why}` },
    };
  }
}

async function fill(
  layout: Layout,
  partial: string,
  { id, createdAt }: { readonly id: string; readonly createdAt: number },
  limits: SnapshotLimits,
  { signal, inTime }: Bounds,
): Promise<void> {
  const room = (bytes: number): Promise<void> => assertRoom(partial, bytes, limits.reserveBytes);
  const image = join(partial, SNAPSHOT.database);
  const live = await aboutLive(layout.database);
  assertSmall(live.bytes, limits);
  await room(live.bytes);
  const { blobs: store } = planeLayoutOf(layout, live.origin);
  faultPoint('backup.before-image');
  await whileUncollected(store, async () => {
    // Nobody else's from its first byte on.
    await writePrivate(image, Buffer.alloc(0));
    writeImage(layout.database, image);
    await settle(image);
    faultPoint('backup.after-image');
    inTime();
    const { size, hash } = await digestOf(image, signal);
    assertSmall(size, limits);
    const database = openImage(image);
    try {
      const { protectedTime, level } = await checkImage(database, roomMigrations);
      if (level === 'older') throw outdated();
      const ahead = await database.read(clockAhead);
      const from = fileBlobStore(store);
      const required = await requiredBlobs(database);
      const named = new Set([
        ...required,
        ...(await reachableBlobs(database, from, { ...(signal && { signal }) })),
      ]);
      if (named.size > limits.blobs) throw new PalisadeError('too_large', `it refers to ${named.size} blobs`);
      const blobs = await copyBlobs(from, {
        named,
        required,
        directory: join(partial, SNAPSHOT.blobs),
        room,
        signal,
        inTime,
      });
      const manifest: SnapshotManifest = {
        format: 'palisade.snapshot/1',
        snapshot_id: id,
        created_at: createdAt,
        protected_time: Math.max(protectedTime, createdAt + ahead),
        product_version: PRODUCT_VERSION,
        log_origin: live.origin,
        database: { size, sha256: hash },
        blobs,
      };
      const bytes = manifestBytes(manifest);
      await writePrivate(join(partial, SNAPSHOT.manifest), bytes);
      faultPoint('backup.before-complete');
      await syncTree(partial);
      await writePrivate(join(partial, SNAPSHOT.complete), markerBytes(manifest, bytes));
    } finally {
      await database.close();
    }
  });
}

/** What is named and there; what must be there and is not fails the snapshot. */
async function copyBlobs(
  from: ReturnType<typeof fileBlobStore>,
  how: Bounds & {
    readonly named: ReadonlySet<ContentHash>;
    readonly required: ReadonlySet<ContentHash>;
    readonly directory: string;
    readonly room: (bytes: number) => Promise<void>;
  },
): Promise<[ContentHash, number][]> {
  const copied: [ContentHash, number][] = [];
  const ifThere = async (hash: ContentHash, work: () => Promise<number>): Promise<number | undefined> => {
    try {
      return await work();
    } catch (error) {
      if (!isPalisadeError(error, 'not_found') || how.required.has(hash)) throw missing(hash, error);
      return undefined;
    }
  };
  const sizeOf = (hash: ContentHash) =>
    ifThere(hash, async () => (await from.part(hash, { offset: 0, length: 0 })).size);
  const one = async (hash: ContentHash): Promise<void> => {
    how.inTime();
    const size = await ifThere(hash, () => copyBlob(from, hash, how.directory, how.signal));
    if (size !== undefined) copied.push([hash, size]);
    faultPoint('backup.in-blobs');
  };
  const waiting = [...how.named].sort();
  for (let i = 0; i < waiting.length; i += AT_ONCE) {
    const together = waiting.slice(i, i + AT_ONCE);
    const sizes = await Promise.all(together.map(sizeOf));
    await how.room(sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0));
    const outcomes = await Promise.allSettled(together.map(one));
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  }
  return copied.sort(([a], [b]) => (a < b ? -1 : 1));
}

/** How much there is, and in which log: that stands in the database, and never changes. */
async function aboutLive(path: string): Promise<{ readonly bytes: number; readonly origin: string }> {
  const live = openToRead(path);
  try {
    const origin = await live.read(findOrigin);
    if (origin === undefined) throw new PalisadeError('not_initialized', `${path} is of no control plane`);
    return { bytes: await estimateImage(live), origin };
  } finally {
    await live.close();
  }
}

/** What SQLite wrote without waiting for the disk. */
async function settle(image: string): Promise<void> {
  const handle = await open(image, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function assertSmall(bytes: number, { imageBytes }: SnapshotLimits): void {
  if (bytes > imageBytes)
    throw new PalisadeError('too_large', `the database has more than ${imageBytes} bytes`);
}

function missing(hash: ContentHash, error: unknown): unknown {
  if (!isPalisadeError(error, 'not_found')) return error;
  return new PalisadeError('integrity_mismatch', `the store has no ${hash}, which the database names`, {
    why: 'a snapshot without it would not be whole',
    next: 'put the content again, or put it back from an earlier snapshot',
    cause: error,
  });
}

function outdated(): PalisadeError {
  return new PalisadeError('invalid_state', 'the database has the schema of an earlier version', {
    why: 'a backup changes nothing, and is of what this version knows',
    next: 'make it with the version that is installed there, or start this one first',
  });
}
