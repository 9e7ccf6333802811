import { FormIndex, type Occurrence } from './form-index.ts';
import type { SecretForm } from './secret-forms.ts';

/**
 * Finds the forms of secrets in bytes. Forms that programs break into lines are looked for in the
 * bytes without their line breaks; the places found are places of the bytes as they are.
 */
export class SecretFinder {
  readonly #plain: FormIndex;
  readonly #wrapped: FormIndex;

  constructor(forms: readonly SecretForm[]) {
    const seen = new Set<string>();
    const entries = (wrapped: boolean): { name: string; bytes: Buffer }[] =>
      forms
        .filter((form) => form.wrapped === wrapped && !seen.has(form.bytes) && seen.add(form.bytes))
        .map(({ name, bytes }) => ({ name, bytes: Buffer.from(bytes, 'latin1') }));
    this.#plain = new FormIndex(entries(false));
    this.#wrapped = new FormIndex(entries(true));
  }

  /** True when there is nothing to look for. */
  get isIdle(): boolean {
    return this.#plain.isEmpty && this.#wrapped.isEmpty;
  }

  /** All occurrences in order of their start; they may overlap. */
  find(bytes: Buffer): Occurrence[] {
    if (this.isIdle) return [];
    const view = withoutBreaks(bytes);
    const inView = this.#wrapped
      .find(view.bytes)
      .map(({ name, start, end }) => ({ name, start: view.at(start), end: view.at(end - 1) + 1 }));
    return [...this.#plain.find(bytes), ...inView].sort((a, b) => a.start - b.start);
  }

  /**
   * The earliest place from which the bytes, if more follow, can become a secret; their length when
   * there is none.
   *
   * @param minBeforeBreak bytes a form must have before a line break at the very end to count as begun
   */
  growingFrom(bytes: Buffer, minBeforeBreak = 1): number {
    if (this.isIdle) return bytes.length;
    const view = withoutBreaks(bytes);
    const start = this.#wrapped.growingFrom(view.bytes);
    const begun = view.bytes.length - start;
    const endsWithBreak = bytes.at(-1) === LF;
    const inView = begun === 0 || (endsWithBreak && begun < minBeforeBreak) ? bytes.length : view.at(start);
    return Math.min(this.#plain.growingFrom(bytes), inView);
  }

  /** Where a secret begins whose end is missing but whose larger part is there, or null. */
  cutFrom(bytes: Buffer, minBytes: number): number | null {
    if (this.isIdle) return null;
    const view = withoutBreaks(bytes);
    const inView = this.#wrapped.cutFrom(view.bytes, minBytes);
    const plain = this.#plain.cutFrom(bytes, minBytes);
    if (inView === null) return plain;
    return plain === null ? view.at(inView) : Math.min(plain, view.at(inView));
  }
}

const LF = 0x0a;
const CR = 0x0d;

/** The bytes without line breaks, and where each of them stood. */
function withoutBreaks(bytes: Buffer): { bytes: Buffer; at: (index: number) => number } {
  if (!bytes.includes(LF) && !bytes.includes(CR)) return { bytes, at: (index) => index };
  const kept = Buffer.allocUnsafe(bytes.length);
  const places = new Uint32Array(bytes.length);
  let length = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] ?? 0;
    if (byte === LF || byte === CR) continue;
    kept[length] = byte;
    places[length] = i;
    length++;
  }
  return { bytes: kept.subarray(0, length), at: (index) => places[index] ?? bytes.length };
}
