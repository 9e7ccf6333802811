/** Keeps the first `limit` bytes of a stream, cut between UTF-8 characters, and counts the rest. */
export class OutputCapture {
  readonly #limit: number;
  readonly #kept: Buffer[] = [];
  #keptBytes = 0;
  #seenBytes = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(chunk: Buffer): void {
    this.#seenBytes += chunk.length;
    const part = chunk.subarray(0, Math.max(0, this.#limit - this.#keptBytes));
    if (part.length === 0) return;
    this.#kept.push(Buffer.from(part));
    this.#keptBytes += part.length;
  }

  /** The fields of an `ExecResult` for one stream. */
  as<N extends 'stdout' | 'stderr'>(name: N): Record<N, Uint8Array> & Record<`${N}Dropped`, number> {
    const all = Buffer.concat(this.#kept);
    const bytes = this.#seenBytes > all.length ? all.subarray(0, wholeCharacters(all)) : all;
    return { [name]: new Uint8Array(bytes), [`${name}Dropped`]: this.#seenBytes - bytes.length } as Record<
      N,
      Uint8Array
    > &
      Record<`${N}Dropped`, number>;
  }
}

function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(4, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return needed > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}
