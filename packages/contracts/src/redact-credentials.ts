import { CREDENTIAL_PATTERNS, credentialSpans, mayHoldCredential } from './credential-patterns.ts';

/*
 * What is copied out of transcripts of agents is kept, searched and shown: what looks like a credential in it is
 * replaced before (WM-055, L-17). It is a net, not a proof: a password in the middle of a sentence has no look.
 */

/** What belongs to a credential beyond the least by which it was known. */
const REST = /[A-Za-z0-9_+/=.~-]*/y;
/** The block of a private key; one whose end is missing goes to the end of the text. */
const KEY_END = /-----END (?:[A-Z0-9]{1,16} ){0,4}PRIVATE KEY(?: BLOCK)?-----/g;

/**
 * The password of a URL. No two places that are tried share characters beyond the first three, since neither name nor
 * password has a slash in it.
 */
const URL_PASSWORD = /(:\/\/[^\s:/?#"'`\\<>]{0,256}:)(?![$<])[^\s/?#"'`\\<>]{1,1024}(?=@)/g;

/** Values of 12 characters or more that are given to a name that says what they are. */
const ASSIGNED =
  /((?:[a-z_-]key|secret|token|passw(?:or)?d|passphrase|credentials?|authorization)(?:\\?["'`])?[ \t]{0,4}(?:[:=]|:=|=>)[ \t]{0,4}(?:\\?["'`])?(?:(?:basic|bearer|token)[ \t]{1,4})?|bearer[ \t]{1,4})(?![$<])[^\s"'`\\,;<>(){}[\]]{12,}/gi;

/** Names of members of objects whose values are credentials. */
const NAMES =
  /(?:api|access|private|secret|signing|encryption|master)[_-]?key$|(?:secret|token|passw(?:or)?d|passphrase|credentials?|authorization|cookie)$/i;

/** Whether a member of an object holds a credential by its name, as `api_key` or `accessToken` do. */
export function namesCredential(name: string): boolean {
  return NAMES.test(name);
}

/**
 * The text with everything that looks like a credential replaced by `<redacted:PATTERN>`. Done again it changes
 * nothing more.
 */
export function redactCredentials(whole: string): string {
  // Before anything else: a name that is known as a credential would hide the password after it.
  const text = whole.replace(URL_PASSWORD, '$1<redacted:url-password>');
  const spans: { start: number; end: number; name: string }[] = [];
  if (mayHoldCredential(text))
    for (const name of CREDENTIAL_PATTERNS)
      for (const { start, end } of credentialSpans(text, name))
        spans.push({ start, end: name === 'private-key' ? keyEnd(text, end) : restEnd(text, end), name });
  for (const { index, 0: end } of text.matchAll(KEY_END))
    spans.push({ start: keyStart(text, index), end: index + end.length, name: 'private-key' });
  const known = spans.length === 0 ? text : replaced(text, spans);
  return known.replace(ASSIGNED, '$1<redacted:assigned>');
}

function restEnd(text: string, at: number): number {
  REST.lastIndex = at;
  REST.test(text);
  return REST.lastIndex;
}

function keyEnd(text: string, at: number): number {
  KEY_END.lastIndex = at;
  return KEY_END.test(text) ? KEY_END.lastIndex : text.length;
}

/** Of a key whose beginning was cut off: everything that may be of it. */
function keyStart(text: string, end: number): number {
  let at = end;
  while (at > 0 && /[A-Za-z0-9+/=\s\\]/.test(text[at - 1] ?? '')) at--;
  return at;
}

function replaced(
  text: string,
  spans: readonly { readonly start: number; readonly end: number; readonly name: string }[],
): string {
  const parts: string[] = [];
  let at = 0;
  for (const { start, end, name } of spans.toSorted((one, other) => one.start - other.start)) {
    if (end <= at) continue;
    if (start >= at) parts.push(text.slice(at, start), `<redacted:${name}>`);
    at = end;
  }
  return parts.join('') + text.slice(at);
}
