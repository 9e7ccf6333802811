/** One occurrence: bytes `start` to `end` (exclusive) are a form of the named secret. */
export interface Occurrence {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

interface Entry {
  readonly name: string;
  readonly bytes: Buffer;
}

/** Every form is at least this long; its first bytes are the key of the index. */
const HEAD_BYTES = 4;

/**
 * Finds many byte sequences in one pass. A table of two-byte beginnings dismisses almost every
 * position at once; the rest is looked up by its first four bytes. Thirteen secrets with three
 * private keys among them are about a thousand forms, too many and too long for one regular
 * expression (whose error message would quote them).
 */
export class FormIndex {
  readonly #beginnings = new Uint8Array(65_536);
  readonly #firstBytes = new Uint8Array(256);
  readonly #byHead = new Map<number, Entry[]>();
  readonly #longest: number;
  readonly #entries: readonly Entry[];

  constructor(entries: readonly Entry[]) {
    this.#entries = entries;
    let longest = 0;
    for (const entry of [...entries].sort((a, b) => b.bytes.length - a.bytes.length)) {
      const { bytes } = entry;
      if (bytes.length < HEAD_BYTES) throw new RangeError('a form is shorter than its head');
      longest = Math.max(longest, bytes.length);
      this.#beginnings[bytes.readUInt16BE(0)] = 1;
      this.#firstBytes[bytes[0] ?? 0] = 1;
      const head = bytes.readUInt32BE(0);
      const same = this.#byHead.get(head);
      if (same === undefined) this.#byHead.set(head, [entry]);
      else same.push(entry);
    }
    this.#longest = longest;
  }

  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  /** Every position's longest occurrence, in order of their start; occurrences may overlap. */
  find(bytes: Buffer): Occurrence[] {
    const found: Occurrence[] = [];
    if (this.isEmpty) return found;
    const last = bytes.length - HEAD_BYTES;
    for (let at = 0; at <= last; at++) {
      if (this.#beginnings[((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)] === 0) continue;
      for (const { name, bytes: form } of this.#byHead.get(bytes.readUInt32BE(at)) ?? []) {
        const end = at + form.length;
        if (end > bytes.length || bytes.compare(form, 0, form.length, at, end) !== 0) continue;
        found.push({ name, start: at, end });
        break;
      }
    }
    return found;
  }

  /** The earliest place from which the bytes, if more follow, can become a form; their length when there is none. */
  growingFrom(bytes: Buffer): number {
    for (let at = Math.max(0, bytes.length - this.#longest + 1); at < bytes.length; at++)
      if (this.#firstBytes[bytes[at] ?? 0] === 1 && this.#growsInto(bytes, at) > 0) return at;
    return bytes.length;
  }

  /** A place from which the bytes are at least `minBytes` and half of a form whose end is missing, or null. */
  cutFrom(bytes: Buffer, minBytes: number): number | null {
    for (let at = Math.max(0, bytes.length - this.#longest + 1); at < bytes.length; at++) {
      const rest = bytes.length - at;
      if (rest < minBytes) return null;
      const shortest = this.#growsInto(bytes, at);
      if (shortest > 0 && rest * 2 >= shortest) return at;
    }
    return null;
  }

  /** Length of the shortest form that starts with all bytes from `at` on and goes further; 0 for none. */
  #growsInto(bytes: Buffer, at: number): number {
    const rest = bytes.length - at;
    if (rest >= 2 && this.#beginnings[((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)] === 0) return 0;
    const candidates = rest >= HEAD_BYTES ? (this.#byHead.get(bytes.readUInt32BE(at)) ?? []) : this.#entries;
    let shortest = 0;
    for (const { bytes: form } of candidates) {
      if (form.length <= rest || form.compare(bytes, at, bytes.length, 0, rest) !== 0) continue;
      if (shortest === 0 || form.length < shortest) shortest = form.length;
    }
    return shortest;
  }
}
