import { isPalisadeError } from '@palisade/contracts';
import { setTimeout as delay } from 'node:timers/promises';

/** Pause before a loop whose round failed begins its next one (EX-098). */
const RESTART_MS = 1_000;

export interface LoopOptions {
  /** Names the loop in reports. */
  readonly name: string;
  /** Pause between two rounds, ms. */
  readonly everyMs: number;
  /** One round. The signal aborts when the loop is to stop: a long round ends soon then. */
  readonly round: (signal: AbortSignal) => Promise<void>;
  /** Told of every round that failed; `restarts` counts them. */
  readonly onFault: (error: unknown, restarts: number) => void;
}

/**
 * Background work of a process: does a round, pauses, does the next, for ever. A round that fails in any
 * way is reported and the loop goes on a second later; nothing but `stop` ends it (EX-098).
 */
export class BackgroundLoop {
  readonly name: string;
  readonly #options: LoopOptions;
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;
  #restarts = 0;
  #isBusy = false;

  /** Begins with a round at once. */
  constructor(options: LoopOptions) {
    this.name = options.name;
    this.#options = options;
    this.#ended = this.#run();
  }

  /** Rounds that failed so far. */
  get restarts(): number {
    return this.#restarts;
  }

  /** True while a round is under way. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** Resolves when the round that is under way has ended. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#ended;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      let pauseMs = this.#options.everyMs;
      this.#isBusy = true;
      try {
        await this.#options.round(signal);
      } catch (error) {
        // What a round that was told to stop throws says nothing.
        if (signal.aborted) return;
        this.#restarts++;
        pauseMs = RESTART_MS;
        // That the clock is not trusted was told once; every round until then is refused.
        if (!isPalisadeError(error, 'clock_reconciliation_required')) this.#report(error);
      } finally {
        this.#isBusy = false;
      }
      await delay(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }

  #report(error: unknown): void {
    try {
      this.#options.onFault(error, this.#restarts);
    } catch {
      // Whoever cannot take a report must not end the loop.
    }
  }
}
