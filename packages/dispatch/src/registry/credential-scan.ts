import { PalisadeError } from '@palisade/contracts';

/*
 * Texts and files that are registered must not carry credentials (DI-048): they are copied into
 * workspaces, shown in catalogues' histories and kept for ever. The scan is a net for accidents: it
 * does not unpack archives or decode base64.
 *
 * Content is attacker-controlled and up to 50 MiB. It is searched for fixed words, which is fast, and
 * only where one occurs an expression is tried, in that one place. Every repetition in an expression
 * is bounded by a small number, so the whole is linear: an unbounded one could be walked again from
 * every start, and overflows the engine's stack on a long run. A JSON web token needs unbounded runs
 * and is matched by hand.
 */

interface Rule {
  /** One of these occurs in every match. */
  readonly words: readonly string[];
  /** Characters of a match before its word. */
  readonly before?: number;
  /** Sticky: tried where a match with the word would begin. */
  readonly match: RegExp;
}

// Where a token may start: not inside a word, or right after a percent escape.
const EDGE = String.raw`(?:(?<![A-Za-z0-9_-])|(?<=%[0-9A-Fa-f]{2}))`;

/** In the order they are tried; the first that matches is reported. */
const RULES = {
  'aws-access-key': { words: ['AKIA'], match: /AKIA[A-Z0-9]{16}(?![A-Z0-9])/y },
  'aws-session-key': { words: ['ASIA'], match: /ASIA[A-Z0-9]{16}(?![A-Z0-9])/y },
  jwt: null,
  'bearer-prefix': {
    words: ['earer', 'EARER'],
    before: 1,
    match: new RegExp(
      String.raw`${EDGE}[Bb](?:earer|EARER)[ \t]{1,8}(?=[A-Za-z._~+/=-]{0,60}[0-9])[A-Za-z0-9._~+/=-]{20}`,
      'y',
    ),
  },
  'github-token': {
    words: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_'],
    match: /gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{50}/y,
  },
  'anthropic-key': { words: ['sk-ant-'], match: /sk-ant-[A-Za-z0-9_-]{20}/y },
  'openai-key': {
    words: ['sk-'],
    match: new RegExp(
      String.raw`${EDGE}sk-(?:(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{20}|[A-Za-z0-9]{32})`,
      'y',
    ),
  },
  'google-api-key': { words: ['AIza'], match: /AIza[A-Za-z0-9_-]{35}/y },
  'slack-token': {
    words: ['xox', 'xapp-'],
    match: /xox[abeoprs]-[A-Za-z0-9-]{10}|xapp-[0-9]-[A-Za-z0-9-]{10}/y,
  },
  'stripe-key': {
    words: ['k_live_', 'k_test_'],
    before: 1,
    match: /[rs]k_(?:live|test)_[A-Za-z0-9]{16}/y,
  },
  'private-key': {
    words: ['-----BEGIN '],
    match: /-----BEGIN (?:[A-Z0-9]{1,16} ){0,4}PRIVATE KEY(?: BLOCK)?-----/y,
  },
} as const satisfies Record<string, Rule | null>;

export type CredentialPattern = keyof typeof RULES;
export const CREDENTIAL_PATTERNS = Object.keys(RULES) as readonly CredentialPattern[];

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
    const rule: Rule | null = RULES[pattern];
    const index = rule === null ? findJwt(text) : findByRule(text, rule);
    if (index === null) continue;
    const excerpt = text.slice(index, index + SHOWN);
    return { pattern, excerpt, line: hasLines ? lineOf(text, index) : null };
  }
  return null;
}

function findByRule(text: string, { words, before = 0, match }: Rule): number | null {
  for (const word of words) {
    for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
      if (at < before) continue;
      match.lastIndex = at - before;
      if (match.test(text)) return at - before;
    }
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

/** Code units of base64url. */
const TOKEN_CHARS: readonly boolean[] = Array.from({ length: 128 }, (_, code) =>
  /[A-Za-z0-9_-]/.test(String.fromCharCode(code)),
);
/** Shortest header and payload, and shortest signature, that count. */
const MIN_PART = 13;
const MIN_SIGNATURE = 10;

/**
 * Three dot-separated base64url parts of which two begin with `{"`. Searched from the second part's
 * beginning, `.eyJ`: the runs on either side of one are walked once each, so the whole is linear.
 */
function findJwt(text: string): number | null {
  const isToken = (at: number): boolean => TOKEN_CHARS[text.charCodeAt(at)] === true;
  for (let dot = text.indexOf('.eyJ'); dot >= 0; dot = text.indexOf('.eyJ', dot + 1)) {
    let end = dot + 1;
    while (isToken(end)) end++;
    if (end - dot - 1 < MIN_PART || text[end] !== '.') continue;
    let start = dot;
    while (start > 0 && isToken(start - 1)) start--;
    // Two hexadecimal digits after a percent sign belong to the escape before the token.
    if (text[start - 1] === '%') start += 2;
    if (dot - start < MIN_PART || !text.startsWith('eyJ', start)) continue;
    let signature = end + 1;
    while (signature - end <= MIN_SIGNATURE && isToken(signature)) signature++;
    if (signature - end > MIN_SIGNATURE) return start;
  }
  return null;
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
