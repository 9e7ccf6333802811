import { availableParallelism } from 'node:os';
import type { Language } from './languages.ts';
import { parseStructure, type StoredStructure, stored } from './parse.ts';
import { ParsingThread } from './parsing-thread.ts';

const MOST_THREADS = 4;
/** Enough for a thread never to wait while the process is busy with the database. */
const ASKED_AT_ONCE = 8;
/** What people write takes milliseconds. */
const MOST_MS = 5_000;
/** What all texts of one index may take beyond ten times of what is usual. */
const ALLOWANCE_MS = 60_000;
const usualMs = (bytes: number) => 100 + bytes * 0.005;

/** So many texts, and so many bytes of each, are read sooner than a thread starts. */
const FEW = 8;
const SMALL_BYTES = 64 * 1024;
const SOON_MS = 200;
/** Brackets within brackets that nobody writes: the runtime does not stop within them. */
const DEEP = 200;

export interface ReaderOptions {
  /** How many texts it will be. */
  readonly texts: number;
  readonly threads?: number;
  readonly mostMs?: number;
  readonly allowanceMs?: number;
}

/**
 * Reads structures: a few in this process, more in threads, at most one for each core and four. Every text has an end: what does not
 * end within five seconds costs its thread, and texts that take far longer than others together no more than a minute.
 */
export class StructureReader implements AsyncDisposable {
  readonly #threads: readonly ParsingThread[];
  readonly #isFew: boolean;
  #allowance: number;

  constructor({
    texts,
    threads = Math.min(MOST_THREADS, availableParallelism()),
    mostMs = MOST_MS,
    allowanceMs = ALLOWANCE_MS,
  }: ReaderOptions) {
    this.#isFew = texts <= FEW;
    this.#allowance = allowanceMs;
    const taken = (ms: number, bytes: number) => {
      this.#allowance -= Math.max(0, ms - usualMs(bytes));
    };
    this.#threads = Array.from({ length: threads }, () => new ParsingThread(mostMs, taken));
  }

  /** How many texts are well asked for at the same time. */
  get width(): number {
    return this.#isFew ? 1 : this.#threads.length * ASKED_AT_ONCE;
  }

  /** False when texts have taken so long that no more are read. */
  get isWilling(): boolean {
    return this.#allowance > 0;
  }

  /** Undefined of what cannot be read, or not in time. */
  async read(content: Buffer, language: Language): Promise<StoredStructure | undefined> {
    if (this.#isFew && content.length <= SMALL_BYTES && !isDeep(content)) {
      const found = await parseStructure(content.toString('utf8'), language, SOON_MS);
      if (found !== undefined) return stored(found);
    }
    const [thread] = this.#threads.toSorted((one, other) => one.waiting - other.waiting);
    return await thread?.read(content, language);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread[Symbol.asyncDispose]()));
  }
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
