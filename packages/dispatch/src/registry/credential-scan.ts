import {
  CREDENTIAL_PATTERNS,
  type CredentialPattern,
  credentialSpans,
  PalisadeError,
} from '@palisade/contracts';

/*
 * Texts and files that are registered must not carry credentials (DI-048): they are copied into
 * workspaces, shown in catalogues' histories and kept for ever. The scan is a net for accidents: it
 * does not unpack archives or decode base64.
 */

/** Characters of a match that an error may show. */
const SHOWN = 8;

export interface CredentialFinding {
  readonly pattern: CredentialPattern;
  /** At most 8 characters of what matched. */
  readonly excerpt: string;
  /** Counted from 1; null in content that is not plain single-byte text. */
  readonly line: number | null;
}

/**
 * The first credential in a text or in bytes, or null. Bytes are scanned as they are, and again without
 * their zero bytes, which finds ASCII credentials in UTF-16 text. Raises `invalid_input` when `allow`
 * names no pattern: a typo must not read as an exception that was granted.
 */
export function findCredential(
  content: string | Uint8Array,
  allow: readonly string[] = [],
): CredentialFinding | null {
  const exceptions = allowed(allow);
  const patterns = CREDENTIAL_PATTERNS.filter((name) => !exceptions.has(name));
  const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : bufferOf(content);
  const found = search(bytes.toString('latin1'), patterns, true);
  if (found !== null || !bytes.includes(0)) return found;
  return search(withoutZeros(bytes).toString('latin1'), patterns, false);
}

/**
 * Raises `credential_in_text` when `content` looks like it holds a credential. `place` says where, e.g.
 * `capability:<name>:<path>`; the error shows it, the pattern's name and at most 8 characters.
 */
export function assertNoCredentials(
  place: string,
  content: string | Uint8Array,
  allow: readonly string[] = [],
): void {
  const found = findCredential(content, allow);
  if (found === null) return;
  const { pattern, excerpt, line } = found;
  const where = line === null ? place : `${place}, line ${line},`;
  throw new PalisadeError(
    'credential_in_text',
    `${where} looks like a credential (${pattern}: "${excerpt}…")`,
    {
      why: 'what is registered is copied into workspaces and kept; a credential belongs in a secret',
      next: `store it as a secret, or allow the pattern "${pattern}" if it is none`,
      issues: [{ path: place, message: pattern }],
    },
  );
}

/** {@link assertNoCredentials} of every text inside a value; its place is `place:key:key`. */
export function assertNoCredentialsWithin(place: string, value: unknown, allowed: readonly string[]): void {
  if (typeof value === 'string') assertNoCredentials(place, value, allowed);
  else if (typeof value === 'object' && value !== null)
    for (const [key, member] of Object.entries(value))
      assertNoCredentialsWithin(`${place}:${key}`, member, allowed);
}

function search(
  text: string,
  patterns: readonly CredentialPattern[],
  hasLines: boolean,
): CredentialFinding | null {
  for (const pattern of patterns) {
    const index = credentialSpans(text, pattern).next().value?.start;
    if (index === undefined) continue;
    const excerpt = text.slice(index, index + SHOWN);
    return { pattern, excerpt, line: hasLines ? lineOf(text, index) : null };
  }
  return null;
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function withoutZeros(bytes: Buffer): Buffer {
  const kept = Buffer.allocUnsafe(bytes.byteLength);
  let length = 0;
  for (let at = 0; at < bytes.byteLength; at++) {
    const byte = bytes[at] ?? 0;
    if (byte !== 0) kept[length++] = byte;
  }
  return kept.subarray(0, length);
}

function lineOf(text: string, index: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < index; at = text.indexOf('\n', at + 1)) line++;
  return line;
}

function allowed(names: readonly string[]): ReadonlySet<string> {
  for (const name of names)
    if (!(CREDENTIAL_PATTERNS as readonly string[]).includes(name))
      throw new PalisadeError('invalid_input', 'allow_credential_patterns names an unknown pattern', {
        next: `use some of: ${CREDENTIAL_PATTERNS.join(', ')}`,
      });
  return new Set(names);
}
