/**
 * Keeps the first `limit` bytes of a stream and counts the rest. The head is kept, so that an
 * offset in what is kept is an offset in what was written. A cut never splits a UTF-8 character
 * (FF-073): the bytes of a character that does not fit are counted as dropped.
 */
export class OutputCapture {
  readonly #limit: number;
  readonly #kept: Buffer[] = [];
  #keptBytes = 0;
  #seenBytes = 0;
  #tail: Buffer = Buffer.alloc(0);

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(chunk: Buffer): void {
    this.#seenBytes += chunk.length;
    this.#tail = Buffer.concat([this.#tail, chunk.subarray(-TAIL_BYTES)]).subarray(-TAIL_BYTES);
    const room = this.#limit - this.#keptBytes;
    if (room <= 0) return;
    const part = chunk.length <= room ? chunk : chunk.subarray(0, room);
    this.#kept.push(Buffer.from(part));
    this.#keptBytes += part.length;
  }

  /** The last few kilobytes written, for recognising how a program ended. */
  get tail(): string {
    return this.#tail.toString('latin1');
  }

  result(): { readonly bytes: Uint8Array; readonly dropped: number } {
    const kept = Buffer.concat(this.#kept);
    const bytes = this.#seenBytes > kept.length ? kept.subarray(0, wholeCharacters(kept)) : kept;
    return { bytes: new Uint8Array(bytes), dropped: this.#seenBytes - bytes.length };
  }
}

const TAIL_BYTES = 4096;

/** The length of `bytes` without an incomplete UTF-8 character at its end. Bytes that are no UTF-8 are left alone. */
function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(4, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const needed = byte >= 0xf0 && byte < 0xf8 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return needed > back && byte < 0xf8 ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}
