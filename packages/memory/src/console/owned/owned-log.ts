import { closeSync, fstatSync, openSync, readSync, renameSync, writeSync } from 'node:fs';
import { redactCredentials } from '@palisade/contracts';

/** Bytes of a log before it is put aside as `.1`, in place of what was there: twice as much is kept at most. */
export const LOG_BYTES = 8 * 1024 * 1024;
/** Most of a log that is read at once. */
const READ_BYTES = 1024 * 1024;

/** What a command writes, both streams as they come: appended, bounded, for its owner alone. Its folder has to be there. */
export class OwnedLog implements Disposable {
  readonly #path: string;
  #file: number;
  #size: number;
  #isFull = false;

  constructor(path: string) {
    this.#path = path;
    this.#file = openSync(path, 'a', 0o600);
    this.#size = fstatSync(this.#file).size;
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
    closeSync(this.#file);
    renameSync(this.#path, `${this.#path}.1`);
    this.#file = openSync(this.#path, 'a', 0o600);
    this.#size = 0;
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
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
  // The first line of a part may begin within a credential.
  const whole = isCut ? text.slice(text.indexOf('\n') + 1) : text;
  const lines = redactCredentials(whole.replace(/\n$/, '')).split('\n');
  const all = whole === '' ? [] : lines;
  return { lines: limit === 0 ? [] : all.slice(-limit), hasMore: isCut || all.length > limit };
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
