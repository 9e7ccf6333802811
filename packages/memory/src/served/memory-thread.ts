import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { foreignFault, PalisadeError } from '@palisade/contracts';
import type { Answer, Question } from './answering-thread.ts';

/** The thread starts from a file beside this one, of the same kind: a source in a checkout, JavaScript in a package. */
const THREAD = new URL(`./answering-thread${extname(import.meta.url)}`, import.meta.url);
/** Of objects of JavaScript; the index of 100,000 commits stays below a quarter of it. */
const HEAP_MB = 2_048;
/** Of one answer, with what it waits for the index. */
const ANSWER_MS = 60_000;
/** A thread that has not answered so long after it had to is stuck. */
const GRACE_MS = 10_000;
/** A thread that nobody asks is given up: what it holds is worth more to others. */
const IDLE_MS = 60_000;

type Ask = Omit<Required<Question>['ask'], 'deadline'>;

interface Waiting {
  readonly resolve: (answer: unknown) => void;
  readonly reject: (why: PalisadeError) => void;
}

/** Answers questions about repositories in a thread of its own, which is there while it is needed. */
export class MemoryThread {
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #last = 0;

  /** Raises what the answer raises, `timed_out`, `canceled` when nobody waits any more, and `internal` when the thread breaks. */
  async ask(question: Ask, signal?: AbortSignal): Promise<unknown> {
    if (signal?.aborted === true) throw new PalisadeError('canceled', 'nobody waits for the answer');
    clearTimeout(this.#idle);
    const worker = (this.#worker ??= this.#started());
    worker.ref();
    const id = ++this.#last;
    const say = (text: Question): void => {
      // A port of a thread has no origin.
      // oxlint-disable-next-line unicorn/require-post-message-target-origin
      worker.postMessage(text);
    };
    const stop = () => say({ id });
    signal?.addEventListener('abort', stop, { once: true });
    const stuck = setTimeout(() => this.#broken(worker, 'it did not answer in time'), ANSWER_MS + GRACE_MS);
    try {
      return await new Promise<unknown>((resolve, reject) => {
        this.#waiting.set(id, { resolve, reject });
        say({ id, ask: { ...question, deadline: Date.now() + ANSWER_MS } });
      });
    } finally {
      clearTimeout(stuck);
      signal?.removeEventListener('abort', stop);
      this.#waiting.delete(id);
      if (this.#waiting.size === 0) this.#rest();
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    if (worker === undefined) return;
    this.#broken(worker, 'the server ends');
    await worker.terminate();
  }

  #started(): Worker {
    const { PATH, HOME, XDG_CONFIG_HOME } = process.env;
    // No option of this process is any business of it, nor a variable that git has no use for.
    const worker = new Worker(THREAD, {
      env: { PATH, HOME, XDG_CONFIG_HOME },
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
    worker.on('message', ({ id, answer, refusal }: Answer) => {
      const waiting = this.#waiting.get(id);
      if (refusal === undefined) waiting?.resolve(answer);
      else waiting?.reject(new PalisadeError(refusal.code, refusal.message, refusal.details));
    });
    worker.once('error', (error) => this.#broken(worker, foreignFault(error)));
    worker.once('exit', (code) => this.#broken(worker, `its thread ended with ${code}`));
    return worker;
  }

  /** Nobody who waits is left without an answer; who asks next has another thread. */
  #broken(worker: Worker, why: string): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    void worker.terminate();
    for (const { reject } of this.#waiting.values())
      reject(
        new PalisadeError('internal', 'the repository could not be read', {
          why,
          next: 'look at it by hand: pal repo doctor',
        }),
      );
  }

  /** A thread that has nothing to do keeps no process alive. */
  #rest(): void {
    this.#worker?.unref();
    this.#idle = setTimeout(() => void this.close(), IDLE_MS).unref();
  }
}
