import type { Language } from './languages.ts';
import { type CodeSymbol, parseSymbols } from './parse.ts';
import { ParsingThread } from './parsing-thread.ts';

/** What people write takes milliseconds. */
const MOST_MS = 5_000;
/** What all texts of one answer may take beyond ten times of what is usual. */
const ALLOWANCE_MS = 10_000;
const usualMs = (bytes: number) => 100 + bytes * 0.005;
/** So many bytes are read sooner than a thread starts. */
const SMALL_BYTES = 64 * 1024;
const SOON_MS = 200;
/** Brackets within brackets that nobody writes: the runtime does not stop within them. */
const DEEP = 200;

export interface ReaderOptions {
  readonly mostMs?: number;
  readonly allowanceMs?: number;
  /** Texts up to this are read in this process, unless they are deep. */
  readonly smallBytes?: number;
}

/**
 * Reads symbols: of small texts in this process, of others in a thread, that is started when it is needed. Every text has an end: what does
 * not end in time costs its thread, and texts that take far longer than others are not read any more when they have taken too much together.
 */
export class SymbolReader implements AsyncDisposable {
  readonly #smallBytes: number;
  readonly #thread: ParsingThread;
  #allowance: number;

  constructor({
    mostMs = MOST_MS,
    allowanceMs = ALLOWANCE_MS,
    smallBytes = SMALL_BYTES,
  }: ReaderOptions = {}) {
    this.#smallBytes = smallBytes;
    this.#allowance = allowanceMs;
    this.#thread = new ParsingThread(mostMs, this.#taken);
  }

  /** Undefined of what cannot be read, or not in time. */
  async read(content: Buffer, language: Language): Promise<readonly CodeSymbol[] | undefined> {
    if (this.#allowance <= 0) return undefined;
    if (content.length <= this.#smallBytes && !isDeep(content)) {
      const since = performance.now();
      const found = await parseSymbols(content.toString('utf8'), language, SOON_MS);
      this.#taken(performance.now() - since, content.length);
      if (found !== undefined) return found;
    }
    return await this.#thread.read(content, language);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread[Symbol.asyncDispose]();
  }

  readonly #taken = (ms: number, bytes: number): void => {
    this.#allowance -= Math.max(0, ms - usualMs(bytes));
  };
}

function isDeep(content: Uint8Array): boolean {
  let depth = 0;
  for (const byte of content) {
    // ( [ { and ) ] }
    if (byte === 0x28 || byte === 0x5b || byte === 0x7b) depth++;
    else if ((byte === 0x29 || byte === 0x5d || byte === 0x7d) && depth > 0) depth--;
    if (depth > DEEP) return true;
  }
  return false;
}
