import { extname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
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

const ENDING_MS = 2_000;

type Ask = Omit<Required<Question>['ask'], 'deadline'>;

interface Waiting {
  readonly resolve: (answer: unknown) => void;
  readonly reject: (why: PalisadeError) => void;
}

export interface ThreadTimes {
  readonly answerMs: number;
  readonly graceMs: number;
  readonly idleMs: number;
}

/** Answers questions about repositories in a thread of its own, which is there while it is needed. */
export class MemoryThread {
  readonly #times: ThreadTimes;
  readonly #waiting = new Map<number, Waiting>();
  /** All that have not ended; the one that is asked is among them. */
  readonly #threads = new Set<Worker>();
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #last = 0;
  #isClosed = false;

  constructor({ answerMs = ANSWER_MS, graceMs = GRACE_MS, idleMs = IDLE_MS }: Partial<ThreadTimes> = {}) {
    this.#times = { answerMs, graceMs, idleMs };
  }

  /** How many threads have not ended. */
  get threads(): number {
    return this.#threads.size;
  }

  /** Raises what the answer raises, `timed_out`, `canceled` when nobody waits any more, and `internal` when the thread breaks. */
  async ask(question: Ask, signal?: AbortSignal): Promise<unknown> {
    if (signal?.aborted === true) throw new PalisadeError('canceled', 'nobody waits for the answer');
    if (this.#isClosed) throw unread('the server ends');
    clearTimeout(this.#idle);
    const worker = (this.#worker ??= this.#started());
    worker.ref();
    const id = ++this.#last;
    const { answerMs, graceMs } = this.#times;
    const stop = () => tell(worker, { id });
    signal?.addEventListener('abort', stop, { once: true });
    const stuck = setTimeout(() => this.#broken(worker, 'it did not answer in time'), answerMs + graceMs);
    try {
      return await new Promise<unknown>((resolve, reject) => {
        this.#waiting.set(id, { resolve, reject });
        tell(worker, { id, ask: { ...question, deadline: Date.now() + answerMs } });
      });
    } finally {
      clearTimeout(stuck);
      signal?.removeEventListener('abort', stop);
      this.#waiting.delete(id);
      if (this.#waiting.size === 0) this.#rest();
    }
  }

  /** Ends what is under way. Nothing is answered afterwards. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#idle);
    if (this.#worker !== undefined) this.#broken(this.#worker, 'the server ends');
    const ended = Promise.all([...this.#threads].map((worker) => worker.terminate()));
    // A thread within SQLite hears of nothing.
    await Promise.race([ended, delay(ENDING_MS, undefined, { ref: false })]);
  }

  #started(): Worker {
    const { PATH, HOME, XDG_CONFIG_HOME } = process.env;
    const variables = Object.entries({ PATH, HOME, XDG_CONFIG_HOME });
    // No option of this process is any business of it, nor a variable that git has no use for.
    const worker = new Worker(THREAD, {
      // What is not set would be the text "undefined".
      env: Object.fromEntries(variables.filter(([, value]) => value !== undefined)),
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
    this.#threads.add(worker);
    worker.on('message', ({ id, answer, refusal }: Answer) => {
      const waiting = this.#waiting.get(id);
      if (refusal === undefined) waiting?.resolve(answer);
      else waiting?.reject(new PalisadeError(refusal.code, refusal.message, refusal.details));
    });
    worker.once('error', (error) => this.#broken(worker, foreignFault(error)));
    worker.once('exit', (code) => {
      this.#threads.delete(worker);
      this.#broken(worker, `its thread ended with ${code}`);
    });
    return worker;
  }

  /** Nobody who waits is left without an answer; who asks next has another thread. */
  #broken(worker: Worker, why: string): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    void worker.terminate();
    for (const { reject } of this.#waiting.values()) reject(unread(why));
  }

  /** A thread that has nothing to do keeps no process alive, and is given up after a while: once the indexes are made that it makes. */
  #rest(): void {
    const worker = this.#worker;
    worker?.unref();
    if (worker === undefined) return;
    this.#idle = setTimeout(() => {
      this.#worker = undefined;
      tell(worker, {});
    }, this.#times.idleMs).unref();
  }
}

function unread(why: string): PalisadeError {
  return new PalisadeError('internal', 'the repository could not be read', {
    why,
    next: 'look at it by hand: pal repo doctor',
  });
}

function tell(worker: Worker, question: Question): void {
  // A port of a thread has no origin.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  worker.postMessage(question);
}
