import type { Readable } from 'node:stream';
import type { ContentHash } from './canonical-json.ts';

/**
 * Content-addressed storage (DI-020, DI-021). Equal content is stored once; a put is atomic and
 * durable before it resolves; every read re-hashes. Absence is `not_found`, damage is
 * `integrity_mismatch`, a full disk is `storage_full`.
 */
export interface BlobStore {
  /** Where the store is rooted, for people and to tell stores apart: `file:///…`, `s3://bucket/prefix` (DI-025). */
  readonly rootUri: string;
  /** Stores bytes. With `expected`, bytes that hash otherwise are refused with `integrity_mismatch` and nothing is kept. */
  put(bytes: Uint8Array, expected?: ContentHash): Promise<StoredBlob>;
  /** Stores a file's content by streaming; `maxBytes` bounds it (`too_large`). */
  putFile(
    path: string,
    options?: { readonly expected?: ContentHash; readonly maxBytes?: number },
  ): Promise<StoredBlob>;
  /** Whole content, at most `maxBytes`. */
  get(hash: ContentHash, options?: { readonly maxBytes?: number }): Promise<Buffer>;
  /**
   * `length` bytes from `offset`, fewer where the content ends, and the size of the whole. The content is
   * re-hashed when this is all of it; a part cannot be: whoever joins parts compares the whole with its address.
   */
  part(
    hash: ContentHash,
    range: { readonly offset: number; readonly length: number },
  ): Promise<{ readonly bytes: Buffer; readonly size: number }>;
  /** Streams content and fails at the end when it does not hash to its address. */
  stream(hash: ContentHash): Promise<Readable>;
  has(hash: ContentHash): Promise<boolean>;
  /** A local path to the content, verified now, for handing to a worker on this machine. */
  path(hash: ContentHash): Promise<string>;
  /** Addresses in order, after `after`, at most `limit` (DI-030). */
  list(options: {
    readonly after?: ContentHash;
    readonly limit: number;
  }): Promise<{ readonly hashes: readonly ContentHash[]; readonly next: ContentHash | null }>;
  remove(hash: ContentHash): Promise<void>;
}

export interface StoredBlob {
  readonly hash: ContentHash;
  readonly size: number;
}

/** Named files beside the blobs (log tiles, checkpoints): `/`-separated lower-case names, written atomically. */
export interface NamedFiles {
  read(name: string): Promise<Buffer | null>;
  /** Writes or replaces. */
  write(name: string, bytes: Uint8Array): Promise<void>;
  /** Removes the file of a name and all files below it; absence is not an error. Stores that never remove leave it out. */
  remove?(name: string): Promise<void>;
}
