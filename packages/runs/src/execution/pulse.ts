/**
 * Signs of life of a process that cannot be judged from here, e.g. of another container: a mark that
 * changes while it lives. Only this process's own clock is read, because others may go wrong, and a look
 * after a standstill of our own finds the mark changed.
 */
export class Pulse {
  readonly #silenceMs: number;
  #mark: number | null = null;
  #changedAt = performance.now();

  constructor(silenceMs: number) {
    this.#silenceMs = silenceMs;
  }

  /** True when the mark, read just now, has been the same for the whole time of silence. */
  isSilent(mark: number | null): boolean {
    if (mark !== this.#mark) {
      this.#mark = mark;
      this.#changedAt = performance.now();
    }
    return performance.now() - this.#changedAt >= this.#silenceMs;
  }
}
