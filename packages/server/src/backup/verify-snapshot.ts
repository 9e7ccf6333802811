import { join, resolve } from 'node:path';
import {
  type ContentHash,
  contentHash,
  type SnapshotKeys,
  type SnapshotManifest,
  type VerifiedSnapshot,
} from '@palisade/contracts';
import { blobPath, checkImage, type Database, fileBlobStore, openImage, sealingKeys } from '@palisade/kernel';
import { findOrigin, listKeys, reachableBlobs, requiredBlobs } from '@palisade/runs';
import { roomMigrations } from '../room-migrations.ts';
import { MANIFEST_BYTES, MARKER_BYTES, manifestBytes, markerBytes, parseManifest } from './manifest.ts';
import { digestOf, filesBelow, notWhole, readWhole, SNAPSHOT } from './snapshot-files.ts';

/** A snapshot that was found whole. */
export interface CheckedSnapshot {
  readonly manifest: SnapshotManifest;
  readonly view: VerifiedSnapshot;
}

/** What is known of a snapshot's image. */
export interface ImageContent {
  readonly origin: string;
  readonly keys: SnapshotKeys;
  readonly protectedTime: number;
  readonly schema: 'current' | 'older';
}

/**
 * Checks a snapshot (AO-189) without writing anything, wherever it lies: it consists of the files that its manifest names and of no others,
 * each as it was, and the image refers to exactly these blobs; where its schema is of an earlier version, that stays "unchecked". Raises `integrity_mismatch`, `database_newer`, `migration_changed`, and
 * `not_found` where there is none.
 */
export async function verifySnapshot(path: string, signal?: AbortSignal): Promise<CheckedSnapshot> {
  const directory = resolve(path);
  const { files } = await filesBelow(directory);
  const manifest = await readManifest(directory);
  const blobs = new Map(manifest.blobs);
  const expected = new Set<string>([SNAPSHOT.database, SNAPSHOT.manifest, SNAPSHOT.complete]);
  for (const hash of blobs.keys()) expected.add(blobPath(SNAPSHOT.blobs, hash));
  for (const file of files)
    if (!expected.delete(file)) throw notWhole(join(directory, file), 'the manifest does not name it');
  for (const file of expected) throw notWhole(join(directory, file), 'it is missing');

  const image = join(directory, SNAPSHOT.database);
  const { hash, size } = await digestOf(image, signal);
  if (hash !== manifest.database.sha256 || size !== manifest.database.size)
    throw notWhole(image, 'its bytes are not those that were written');
  for (const [address, bytes] of manifest.blobs) {
    const blob = blobPath(join(directory, SNAPSHOT.blobs), address);
    const found = await digestOf(blob, signal);
    if (found.hash !== address || found.size !== bytes)
      throw notWhole(blob, 'its bytes are not those that were written');
  }
  const content = await imageContent(directory, blobs, signal);
  if (content.origin !== manifest.log_origin || content.protectedTime > manifest.protected_time)
    throw notWhole(image, 'the manifest is about another database');
  return {
    manifest,
    view: { ...viewOf(directory, manifest, content.keys), verified: true, ...referencesOf(content) },
  };
}

/** What a snapshot's image says, once it and what it refers to is found sound. */
export async function imageContent(
  directory: string,
  blobs: { has(hash: ContentHash): boolean; readonly size: number },
  signal?: AbortSignal,
): Promise<ImageContent> {
  const image = openImage(join(directory, SNAPSHOT.database));
  try {
    const { protectedTime, level } = await checkImage(image, roomMigrations);
    if (level === 'current') await assertReferred(image, directory, blobs, signal);
    return { ...(await identityOf(image, directory)), protectedTime, schema: level };
  } finally {
    await image.close();
  }
}

/** The references of an earlier schema cannot be read before it is brought up to date, which is not for a look. */
function referencesOf({ schema }: ImageContent): Pick<VerifiedSnapshot, 'schema' | 'references'> {
  return { schema, references: schema === 'current' ? 'checked' : 'unchecked' };
}

/** How a snapshot is told of. */
export function viewOf(directory: string, manifest: SnapshotManifest, keys: SnapshotKeys) {
  const blobBytes = manifest.blobs.reduce((sum, [, size]) => sum + size, 0);
  const manifestSize = manifestBytes(manifest);
  return {
    snapshot_id: manifest.snapshot_id,
    snapshot_path: directory,
    created_at: manifest.created_at,
    database_bytes: manifest.database.size,
    blob_count: manifest.blobs.length,
    blob_bytes: blobBytes,
    snapshot_bytes:
      manifest.database.size +
      blobBytes +
      manifestSize.byteLength +
      markerBytes(manifest, manifestSize).byteLength,
    keys,
  };
}

async function readManifest(directory: string): Promise<SnapshotManifest> {
  const marker = await readWhole(join(directory, SNAPSHOT.complete), MARKER_BYTES);
  const bytes = await readWhole(join(directory, SNAPSHOT.manifest), MANIFEST_BYTES);
  const manifest = parseManifest(bytes);
  if (manifest === undefined) throw notWhole(join(directory, SNAPSHOT.manifest), 'it is no manifest');
  if (!markerBytes(manifest, bytes).equals(marker))
    throw notWhole(join(directory, SNAPSHOT.complete), `it is not about the manifest ${contentHash(bytes)}`);
  return manifest;
}

/** The rows and the manifest name the same blobs. */
async function assertReferred(
  image: Database,
  directory: string,
  blobs: { has(hash: ContentHash): boolean; readonly size: number },
  signal: AbortSignal | undefined,
): Promise<void> {
  for (const hash of await requiredBlobs(image))
    if (!blobs.has(hash)) throw notWhole(directory, `it has no ${hash}, which its database names`);
  const reachable = await reachableBlobs(image, fileBlobStore(join(directory, SNAPSHOT.blobs)), {
    ...(signal && { signal }),
  });
  let named = 0;
  for (const hash of reachable) if (blobs.has(hash)) named++;
  if (named !== blobs.size) throw notWhole(directory, 'it has blobs that its database does not name');
}

async function identityOf(
  image: Database,
  directory: string,
): Promise<{ origin: string; keys: SnapshotKeys }> {
  return image.read(async (tx) => {
    const origin = await findOrigin(tx);
    if (origin === undefined) throw notWhole(directory, 'it is of no control plane');
    const [master = null] = await sealingKeys(tx);
    const keys = await listKeys(tx);
    const signing = keys.filter(
      ({ notAfter, revokedAt }) => notAfter === undefined && revokedAt === undefined,
    );
    return { origin, keys: { master, signing: signing.map(({ keyid }) => keyid) } };
  });
}
