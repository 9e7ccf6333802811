import { PalisadeError } from '@palisade/contracts';

/*
 * The part of DER (ITU-T X.690 §10) that timestamps are written in: tags below 31, definite lengths in
 * their shortest form. Input is hostile: anything else is refused, nothing is read past its parent's end,
 * and nesting goes only as deep as the caller asks by name.
 */

/** Tags with their class and constructed bit, as they stand in the first byte. */
export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  utf8String: 0x0c,
  sequence: 0x30,
  set: 0x31,
  generalizedTime: 0x18,
} as const;

/** The tag of a context-specific element: `[n]`, constructed unless it holds a primitive type implicitly. */
export const context = (n: number, isConstructed = true): number => 0x80 | (isConstructed ? 0x20 : 0) | n;

/** One element: its tag, its content, and the bytes of the whole. */
export interface Der {
  readonly tag: number;
  readonly content: Buffer;
  readonly raw: Buffer;
}

/** Raised by everything here for bytes that are not DER of the expected shape. */
export function malformed(what: string): PalisadeError {
  return new PalisadeError('evidence_invalid', `malformed ${what}`);
}

/** Reads bytes that are exactly one element of this tag. */
export function readDer(bytes: Uint8Array, tag: number, what: string): Der {
  const reader = new DerReader(bytes, what);
  const element = reader.take(tag);
  reader.end();
  return element;
}

/** Reads the elements of a constructed one in order. */
export class DerReader {
  readonly #bytes: Buffer;
  readonly #what: string;
  #at = 0;

  constructor(bytes: Uint8Array, what: string) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#what = what;
  }

  /** The tag of the next element, or null at the end. */
  get next(): number | null {
    return this.#bytes[this.#at] ?? null;
  }

  /** The next element, which must have this tag when one is given. */
  take(tag?: number): Der {
    const start = this.#at;
    const found = this.#byte();
    if ((found & 0x1f) === 0x1f || (tag !== undefined && found !== tag)) throw malformed(this.#what);
    const length = this.#length();
    const end = this.#at + length;
    if (end > this.#bytes.length) throw malformed(this.#what);
    const element = {
      tag: found,
      content: this.#bytes.subarray(this.#at, end),
      raw: this.#bytes.subarray(start, end),
    };
    this.#at = end;
    return element;
  }

  /** The next element when it has this tag. */
  optional(tag: number): Der | null {
    return this.next === tag ? this.take(tag) : null;
  }

  /** A reader of the content of the next element. */
  inside(tag: number): DerReader {
    return new DerReader(this.take(tag).content, this.#what);
  }

  /** All that is left, each of this tag when one is given. */
  rest(tag?: number): Der[] {
    const elements: Der[] = [];
    while (this.next !== null) elements.push(this.take(tag));
    return elements;
  }

  /** Insists that nothing is left. */
  end(): void {
    if (this.next !== null) throw malformed(this.#what);
  }

  #byte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw malformed(this.#what);
    return byte;
  }

  #length(): number {
    const first = this.#byte();
    if (first < 0x80) return first;
    const count = first & 0x7f;
    if (count === 0 || count > 4) throw malformed(this.#what);
    let length = 0;
    for (let i = 0; i < count; i++) length = length * 256 + this.#byte();
    if (length < 0x80 || length < 256 ** (count - 1)) throw malformed(this.#what);
    return length;
  }
}

/** An object identifier in dots. */
export function readOid({ tag, content }: Der, what: string): string {
  if (tag !== TAG.oid || content.length === 0 || (content.at(-1) ?? 0) >= 0x80) throw malformed(what);
  const parts: number[] = [];
  let value = 0;
  for (const byte of content) {
    if (value === 0 && byte === 0x80) throw malformed(what);
    value = value * 128 + (byte & 0x7f);
    if (!Number.isSafeInteger(value)) throw malformed(what);
    if (byte >= 0x80) continue;
    if (parts.length === 0) {
      const first = Math.min(2, Math.floor(value / 40));
      parts.push(first, value - first * 40);
    } else parts.push(value);
    value = 0;
  }
  return parts.join('.');
}

/** A non-negative integer as lower-case hex without leading zeros; serial numbers and nonces are longer than numbers. */
export function readInteger({ tag, content }: Der, what: string): string {
  const [first, second] = content;
  const isPadded = first === 0 && content.length > 1 && (second ?? 0) < 0x80;
  if (tag !== TAG.integer || first === undefined || first >= 0x80 || isPadded) throw malformed(what);
  return content.toString('hex').replace(/^0+(?=.)/, '');
}

/** `YYYYMMDDhhmmss[.fff]Z` as Unix ms, finer fractions cut off (RFC 3161 §2.4.2, RFC 5280 §4.1.2.5.2). */
export function readGeneralizedTime({ tag, content }: Der, what: string): number {
  const text = content.toString('latin1');
  const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:\.(\d{0,8}[1-9]))?Z$/.exec(text);
  if (tag !== TAG.generalizedTime || parts === null) throw malformed(what);
  const [, year, month, day, hour, minute, second, fraction = ''] = parts;
  const iso = `${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction.padEnd(3, '0').slice(0, 3)}Z`;
  const ms = Date.parse(iso);
  // A date that does not exist is either refused or carried over into the next month.
  if (Number.isNaN(ms) || new Date(ms).toISOString() !== iso) throw malformed(what);
  return ms;
}

/** Writes one element: its content, or its elements one after another. */
export function der(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const length = content.reduce((sum, part) => sum + part.length, 0);
  const hex = length.toString(16);
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
  const head = length < 0x80 ? [tag, length] : [tag, 0x80 | bytes.length, ...bytes];
  return Buffer.concat([Buffer.from(head), ...content]);
}

/** Writes an object identifier. */
export function derOid(oid: string): Buffer {
  const [first = 0, second = 0, ...rest] = oid.split('.').map(Number);
  const bytes = [first * 40 + second, ...rest].flatMap((value) => {
    const digits = [value % 128];
    for (let left = Math.floor(value / 128); left > 0; left = Math.floor(left / 128))
      digits.unshift((left % 128) | 0x80);
    return digits;
  });
  return der(TAG.oid, Buffer.from(bytes));
}
