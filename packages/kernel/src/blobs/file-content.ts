import { createHash, type Hash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { type ContentHash, PalisadeError, type StoredBlob } from '@palisade/contracts';

const CHUNK = 256 * 1024;

/** The file from its start. One buffer is reused for every chunk: copy what is kept. */
async function* chunksOf(handle: FileHandle): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafe(CHUNK);
  for (let at = 0; ; ) {
    const { bytesRead } = await handle.read(buffer, 0, CHUNK, at);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    at += bytesRead;
  }
}

/** Address and size of what the file holds. */
export async function hashFile(handle: FileHandle): Promise<StoredBlob> {
  return copyHashing(handle, undefined, Number.POSITIVE_INFINITY);
}

/** Copies to the end and hashes what was copied. The size is counted, because a source may grow meanwhile. */
export async function copyHashing(
  source: FileHandle,
  target: FileHandle | undefined,
  maxBytes: number,
  signal?: AbortSignal,
): Promise<StoredBlob> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of chunksOf(source)) {
    signal?.throwIfAborted();
    size += chunk.byteLength;
    if (size > maxBytes)
      throw new PalisadeError('too_large', `the file to store has more than ${maxBytes} bytes`);
    hash.update(chunk);
    await target?.writeFile(chunk);
  }
  return { hash: `sha256:${hash.digest('hex')}`, size };
}

/** True when the file holds exactly `bytes`. */
export async function holds(handle: FileHandle, bytes: Uint8Array): Promise<boolean> {
  let at = 0;
  for await (const chunk of chunksOf(handle)) {
    if (!chunk.equals(bytes.subarray(at, at + chunk.byteLength))) return false;
    at += chunk.byteLength;
  }
  return at === bytes.byteLength;
}

/** `size` bytes from `offset`; fewer when the file ends before. */
export async function readBytes(handle: FileHandle, size: number, offset = 0): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(size);
  let at = 0;
  while (at < size) {
    const { bytesRead } = await handle.read(bytes, at, size - at, offset + at);
    if (bytesRead === 0) break;
    at += bytesRead;
  }
  return bytes.subarray(0, at);
}

/**
 * Streams a file and owns its handle. The last chunk is given out only once all of it is known to
 * hash to `expected`; otherwise the stream fails with `integrity_mismatch` and never ends normally.
 */
export class VerifiedStream extends Readable {
  readonly #handle: FileHandle;
  readonly #expected: ContentHash;
  readonly #hash: Hash = createHash('sha256');
  #at = 0;
  #held: Buffer | undefined;

  constructor(handle: FileHandle, expected: ContentHash) {
    super({ highWaterMark: CHUNK });
    this.#handle = handle;
    this.#expected = expected;
  }

  override _read(): void {
    this.#next().catch((error: unknown) => this.destroy(error as Error));
  }

  async #next(): Promise<void> {
    for (;;) {
      const chunk = Buffer.allocUnsafe(CHUNK);
      const { bytesRead } = await this.#handle.read(chunk, 0, CHUNK, this.#at);
      const held = this.#held;
      if (bytesRead === 0) {
        if (`sha256:${this.#hash.digest('hex')}` !== this.#expected) throw damaged(this.#expected);
        if (held !== undefined) this.push(held);
        this.push(null);
        return;
      }
      this.#at += bytesRead;
      this.#held = chunk.subarray(0, bytesRead);
      this.#hash.update(this.#held);
      if (held === undefined) continue;
      this.push(held);
      return;
    }
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    void this.#close(error, done);
  }

  async #close(error: Error | null, done: (error?: Error | null) => void): Promise<void> {
    let failure = error;
    try {
      await this.#handle.close();
    } catch (closing) {
      failure ??= closing as Error;
    }
    done(failure);
  }
}

/** Stored bytes that are not what their address says (DI-020). */
export function damaged(hash: ContentHash): PalisadeError {
  return new PalisadeError('integrity_mismatch', `the stored bytes do not hash to ${hash}`, {
    next: 'restore the blob from a backup, or put its content again',
  });
}
