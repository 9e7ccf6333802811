import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { PalisadeError, redactCredentials } from '@palisade/contracts';
import type { MemoryDatabase } from '../../store/memory-database.ts';

const { O_APPEND, O_CREAT, O_NONBLOCK, O_WRONLY } = constants;

/** Bytes of a log before it is put aside as `.1`, in place of what was there: twice as much is kept at most. */
export const LOG_BYTES = 8 * 1024 * 1024;
/** Most of a log that is read at once. */
const READ_BYTES = 1024 * 1024;
/** Characters at the start of a part of a line that may be of a credential and what it is assigned to. */
const BEGINNING = 1024;

/** Where the log of a command is that names no other. */
export function ownedLog(database: MemoryDatabase, id: string): string {
  return join(dirname(database.path), 'owned', `${id}.log`);
}

/** What a command writes, both streams as they come: appended, bounded, for its owner alone. Its folder has to be there. */
export class OwnedLog implements Disposable {
  readonly #path: string;
  #file: number;
  #size: number;
  #isFull = false;

  constructor(path: string) {
    this.#path = path;
    const { file, size } = opened(path);
    this.#file = file;
    this.#size = size;
  }

  /** Whether something of it could not be written. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** Written when it returns. A disk without room ends the log, and not what writes it. */
  write(piece: Uint8Array): void {
    if (this.#isFull) return;
    try {
      if (this.#size > 0 && this.#size + piece.length > LOG_BYTES) this.#putAside();
      for (let at = 0; at < piece.length; ) at += writeSync(this.#file, piece, at);
      this.#size += piece.length;
    } catch {
      this.#isFull = true;
    }
  }

  #putAside(): void {
    renameSync(this.#path, `${this.#path}.1`);
    const before = this.#file;
    const { file, size } = opened(this.#path);
    this.#file = file;
    this.#size = size;
    closeSync(before);
  }

  [Symbol.dispose](): void {
    // The descriptor is somebody else's from here on.
    this.#isFull = true;
    closeSync(this.#file);
  }
}

/** Opened to append, its owner's alone. Errors: `invalid_input` for what is no regular file, and those of the system. */
function opened(path: string): { readonly file: number; readonly size: number } {
  // A pipe that nobody reads is not waited for.
  const file = openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK, 0o600);
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) throw new PalisadeError('invalid_input', 'the log is no regular file');
    if ((stat.mode & 0o077) !== 0) fchmodSync(file, 0o600);
    return { file, size: stat.size };
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/** The last lines of a log, without what looks like a credential. */
export function logTail(
  path: string,
  limit: number,
): { readonly lines: readonly string[]; readonly hasMore: boolean } {
  const last = endOf(path, READ_BYTES);
  const before = endOf(`${path}.1`, READ_BYTES - last.bytes.length);
  const isCut = last.isCut || before.isCut;
  const text = Buffer.concat(last.isCut ? [last.bytes] : [before.bytes, last.bytes]).toString('utf8');
  const whole = isCut ? afterCut(text) : text;
  const lines = redactCredentials(whole.replace(/\n$/, '')).split('\n');
  const all = whole === '' ? [] : lines;
  return { lines: limit === 0 ? [] : all.slice(-limit), hasMore: isCut || all.length > limit };
}

/** Of a part, which may begin within a credential, what follows the first line; of one line, what follows its beginning. */
function afterCut(text: string): string {
  const end = text.indexOf('\n');
  return end === -1
    ? redactCredentials(text)
        .slice(BEGINNING)
        .replace(/^\S*\s*/, '')
    : text.slice(end + 1);
}

function endOf(path: string, limit: number): { readonly bytes: Buffer; readonly isCut: boolean } {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return { bytes: Buffer.alloc(0), isCut: false };
  }
  try {
    const { size } = fstatSync(file);
    const bytes = Buffer.alloc(Math.min(size, limit));
    const read = readSync(file, bytes, 0, bytes.length, size - bytes.length);
    return { bytes: bytes.subarray(0, read), isCut: size > limit };
  } finally {
    closeSync(file);
  }
}
