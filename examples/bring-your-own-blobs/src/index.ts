import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import {
  type BlobStore,
  type ContentHash,
  contentHash,
  isContentHash,
  PalisadeError,
  type StoredBlob,
} from '@palisade/contracts';

/** One row's bytes are held in memory: this store is for patches and reports, not for disk images. */
const MOST_BYTES = 512 * 1024 * 1024;

/**
 * A blob store in one SQLite file in `directory`. Any number of processes may have it open. A local copy, for whoever
 * needs a path, is made in `directory/copies`.
 */
export function sqliteBlobs(directory: string): BlobStore {
  const copies = join(directory, 'copies');
  mkdirSync(copies, { recursive: true });
  const file = join(directory, 'blobs.sqlite');
  const database = new DatabaseSync(file, { timeout: 30_000 });
  // A put must be durable before it resolves.
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
  database.exec(
    'CREATE TABLE IF NOT EXISTS blobs (hash TEXT PRIMARY KEY, bytes BLOB NOT NULL) WITHOUT ROWID',
  );
  const insert = database.prepare(
    'INSERT INTO blobs VALUES (?, ?) ON CONFLICT (hash) DO UPDATE SET bytes = excluded.bytes',
  );
  const select = database.prepare('SELECT bytes FROM blobs WHERE hash = ?');
  const exists = database.prepare('SELECT 1 FROM blobs WHERE hash = ?');
  const remove = database.prepare('DELETE FROM blobs WHERE hash = ?');
  const page = database.prepare('SELECT hash FROM blobs WHERE hash > ? ORDER BY hash LIMIT ?');

  const put = (bytes: Uint8Array, expected: ContentHash | undefined): StoredBlob => {
    const hash = contentHash(bytes);
    if (expected !== undefined && expected !== hash)
      throw new PalisadeError('integrity_mismatch', `the bytes hash to ${hash}, not to ${expected}`);
    insert.run(hash, bytes);
    return { hash, size: bytes.byteLength };
  };
  /** The whole content, verified now: whoever can write the file can change what is in it. */
  const read = (hash: ContentHash): Buffer => {
    assertAddress(hash);
    const row = select.get(hash) as { bytes: Uint8Array } | undefined;
    if (row === undefined) throw new PalisadeError('not_found', `there is no blob ${hash}`);
    if (contentHash(row.bytes) !== hash)
      throw new PalisadeError('integrity_mismatch', `the blob ${hash} is damaged`);
    return Buffer.from(row.bytes);
  };
  return {
    rootUri: pathToFileURL(file).href.replace(/^file:/, 'sqlite:'),
    put: async (bytes, expected) => put(bytes, expected),
    putFile: async (path, { expected, maxBytes = MOST_BYTES } = {}) => put(bytesOf(path, maxBytes), expected),
    get: async (hash, { maxBytes = MOST_BYTES } = {}) => {
      const bytes = read(hash);
      if (bytes.length > maxBytes)
        throw new PalisadeError('too_large', `the blob ${hash} is larger than ${maxBytes} bytes`);
      return bytes;
    },
    part: async (hash, { offset, length }) => {
      const bytes = read(hash);
      return { bytes: bytes.subarray(offset, offset + length), size: bytes.length };
    },
    stream: async (hash) => Readable.from([read(hash)]),
    has: async (hash) => exists.get(hash) !== undefined,
    path: async (hash) => {
      const bytes = read(hash);
      const copy = join(copies, hash.slice('sha256:'.length));
      // Written anew each time: what lies there may have been changed by anybody.
      const draft = `${copy}.${process.pid}.${crypto.randomUUID()}`;
      writeFileSync(draft, bytes, { mode: 0o444 });
      renameSync(draft, copy);
      return copy;
    },
    list: async ({ after = '', limit }) => {
      const rows = page.all(after, limit + 1) as { hash: ContentHash }[];
      const hashes = rows.slice(0, limit).map(({ hash }) => hash);
      return { hashes, next: rows.length > limit ? (hashes.at(-1) ?? null) : null };
    },
    remove: async (hash) => {
      assertAddress(hash);
      remove.run(hash);
    },
  };
}

function assertAddress(hash: string): void {
  if (!isContentHash(hash))
    throw new PalisadeError('invalid_input', 'an address is sha256: and 64 hex digits');
}

/** A regular file's bytes; never through a link, and never waiting for a pipe. */
function bytesOf(path: string, maxBytes: number): Buffer {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const isAbsent = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    throw new PalisadeError(isAbsent ? 'not_found' : 'unsafe_path', `${path} cannot be read`, {
      cause: error,
    });
  }
  try {
    const facts = fstatSync(file);
    if (!facts.isFile()) throw new PalisadeError('unsafe_path', `${path} is not a regular file`);
    if (facts.size > maxBytes)
      throw new PalisadeError('too_large', `${path} is larger than ${maxBytes} bytes`);
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}
