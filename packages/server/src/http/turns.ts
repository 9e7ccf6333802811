import { setTimeout as delay } from 'node:timers/promises';
import type { Share } from './share.ts';

/** A turn that took longer is answered with no longer pause, ms. */
const MAX_PAUSE_MS = 5_000;

/**
 * Work that keeps the engine's thread busy, such as checking a plan of megabytes: one piece after another, and after each a pause as long
 * as it took. However many wait, half of the thread is left to everybody else. A caller has few places in the queue.
 */
export class Turns {
  readonly #places: Share;
  #last: Promise<void> = Promise.resolve();

  constructor(places: Share) {
    this.#places = places;
  }

  /** Does a piece of work when it is its turn. Raises what {@link Share.take} raises, and the signal's reason when its caller left before. */
  async take<T>(caller: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const leave = this.#places.take(caller);
    const before = this.#last;
    const over = Promise.withResolvers<void>();
    this.#last = over.promise;
    await before;
    const began = performance.now();
    try {
      signal.throwIfAborted();
      return await work();
    } finally {
      leave();
      const pause = Math.min(MAX_PAUSE_MS, performance.now() - began);
      void delay(pause, undefined, { ref: false }).then(over.resolve);
    }
  }
}
