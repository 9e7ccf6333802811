import type { RedactionStream, Redactor } from '../redaction/redactor.ts';

/** Keeps the redacted end of a program's output, both streams in the order they came. */
export class TailText {
  readonly #streams: Record<
    'stdout' | 'stderr',
    { clean: RedactionStream; decoder: InstanceType<typeof TextDecoder> }
  >;
  readonly #maxChars: number;
  #text = '';
  #cut = 0;

  constructor(redactor: Redactor, maxChars: number) {
    const open = (): { clean: RedactionStream; decoder: InstanceType<typeof TextDecoder> } => ({
      clean: redactor.stream(),
      decoder: new TextDecoder('utf-8', { ignoreBOM: true }),
    });
    this.#streams = { stdout: open(), stderr: open() };
    this.#maxChars = maxChars;
  }

  push(stream: 'stdout' | 'stderr', bytes: Uint8Array): void {
    const { clean, decoder } = this.#streams[stream];
    this.#add(decoder.decode(clean.push(bytes), { stream: true }));
  }

  /** The text, which says at its start how much is missing. */
  end(): string {
    for (const { clean, decoder } of Object.values(this.#streams)) this.#add(decoder.decode(clean.end()));
    const kept = this.#text.slice(-this.#maxChars).toWellFormed();
    const cut = this.#cut + this.#text.length - kept.length;
    return cut === 0 ? kept : `[${cut} characters cut] ${kept}`;
  }

  #add(text: string): void {
    this.#text += text;
    if (this.#text.length <= this.#maxChars * 2) return;
    this.#cut += this.#text.length - this.#maxChars;
    this.#text = this.#text.slice(-this.#maxChars);
  }
}
