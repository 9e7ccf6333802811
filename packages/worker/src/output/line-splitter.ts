/** A line longer than this is given out in pieces, so that endless output without line feeds stays bounded. */
export const MAX_LINE_BYTES = 16 * 1024 * 1024;

/**
 * Cuts a stream of bytes into lines (FF-074). Works on bytes: a character split between two chunks
 * is whole in its line, and a line may have any length up to {@link MAX_LINE_BYTES}.
 */
export class LineSplitter {
  #pieces: Buffer[] = [];
  #held = 0;
  readonly #onLine: (line: Buffer) => void;
  readonly #maxLineBytes: number;

  /** @param onLine receives every line without its line feed, in order */
  constructor(onLine: (line: Buffer) => void, maxLineBytes = MAX_LINE_BYTES) {
    this.#onLine = onLine;
    this.#maxLineBytes = maxLineBytes;
  }

  push(bytes: Buffer): void {
    let rest = bytes;
    for (;;) {
      const end = rest.indexOf(0x0a);
      if (end === -1) break;
      this.#hold(rest.subarray(0, end));
      this.#give();
      rest = rest.subarray(end + 1);
    }
    this.#hold(rest);
  }

  /** Gives out what is left: the last line had no line feed. */
  end(): void {
    if (this.#held > 0) this.#give();
  }

  #hold(bytes: Buffer): void {
    let rest = bytes;
    while (this.#held + rest.length > this.#maxLineBytes) {
      const whole = Buffer.concat([...this.#pieces, rest]);
      const cut = characterStart(whole, this.#maxLineBytes);
      this.#pieces = [whole.subarray(0, cut)];
      this.#held = cut;
      this.#give();
      rest = whole.subarray(cut);
    }
    if (rest.length === 0) return;
    this.#pieces.push(Buffer.from(rest));
    this.#held += rest.length;
  }

  #give(): void {
    const line = this.#pieces.length === 1 ? this.#pieces[0] : Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#held = 0;
    this.#onLine(line ?? Buffer.alloc(0));
  }
}

/** The last place at or before `at` where a UTF-8 character may start; `at` itself in other bytes. */
function characterStart(bytes: Buffer, at: number): number {
  for (let start = at; start > at - 4 && start > 0; start--) {
    if (((bytes[start] ?? 0) & 0xc0) !== 0x80) return start;
  }
  return at;
}
