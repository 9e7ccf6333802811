import type { Language } from './languages.ts';
import type { CodeSymbol } from './parse.ts';
import { ParsingThread } from './parsing-thread.ts';

/** What people write takes milliseconds. */
const MOST_MS = 5_000;
/** What all texts of one answer may take beyond what is usual. */
const ALLOWANCE_MS = 10_000;
const usualMs = (bytes: number) => 100 + bytes * 0.005;
/** So long a thread is kept for the next answer: to start one and have it load its grammars takes longer than to read. */
const KEPT_MS = 60_000;

let kept: { readonly thread: ParsingThread; readonly timer: NodeJS.Timeout } | undefined;

export interface ReaderOptions {
  readonly mostMs?: number;
  readonly allowanceMs?: number;
}

/**
 * Reads the symbols of the texts of one answer, in a thread. Every text has an end: what does not end within five seconds costs the
 * thread, and when texts have taken far longer than others together, no more are read.
 */
export class SymbolReader implements AsyncDisposable {
  readonly #thread: ParsingThread;
  #allowance: number;

  constructor({ mostMs = MOST_MS, allowanceMs = ALLOWANCE_MS }: ReaderOptions = {}) {
    this.#allowance = allowanceMs;
    this.#thread = taken() ?? new ParsingThread();
    this.#thread.mostMs = mostMs;
    this.#thread.onTaken = (ms, bytes) => {
      this.#allowance -= Math.max(0, ms - usualMs(bytes));
    };
  }

  /** Undefined of what cannot be read, or not in time. */
  async read(content: Uint8Array, language: Language): Promise<readonly CodeSymbol[] | undefined> {
    return this.#allowance > 0 ? await this.#thread.read(content, language) : undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const thread = this.#thread;
    if (thread.waiting > 0 || kept !== undefined) return await thread[Symbol.asyncDispose]();
    const timer = setTimeout(() => void taken()?.[Symbol.asyncDispose](), KEPT_MS).unref();
    kept = { thread, timer };
  }
}

function taken(): ParsingThread | undefined {
  const thread = kept?.thread;
  clearTimeout(kept?.timer);
  kept = undefined;
  return thread;
}
