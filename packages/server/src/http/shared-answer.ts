/** How long an answer is good for everybody who asks, ms. */
const KEPT_MS = 1_000;

interface Asked<T> {
  readonly at: number;
  readonly answer: Promise<T>;
  isOver: boolean;
}

/** What many may want to know and is asked at most once a second, and never again before it was answered. */
export class SharedAnswer<T> {
  readonly #ask: () => Promise<T>;
  readonly #patienceMs: number;
  readonly #instead: T;
  #asked: Asked<T> | undefined;

  /** `instead` is told when `ask` fails, or takes longer than `patienceMs`. */
  constructor(ask: () => Promise<T>, patienceMs: number, instead: T) {
    this.#ask = ask;
    this.#patienceMs = patienceMs;
    this.#instead = instead;
  }

  async get(): Promise<T> {
    const known = this.#asked;
    const isGood = known !== undefined && (!known.isOver || performance.now() - known.at < KEPT_MS);
    const asked = isGood ? known : this.#askAgain();
    const late = Promise.withResolvers<T>();
    const timer = setTimeout(() => late.resolve(this.#instead), this.#patienceMs);
    try {
      return await Promise.race([asked.answer, late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  #askAgain(): Asked<T> {
    const asked: Asked<T> = {
      at: performance.now(),
      answer: this.#ask()
        .catch(() => this.#instead)
        .finally(() => {
          asked.isOver = true;
        }),
      isOver: false,
    };
    this.#asked = asked;
    return asked;
  }
}
