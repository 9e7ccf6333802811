import { PalisadeError } from '@palisade/contracts';

/** How much of something may be held at once. */
export interface ShareLimits {
  readonly perCaller: number;
  readonly inAll: number;
}

/** When whoever was refused may ask again: what is held is given back within seconds, unless somebody means to hold it. */
const AGAIN_MS = 1_000;

/**
 * Something of which there is only so much in this process, such as bytes of bodies: a caller holds no more of it than its share, whatever
 * it opens, and all of them together no more than there is.
 */
export class Share {
  readonly #what: string;
  readonly #limits: ShareLimits;
  readonly #held = new Map<string, number>();
  #all = 0;

  /** `what` is named to whoever is refused. */
  constructor(what: string, limits: ShareLimits) {
    this.#what = what;
    this.#limits = limits;
  }

  /** What all callers hold together. */
  get all(): number {
    return this.#all;
  }

  /** Takes an amount, until what it gives is called. Raises `rate_limited` over the caller's share, and `overloaded` over what there is. */
  take(caller: string, amount = 1): () => void {
    const held = (this.#held.get(caller) ?? 0) + amount;
    if (held > this.#limits.perCaller)
      throw new PalisadeError('rate_limited', `too many ${this.#what} at once`, {
        next: 'end some of them, or ask again in a moment',
        retryAfterMs: AGAIN_MS,
      });
    if (this.#all + amount > this.#limits.inAll)
      throw new PalisadeError('overloaded', `the server holds as many ${this.#what} as it can`, {
        next: 'ask again in a moment',
        retryAfterMs: AGAIN_MS,
      });
    this.#held.set(caller, held);
    this.#all += amount;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#all -= amount;
      const left = (this.#held.get(caller) ?? 0) - amount;
      if (left > 0) this.#held.set(caller, left);
      else this.#held.delete(caller);
    };
  }
}
