import {
  canonicalJson,
  contentHash,
  PalisadeError,
  SnapshotManifest,
  SnapshotMarker,
} from '@palisade/contracts';
import type * as z from 'zod';

/** The most bytes of a manifest, looked at before it is read (AO-190). */
export const MANIFEST_BYTES = 64 * 1024 * 1024;
export const MARKER_BYTES = 4_096;

/** The bytes of `manifest.json`: its canonical form, so that there is one for what it says. */
export function manifestBytes(manifest: SnapshotManifest): Buffer {
  const bytes = linesOf(manifest);
  if (bytes.byteLength > MANIFEST_BYTES)
    throw new PalisadeError('too_large', `the manifest has more than ${MANIFEST_BYTES} bytes`);
  return bytes;
}

/** The bytes of `COMPLETE`, for the manifest of these bytes. */
export function markerBytes(manifest: SnapshotManifest, bytes: Uint8Array): Buffer {
  const { snapshot_id, created_at } = manifest;
  return linesOf({ snapshot_id, created_at, manifest: contentHash(bytes) } satisfies SnapshotMarker);
}

/** Undefined for bytes that are not exactly those of a manifest. */
export function parseManifest(bytes: Buffer): SnapshotManifest | undefined {
  return parse(SnapshotManifest, bytes);
}

/** Undefined for bytes that are not exactly those of a marker. */
export function parseMarker(bytes: Buffer): SnapshotMarker | undefined {
  return parse(SnapshotMarker, bytes);
}

function linesOf(value: unknown): Buffer {
  return Buffer.from(`${canonicalJson(value)}\n`, 'utf8');
}

function parse<T extends z.ZodType>(schema: T, bytes: Buffer): z.output<T> | undefined {
  try {
    const parsed = schema.safeParse(JSON.parse(bytes.toString('utf8')));
    return parsed.success && linesOf(parsed.data).equals(bytes) ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}
