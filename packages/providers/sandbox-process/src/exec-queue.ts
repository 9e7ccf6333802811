/** Runs jobs one after another, in the order they came: a sandbox runs one program at a time. */
export class ExecQueue {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(job: () => Promise<T>): Promise<T> {
    const next = this.#last.then(job, job);
    this.#last = next.catch(() => undefined);
    return next;
  }

  /** Resolves when every job given so far has ended. */
  async idle(): Promise<void> {
    await this.#last;
  }
}
