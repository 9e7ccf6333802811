import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Language } from './languages.ts';
import type { CodeSymbol } from './parse.ts';
import type { Question } from './symbol-thread.ts';

/** The thread starts from a file beside this one, of the same kind: a source in a checkout, JavaScript in a package. */
const THREAD = new URL(`./symbol-thread${extname(import.meta.url)}`, import.meta.url);
/** Of objects of JavaScript, per thread; those of a text of a megabyte take 200 MB. */
const HEAP_MB = 512;

interface Asked {
  readonly question: Question;
  readonly resolve: (found: readonly CodeSymbol[] | undefined) => void;
}

/**
 * Reads symbols in a thread of its own, started when it is needed, in the order they are asked for. A text that takes longer than
 * `mostMs`, or that ends the thread, is not read; the next ones are, in another thread.
 */
export class ParsingThread implements AsyncDisposable {
  mostMs = Number.POSITIVE_INFINITY;
  /** Told what each text took. */
  onTaken: (ms: number, bytes: number) => void = () => {};
  readonly #asked: Asked[] = [];
  #worker: Worker | undefined;
  #timer: NodeJS.Timeout | undefined;
  #since = 0;

  get waiting(): number {
    return this.#asked.length;
  }

  read(content: Uint8Array, { name }: Language): Promise<readonly CodeSymbol[] | undefined> {
    return new Promise((resolve) => {
      const question: Question = [content, name];
      this.#asked.push({ question, resolve });
      this.#worker ??= this.#started();
      this.#worker.ref();
      this.#ask(question);
      if (this.#asked.length === 1) this.#watch();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#timer);
    for (const { resolve } of this.#asked.splice(0)) resolve(undefined);
    await this.#worker?.terminate();
  }

  #started(): Worker {
    // Neither variables nor options of the process are any business of it.
    const worker = new Worker(THREAD, {
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
    const ended = () => {
      if (worker === this.#worker) this.#giveUp();
    };
    worker.on('message', (found: readonly CodeSymbol[] | null) => {
      if (worker === this.#worker) this.#answered(found ?? undefined);
    });
    worker.once('error', ended);
    worker.once('exit', ended);
    return worker;
  }

  #ask(question: Question): void {
    // A port of a thread has no origin.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    this.#worker?.postMessage(question);
  }

  #answered(found: readonly CodeSymbol[] | undefined): void {
    const head = this.#asked.shift();
    if (head === undefined) return;
    this.onTaken(performance.now() - this.#since, head.question[0].length);
    head.resolve(found);
    // What waits for nothing keeps no process running.
    if (this.#asked.length === 0) this.#worker?.unref();
    this.#watch();
  }

  /** The first in the row is being read from now on. */
  #watch(): void {
    clearTimeout(this.#timer);
    const [head] = this.#asked;
    if (head === undefined) return;
    this.#since = performance.now();
    this.#timer = setTimeout(
      // An answer that has come while this process was busy is heard first.
      () =>
        setImmediate(() => {
          if (this.#asked[0] === head) this.#giveUp();
        }),
      this.mostMs,
    );
  }

  #giveUp(): void {
    const worker = this.#worker;
    this.#worker = undefined;
    void worker?.terminate();
    const rest = this.#asked.slice(1);
    if (rest.length > 0) {
      this.#worker = this.#started();
      for (const { question } of rest) this.#ask(question);
    }
    this.#answered(undefined);
  }
}
