/*
 * What credentials look like, wherever text is looked through for them (DI-048, WM-055).
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
  // Of this product: a token, of which each has letters of both cases, and the bearer of a reporter.
  'palisade-token': {
    words: ['pal_', 'palr_'],
    match:
      /pal_(?=[A-Z0-9_-]{0,42}[a-z])(?=[a-z0-9_-]{0,42}[A-Z])[A-Za-z0-9_-]{43}|palr_[0-9a-f]{32}\.[0-9a-f]{64}/y,
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

/** Where the least of a credential is, in UTF-16 units; what follows it may belong to it. */
export interface CredentialSpan {
  readonly start: number;
  readonly end: number;
}

/** Every place in `text` that has one pattern; within each word of the pattern in their order. */
export function* credentialSpans(text: string, pattern: CredentialPattern): Generator<CredentialSpan> {
  const rule: Rule | null = RULES[pattern];
  if (rule === null) {
    yield* tokenSpans(text);
    return;
  }
  const { words, before = 0, match } = rule;
  for (const word of words)
    for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
      if (at < before) continue;
      match.lastIndex = at - before;
      if (match.test(text)) yield { start: at - before, end: match.lastIndex };
    }
}

const TOKEN_WORD = '.eyJ';
const ANY_WORD = new RegExp(
  [...Object.values(RULES).flatMap((rule: Rule | null) => rule?.words ?? []), TOKEN_WORD]
    .map((word) => word.replaceAll('.', String.raw`\.`))
    .join('|'),
);

/** False when no pattern has a place in a text, which one pass tells. */
export function mayHoldCredential(text: string): boolean {
  return ANY_WORD.test(text);
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
function* tokenSpans(text: string): Generator<CredentialSpan> {
  const isToken = (at: number): boolean => TOKEN_CHARS[text.charCodeAt(at)] === true;
  for (let dot = text.indexOf(TOKEN_WORD); dot >= 0; dot = text.indexOf(TOKEN_WORD, dot + 1)) {
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
    if (signature - end > MIN_SIGNATURE) yield { start, end: signature };
  }
}
