/** Runs at most `limit` actions at once, the rest in the order they came: a burst must not use up file descriptors. */
export class Limiter {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(limit: number) {
    this.#free = limit;
  }

  async run<T>(action: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    try {
      return await action();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }
}
