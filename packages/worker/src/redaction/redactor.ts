import { SecretFinder } from './secret-finder.ts';
import { MIN_SECRET_CHARS, secretForms } from './secret-forms.ts';

/** What stands where a secret stood (DI-104). */
export const REDACTED = '<redacted:secret>';
const MARK = Buffer.from(REDACTED, 'latin1');

/** What an encoded secret must show before a line break for the line to wait, see {@link RedactionStream.settle}. */
const SETTLE_BYTES = 12;

/** Removes secrets from one stream of bytes that arrives in pieces. */
export interface RedactionStream {
  /** Takes the next bytes and gives back those that are certain to be clean. */
  push(bytes: Uint8Array): Buffer;
  /**
   * After a pause: gives back whole lines that only wait because their last few characters could be
   * the first of an encoded secret that goes on in the next line.
   */
  settle(): Buffer;
  /** The rest. A tail that is most of a secret is removed too: its end was cut off, not absent. */
  end(): Buffer;
}

/**
 * Replaces every known secret, in all its forms, by {@link REDACTED}. One instance serves everything
 * an attempt writes: output, summary, reports, warnings, reasons (DI-104, EX-202).
 */
export class Redactor {
  readonly #finder: SecretFinder;
  /** Names of values too short to be recognised. */
  readonly tooShort: readonly string[];

  /** @param values name → value; a value under {@link MIN_SECRET_CHARS} characters is only named in `tooShort` */
  constructor(values: Readonly<Record<string, string>>) {
    const entries = Object.entries(values);
    this.tooShort = entries
      .filter(([, value]) => value.length > 0 && value.length < MIN_SECRET_CHARS)
      .map(([name]) => name);
    this.#finder = new SecretFinder(entries.flatMap(([name, value]) => secretForms(name, value)));
  }

  /** A text without secrets; well formed even when `text` was not (FF-072). */
  text(text: string): string {
    const wellFormed = text.toWellFormed();
    if (this.#finder.isIdle) return wellFormed;
    return this.#clean(Buffer.from(wellFormed, 'utf8')).toString('utf8');
  }

  stream(): RedactionStream {
    let held: Buffer = Buffer.alloc(0);
    const give = (minBeforeBreak: number): Buffer => {
      const all = held;
      const spans = merge(this.#finder.find(all).map(({ start, end }): Span => [start, end]));
      let safe = this.#finder.growingFrom(all, minBeforeBreak);
      // A find that overlaps what is held is held whole, so that its replacement is written once.
      for (const [start, end] of spans) if (start < safe && end > safe) safe = start;
      held = all.subarray(safe);
      return replace(all.subarray(0, safe), spans);
    };
    return {
      push: (bytes) => {
        if (this.#finder.isIdle) return Buffer.from(bytes);
        held = Buffer.concat([held, bytes]);
        return give(1);
      },
      settle: () => (held.length === 0 ? held : give(SETTLE_BYTES)),
      end: () => {
        const rest = this.#clean(held);
        held = Buffer.alloc(0);
        return rest;
      },
    };
  }

  #clean(bytes: Buffer): Buffer {
    const spans = this.#finder.find(bytes).map(({ start, end }): Span => [start, end]);
    const cut = this.#finder.cutFrom(bytes, MIN_SECRET_CHARS);
    if (cut !== null) spans.push([cut, bytes.length]);
    return replace(bytes, merge(spans));
  }
}

type Span = [start: number, end: number];

function merge(spans: readonly Span[]): Span[] {
  const out: Span[] = [];
  for (const [start, end] of [...spans].sort((a, b) => a[0] - b[0])) {
    const last = out.at(-1);
    if (last !== undefined && start < last[1]) last[1] = Math.max(last[1], end);
    else out.push([start, end]);
  }
  return out;
}

function replace(bytes: Buffer, spans: readonly Span[]): Buffer {
  const parts: Buffer[] = [];
  let at = 0;
  for (const [start, end] of spans) {
    if (start >= bytes.length) break;
    parts.push(bytes.subarray(at, start), MARK);
    at = end;
  }
  parts.push(bytes.subarray(Math.min(at, bytes.length)));
  return Buffer.concat(parts);
}
