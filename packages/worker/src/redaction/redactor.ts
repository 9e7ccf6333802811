import { type SecretForm, MIN_SECRET_CHARS, secretForms } from './secret-forms.ts';

/** What stands where a secret stood (DI-104). */
export const REDACTED = '<redacted:secret>';

/** Removes secrets from one stream of bytes that arrives in pieces. */
export interface RedactionStream {
  /** Takes the next bytes and gives back those that are certain to be clean. */
  push(bytes: Uint8Array): Buffer;
  /** The rest. A tail that is most of a secret is removed too: its end was cut off, not absent. */
  end(): Buffer;
}

/**
 * Replaces every known secret, in all its {@link SecretForm}s, by {@link REDACTED}. One instance
 * serves everything an attempt writes: output, summary, reports, warnings, reasons (DI-104, EX-202).
 */
export class Redactor {
  readonly #forms: readonly SecretForm[];
  readonly #pattern: RegExp | null;
  readonly #longest: number;
  /** Names of values too short to be recognised. */
  readonly tooShort: readonly string[];

  /** @param values name → value; a value under {@link MIN_SECRET_CHARS} characters is only named in `tooShort` */
  constructor(values: Readonly<Record<string, string>>) {
    const entries = Object.entries(values);
    this.tooShort = entries
      .filter(([, value]) => value.length > 0 && value.length < MIN_SECRET_CHARS)
      .map(([name]) => name);
    const seen = new Map<string, SecretForm>();
    for (const [name, value] of entries)
      for (const form of secretForms(name, value)) if (!seen.has(form.bytes)) seen.set(form.bytes, form);
    this.#forms = [...seen.values()].sort((a, b) => b.bytes.length - a.bytes.length);
    this.#pattern =
      this.#forms.length === 0
        ? null
        : new RegExp(`(?=(${this.#forms.map((form) => `(?:${source(form)})`).join('|')}))`, 'g');
    this.#longest = this.#forms.reduce(
      (most, form) => Math.max(most, form.wrapped ? form.bytes.length * 2 : form.bytes.length),
      0,
    );
  }

  /** A text without secrets; well formed even when `text` was not (FF-072). */
  text(text: string): string {
    const wellFormed = text.toWellFormed();
    if (this.#pattern === null) return wellFormed;
    const stream = this.stream();
    const head = stream.push(Buffer.from(wellFormed, 'utf8'));
    return Buffer.concat([head, stream.end()]).toString('utf8');
  }

  stream(): RedactionStream {
    let held = '';
    return {
      push: (bytes) => {
        if (this.#pattern === null) return Buffer.from(bytes);
        const all = held + Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
        const spans = this.#spans(all);
        const safe = this.#safeLength(all, spans);
        held = all.slice(safe);
        return Buffer.from(replace(all.slice(0, safe), spans), 'latin1');
      },
      end: () => {
        const spans = this.#spans(held);
        const cut = this.#cutSecret(held);
        if (cut !== null) spans.push([cut, held.length]);
        const rest = Buffer.from(replace(held, merge(spans)), 'latin1');
        held = '';
        return rest;
      },
    };
  }

  /** Joined spans of all forms found, in order; overlapping finds are one span. */
  #spans(text: string): Span[] {
    const found: Span[] = [];
    if (this.#pattern === null) return found;
    for (const match of text.matchAll(this.#pattern))
      found.push([match.index, match.index + (match[1]?.length ?? 0)]);
    return merge(found);
  }

  /** How much of the front can be given out: what follows may still grow into a secret. */
  #safeLength(text: string, spans: readonly Span[]): number {
    let safe = text.length;
    for (let at = Math.max(0, text.length - this.#longest); at < text.length; at++) {
      if (this.#forms.some((form) => form.bytes.length > 0 && growsInto(text.slice(at), form))) {
        safe = at;
        break;
      }
    }
    // A find that overlaps what is held is held whole, so that its replacement is written once.
    for (const [start, end] of spans) if (start < safe && end > safe) safe = start;
    return safe;
  }

  #cutSecret(text: string): number | null {
    for (let at = 0; at < text.length; at++) {
      const tail = text.slice(at);
      const cut = this.#forms.some(
        (form) =>
          growsInto(tail, form) && tail.length >= MIN_SECRET_CHARS && tail.length * 2 >= form.bytes.length,
      );
      if (cut) return at;
    }
    return null;
  }
}

type Span = [start: number, end: number];

function growsInto(tail: string, form: SecretForm): boolean {
  const first = tail.charCodeAt(0);
  if (first !== form.bytes.charCodeAt(0)) return false;
  const text = form.wrapped ? tail.replace(/[\r\n]+/g, '') : tail;
  return text.length < form.bytes.length && form.bytes.startsWith(text);
}

function source(form: SecretForm): string {
  const chars = form.bytes.split('').map((char) => char.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`));
  return chars.join(form.wrapped ? String.raw`(?:\r?\n)?` : '');
}

function merge(spans: readonly Span[]): Span[] {
  const out: Span[] = [];
  for (const [start, end] of [...spans].sort((a, b) => a[0] - b[0])) {
    const last = out.at(-1);
    if (last !== undefined && start < last[1]) last[1] = Math.max(last[1], end);
    else out.push([start, end]);
  }
  return out;
}

function replace(text: string, spans: readonly Span[]): string {
  let out = '';
  let at = 0;
  for (const [start, end] of spans) {
    if (start >= text.length) break;
    out += text.slice(at, start) + REDACTED;
    at = end;
  }
  return out + text.slice(at);
}
