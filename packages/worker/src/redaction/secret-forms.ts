/*
 * The ways a secret's bytes show up in output without anybody wanting to hide them: printed as they
 * are, base64 inside a header or a dump (at any of the three alignments), hex, percent-encoding,
 * JSON strings, and single lines of a value that has several. Deliberate transformations (reversed,
 * XORed, compressed) cannot be recognised; the sandbox, not the redactor, is the boundary.
 */

/** A value, or a line of one with several, that is shorter is not searched for: replacing it would shred every log (DI-104). */
export const MIN_SECRET_CHARS = 6;
/** Shortest encoding of a value that is searched for. */
const MIN_FORM_CHARS = 8;

/** One byte sequence to look for, as a string of one character per byte (`latin1`). */
export interface SecretForm {
  readonly name: string;
  readonly bytes: string;
  /** Line breaks may stand between any two characters, as `base64` and `xxd -p` put them. */
  readonly wrapped: boolean;
}

/**
 * Which single lines of a value with several are forms of their own: `all`, or only those that look
 * like key material. Lines such as `-----BEGIN …` or `"type": "service_account",` are no secret by
 * themselves: hiding them in a log is harmless, failing a product for them is not.
 */
export type SecretLines = 'all' | 'key-material';
const KEY_MATERIAL = /^[A-Za-z0-9+/=_-]{20,}$/;

/**
 * Every form of one secret value.
 *
 * @param name what to call it in a finding; never the value
 * @param value the secret
 * @returns no form at all when the value is shorter than {@link MIN_SECRET_CHARS}
 */
export function secretForms(name: string, value: string, which: SecretLines = 'all'): SecretForm[] {
  if (value.length < MIN_SECRET_CHARS) return [];
  const plain = new Set<string>();
  const wrapped = new Set<string>();
  addTexts(plain, value);
  if (value.includes('\n'))
    for (const line of value.split('\n').map((one) => one.trim()))
      if (line.length >= MIN_SECRET_CHARS && (which === 'all' || KEY_MATERIAL.test(line)))
        addTexts(plain, line);
  // `echo "$SECRET" | base64` encodes the value and a line feed; the alignments below cover its head.
  addBytes(wrapped, Buffer.from(value, 'utf8'));
  addBytes(wrapped, Buffer.from(value.toWellFormed(), 'utf16le'));
  return [
    ...[...plain].map((bytes) => ({ name, bytes, wrapped: false })),
    ...[...wrapped]
      .filter((bytes) => bytes.length >= MIN_FORM_CHARS && !plain.has(bytes))
      .map((bytes) => ({ name, bytes, wrapped: true })),
  ];
}

function addTexts(forms: Set<string>, value: string): void {
  const wellFormed = value.toWellFormed();
  const json = JSON.stringify(wellFormed).slice(1, -1);
  const ascii = json.replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  const percent = encodeURIComponent(wellFormed);
  const strict = percent.replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
  const everything = Buffer.from(wellFormed, 'utf8').toString('hex').replace(/../g, '%$&');
  for (const text of [
    wellFormed,
    json,
    ascii,
    json.replaceAll('/', '\\/'),
    // A JSON text inside a JSON string.
    JSON.stringify(json).slice(1, -1),
    percent,
    strict,
    percent.replaceAll('%20', '+'),
    strict.replaceAll('%20', '+'),
    lowerEscapes(percent),
    lowerEscapes(strict),
    everything,
    everything.toUpperCase(),
  ])
    forms.add(Buffer.from(text, 'utf8').toString('latin1'));
}

function lowerEscapes(text: string): string {
  return text.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase());
}

function addBytes(forms: Set<string>, bytes: Buffer): void {
  const hex = bytes.toString('hex');
  forms.add(hex);
  forms.add(hex.toUpperCase());
  for (const lead of [0, 1, 2]) {
    const padded = Buffer.concat([Buffer.alloc(lead), bytes]);
    // Only characters whose six bits all come from the secret; its neighbours decide the others.
    const first = Math.ceil((lead * 8) / 6);
    const last = Math.floor((padded.length * 8) / 6);
    const form = padded.toString('base64').slice(first, last);
    forms.add(form);
    forms.add(form.replaceAll('+', '-').replaceAll('/', '_'));
  }
}
