import { hash } from 'node:crypto';
import { PalisadeError } from './errors.ts';

/** Deepest nesting accepted: canonical bytes are recomputed by verifiers on other machines, so the limit is part of the format. */
export const MAX_CANONICAL_DEPTH = 200;

/**
 * The one canonical form that is hashed and signed (RFC 8785, DI-013, DI-014, FF-138).
 *
 * Object members are sorted by UTF-16 code units; members whose value is `undefined` are absent.
 * Everything JSON cannot say exactly is refused with `not_canonical` instead of being folded into
 * something else: `undefined` or holes in arrays, functions, symbols, bigints, non-finite numbers,
 * lone surrogates, non-plain objects, cycles, and nesting beyond {@link MAX_CANONICAL_DEPTH}.
 */
export function canonicalJson(value: unknown): string {
  // What was read from canonical text is in order already, and then the engine's own serialiser
  // writes the same characters, several times faster than joining them here (a bundle of 27 MB).
  if (isInOrder(value, 0)) {
    const text = JSON.stringify(value);
    // It writes a lone surrogate as an escape; a text that merely mentions one is decided below.
    if (!text.includes('\\ud')) return text;
  }
  return write(value, '$', 0);
}

/** UTF-8 bytes of {@link canonicalJson}. */
export function canonicalBytes(value: unknown): Buffer {
  return Buffer.from(canonicalJson(value), 'utf8');
}

/** `sha256:<64 hex>` of raw bytes (DI-013). A string is hashed as its UTF-8 bytes. */
export function contentHash(bytes: Uint8Array | string): ContentHash {
  return `sha256:${sha256Hex(bytes)}`;
}

/** `sha256:<64 hex>` of a value's canonical JSON. */
export function canonicalHash(value: unknown): ContentHash {
  return contentHash(canonicalJson(value));
}

/** Lower-case hexadecimal SHA-256. */
export function sha256Hex(bytes: Uint8Array | string): string {
  return hash('sha256', bytes);
}

/** An address of content: `sha256:` and 64 lower-case hexadecimal digits. */
export type ContentHash = `sha256:${string}`;

/** True for a well-formed {@link ContentHash}. */
export function isContentHash(value: unknown): value is ContentHash {
  return typeof value === 'string' && /^sha256:[0-9a-f]{64}$/.test(value);
}

/**
 * True when `JSON.stringify` writes exactly the canonical form, but for lone surrogates: plain
 * objects whose members are sorted and present all the way down. False proves nothing; {@link write}
 * decides.
 */
function isInOrder(value: unknown, depth: number): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true;
    case 'number':
      return Number.isFinite(value);
    case 'object':
      break;
    default:
      return false;
  }
  if (value === null) return true;
  if (depth >= MAX_CANONICAL_DEPTH || 'toJSON' in value) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (Array.isArray(value)) {
    if (prototype !== Array.prototype) return false;
    for (let i = 0; i < value.length; i++) if (!isInOrder(value[i], depth + 1)) return false;
    return true;
  }
  if (prototype !== Object.prototype && prototype !== null) return false;
  let previous: string | undefined;
  for (const key of Object.keys(value)) {
    if (previous !== undefined && previous >= key) return false;
    if (!isInOrder((value as Record<string, unknown>)[key], depth + 1)) return false;
    previous = key;
  }
  return true;
}

function write(value: unknown, at: string, depth: number): string {
  if (value === null) return 'null';
  switch (typeof value) {
    case 'string':
      if (!value.isWellFormed()) throw refuse(at, 'a lone surrogate');
      return JSON.stringify(value);
    case 'number':
      if (!Number.isFinite(value)) throw refuse(at, 'a non-finite number');
      return JSON.stringify(value);
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      if (depth >= MAX_CANONICAL_DEPTH)
        throw refuse(at, `nesting deeper than ${MAX_CANONICAL_DEPTH} or a cycle`);
      return Array.isArray(value) ? writeArray(value, at, depth) : writeObject(value, at, depth);
    default:
      throw refuse(at, typeof value === 'undefined' ? 'undefined' : `a ${typeof value}`);
  }
}

function writeArray(value: readonly unknown[], at: string, depth: number): string {
  let out = '[';
  for (let i = 0; i < value.length; i++) {
    if (i > 0) out += ',';
    out += write(value[i], at, depth + 1);
  }
  return `${out}]`;
}

function writeObject(value: object, at: string, depth: number): string {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) throw refuse(at, 'an object that is not plain');
  let out = '{';
  for (const key of Object.keys(value).sort()) {
    const member: unknown = (value as Record<string, unknown>)[key];
    if (member === undefined) continue;
    if (!key.isWellFormed()) throw refuse(at, 'a lone surrogate in a member name');
    if (out.length > 1) out += ',';
    out += `${JSON.stringify(key)}:${write(member, key, depth + 1)}`;
  }
  return `${out}}`;
}

function refuse(at: string, what: string): PalisadeError {
  return new PalisadeError('not_canonical', `canonical JSON cannot represent ${what} (in ${at})`);
}
