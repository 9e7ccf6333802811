/**
 * Waits for one thing after another until a signal aborts. A race with one promise that lives long would keep a
 * reaction of every turn until that settles; here the signal knows the present turn alone. To be disposed of.
 */
export class Patience implements Disposable {
  readonly #over: AbortSignal;
  #wake: () => void = () => undefined;
  readonly #onOver = (): void => this.#wake();

  constructor(over: AbortSignal) {
    this.#over = over;
    over.addEventListener('abort', this.#onOver, { once: true });
  }

  /** One at a time. Rejects as `taken` does. */
  wait(taken: Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#wake = resolve;
      taken.then(resolve, reject);
      if (this.#over.aborted) resolve();
    });
  }

  [Symbol.dispose](): void {
    this.#over.removeEventListener('abort', this.#onOver);
  }
}
