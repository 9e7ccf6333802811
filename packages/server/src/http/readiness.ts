/** How long an answer is good for everybody who asks, ms. */
const KEPT_MS = 1_000;
/** A probe that takes longer says no, ms. */
const PATIENCE_MS = 2_000;

interface Asked {
  readonly at: number;
  readonly isGood: Promise<boolean>;
  isOver: boolean;
}

/** Whether something answers: asked at most once a second, and never again before it answered, however many want to know. */
export class Readiness {
  readonly #probe: () => Promise<unknown>;
  #asked: Asked | undefined;

  /** `probe` resolves when all is well. */
  constructor(probe: () => Promise<unknown>) {
    this.#probe = probe;
  }

  async isReady(): Promise<boolean> {
    const known = this.#asked;
    const asked =
      known !== undefined && (!known.isOver || performance.now() - known.at < KEPT_MS) ? known : this.#ask();
    const late = Promise.withResolvers<false>();
    const timer = setTimeout(() => late.resolve(false), PATIENCE_MS);
    try {
      return await Promise.race([asked.isGood, late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  #ask(): Asked {
    const over = (isGood: boolean) => (): boolean => {
      asked.isOver = true;
      return isGood;
    };
    const asked: Asked = {
      at: performance.now(),
      isGood: this.#probe().then(over(true), over(false)),
      isOver: false,
    };
    this.#asked = asked;
    return asked;
  }
}
