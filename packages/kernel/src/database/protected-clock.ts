/**
 * Milliseconds of this machine for the protected clock. `performance` counts from the start of the
 * process whatever happens to the wall clock, so time goes on here even when somebody turns the
 * wall clock back.
 */
export function systemClock(): number {
  return Math.floor(Math.max(Date.now(), performance.timeOrigin + performance.now()));
}

/**
 * Protected time of one process (AC-129): never below anything it gave out, nor below what any
 * process has stored. The caller samples it after it holds the writer lock and stores the latest
 * value with what it commits; a unit of work that changed nothing has nothing to contradict.
 */
export class ProtectedClock {
  readonly #wallClock: () => number;
  #last = 0;

  constructor(wallClock: () => number) {
    this.#wallClock = wallClock;
  }

  /** Takes in a stored value. */
  observe(stored: number): void {
    if (stored > this.#last) this.#last = stored;
  }

  sample(): number {
    this.observe(Math.floor(this.#wallClock()));
    return this.#last;
  }
}
