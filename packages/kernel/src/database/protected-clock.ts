/** How far a wall clock may be behind protected time before it is not believed any more, ms (AC-275). */
export const ROLLBACK_MS = 5_000;

/**
 * Protected time of one process (AC-129): never below anything it gave out, nor below what any
 * process has stored. The caller samples it after it holds the writer lock and stores the latest
 * value with what it commits; a unit of work that changed nothing has nothing to contradict. Where the wall clock was turned back,
 * time goes on from the latest value by what has elapsed since (AO-199).
 */
export class ProtectedClock {
  readonly #wallClock: () => number;
  readonly #elapsed: () => number;
  #last = 0;
  #ahead = 0;
  /** {@link #elapsed} when {@link #last} was taken in. */
  #since = 0;

  /** `wallClock` in ms; `elapsed` counts ms from anywhere and never goes back. */
  constructor(wallClock: () => number, elapsed: () => number = () => 0) {
    this.#wallClock = wallClock;
    this.#elapsed = elapsed;
  }

  /** By how much the wall clock is taken to be later than it says from now on, ms. */
  keepAhead(ms: number): void {
    this.#ahead = ms;
  }

  /** Takes in a stored value. */
  observe(stored: number): void {
    if (stored <= this.#last) return;
    this.#last = stored;
    this.#since = this.#elapsed();
  }

  sample(): number {
    this.observe(Math.max(this.wall(), this.#last + Math.floor(this.#elapsed() - this.#since)));
    return this.#last;
  }

  /** What the wall clock says, protected by nothing. */
  wall(): number {
    return Math.floor(this.#wallClock()) + this.#ahead;
  }

  /** True when the wall clock is behind by more than a correction of it explains. */
  isTurnedBack(): boolean {
    return this.wall() < this.#last - ROLLBACK_MS;
  }
}
