import { PalisadeError } from '@palisade/contracts';

const WINDOW_MS = 60_000;
const OF_ONE_NAME = 5;
const IN_ALL = 30;

/**
 * How often passwords may be tried (AC-036): five times a minute for one name and thirty times in all, in this process, by monotonic
 * time. Who asks from where does not matter, so nothing that a client says evades it. It remembers only what it let in: at most thirty
 * tries.
 */
export class Throttle {
  readonly #monotonic: () => number;
  #tries: { readonly name: string; readonly at: number }[] = [];

  /** `monotonic` counts ms from anywhere. */
  constructor(monotonic: () => number = () => performance.now()) {
    this.#monotonic = monotonic;
  }

  /** Counts a try for a name, or raises `rate_limited`. */
  admit(name: string): void {
    const now = this.#monotonic();
    this.#tries = this.#tries.filter(({ at }) => now - at < WINDOW_MS);
    const ofName = this.#tries.filter((one) => one.name === name);
    const first =
      ofName.length >= OF_ONE_NAME ? ofName[0] : this.#tries.length >= IN_ALL ? this.#tries[0] : undefined;
    if (first === undefined) {
      this.#tries.push({ name, at: now });
      return;
    }
    const retryAfterMs = Math.ceil(first.at + WINDOW_MS - now);
    throw new PalisadeError('rate_limited', 'too many passwords were tried', {
      next: `try again in ${Math.ceil(retryAfterMs / 1_000)} seconds`,
      retryAfterMs,
    });
  }
}
