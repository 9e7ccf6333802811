import * as z from 'zod';
import { Hash, Millis } from './schema.ts';

const Count = z.int().nonnegative();

/** Which private keys go with a snapshot; none is ever part of it. */
export const SnapshotKeys = z.strictObject({
  /** Id of the master key that its secrets are sealed under; null where it holds none. */
  master: z.string().nullable(),
  /** Ids of the keys that sign evidence. */
  signing: z.array(z.string()),
});
export type SnapshotKeys = z.infer<typeof SnapshotKeys>;

/** One moment of a control plane on disk (AO-192). Sizes in bytes. */
export const SnapshotView = z.strictObject({
  snapshot_id: z.string(),
  snapshot_path: z.string(),
  created_at: Millis,
  database_bytes: Count,
  blob_count: Count,
  blob_bytes: Count,
  /** All of its files together. */
  snapshot_bytes: Count,
  /** Needed beside it to restore it. */
  keys: SnapshotKeys,
});
export type SnapshotView = z.infer<typeof SnapshotView>;

/** What `pal backup` answers. */
export const BackupReport = SnapshotView.extend({
  /** What became of older ones; absent when it failed. */
  retention: z.strictObject({ kept: Count, removed: Count }).optional(),
  /** The snapshot is good, and old ones could not be removed, or not all of them. */
  warning: z.strictObject({ code: z.literal('retention_failed'), message: z.string() }).optional(),
});
export type BackupReport = z.infer<typeof BackupReport>;

/** What `pal backup-verify` answers: otherwise it raises. */
export const VerifiedSnapshot = SnapshotView.extend({
  verified: z.literal(true),
  /** `older`: of an earlier version of the program, and brought up to date when it is restored. */
  schema: z.enum(['current', 'older']),
  /** Whether its database was found to name exactly its blobs; of an earlier schema `restore` checks that all are there, in its copy. */
  references: z.enum(['checked', 'unchecked']),
});
export type VerifiedSnapshot = z.infer<typeof VerifiedSnapshot>;

/** What was ended in a control plane that goes on from a snapshot (AO-196). */
export const Invalidated = z.strictObject({
  credentials_revoked: Count,
  people_disabled: Count,
  runs_paused: Count,
  schedules_suspended: Count,
  messages_held: Count,
});
export type Invalidated = z.infer<typeof Invalidated>;

/** What `pal invalidate-restored` answers. */
export const InvalidatedDatabase = Invalidated.extend({
  /** Which one: server and name, without who signs in. */
  database: z.string(),
});
export type InvalidatedDatabase = z.infer<typeof InvalidatedDatabase>;

/** What `pal restore` answers. */
export const RestoreReport = z.strictObject({
  snapshot_id: z.string(),
  /** The new directory, which holds `.palisade/`. */
  data_directory: z.string(),
  database_path: z.string(),
  created_at: Millis,
  invalidated: Invalidated,
  /** Files of keys that were put there. */
  keys: z.array(z.string()),
  /** Kinds of keys that were not given: what they protect is lost there. */
  keys_missing: z.array(z.enum(['master', 'signing'])),
});
export type RestoreReport = z.infer<typeof RestoreReport>;

/** `manifest.json` of a snapshot: exactly what it consists of (AO-186); no path of the machine it was made on. */
export const SnapshotManifest = z.strictObject({
  format: z.literal('palisade.snapshot/1'),
  snapshot_id: z.string().regex(/^snp_[0-9a-f]{32}$/),
  /** By the clock of the machine that made it. */
  created_at: Millis,
  /** Protected time of the control plane then: time goes on from there at the earliest. */
  protected_time: Millis,
  product_version: z.string(),
  log_origin: z.string(),
  database: z.strictObject({ size: Count, sha256: Hash }),
  /** Address and size of every blob, by address. */
  blobs: z.array(z.tuple([Hash, Count])),
});
export type SnapshotManifest = z.infer<typeof SnapshotManifest>;

/** `COMPLETE` of a snapshot, written last: which manifest it is about. */
export const SnapshotMarker = z.strictObject({
  snapshot_id: z.string(),
  created_at: Millis,
  /** Address of the manifest's bytes. */
  manifest: Hash,
});
export type SnapshotMarker = z.infer<typeof SnapshotMarker>;
