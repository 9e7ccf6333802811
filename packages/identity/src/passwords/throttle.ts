import { PalisadeError } from '@palisade/contracts';

const WINDOW_MS = 60_000;
const OF_ONE_NAME = 5;
const IN_ALL = 30;

/**
 * How often passwords may be tried (AC-036): five times a minute for one name and thirty times in all, in this process, by monotonic
 * time. Who asks from where does not matter, so nothing that a client says evades it. It remembers only what it let in: as many tries
 * as it may let in.
 */
export class Throttle {
  readonly #monotonic: () => number;
  #tries: { readonly name: string; readonly at: number }[] = [];

  readonly #ofOneName: number;
  readonly #inAll: number;

  /** `monotonic` counts ms from anywhere. */
  constructor(
    monotonic: () => number = () => performance.now(),
    {
      ofOneName = OF_ONE_NAME,
      inAll = IN_ALL,
    }: { readonly ofOneName?: number; readonly inAll?: number } = {},
  ) {
    this.#monotonic = monotonic;
    this.#ofOneName = ofOneName;
    this.#inAll = inAll;
  }

  /** Counts a try for a name, or raises `rate_limited`. */
  admit(name: string): void {
    const now = this.#monotonic();
    this.#tries = this.#tries.filter(({ at }) => now - at < WINDOW_MS);
    const ofName = this.#tries.filter((one) => one.name === name);
    const first =
      ofName.length >= this.#ofOneName
        ? ofName[0]
        : this.#tries.length >= this.#inAll
          ? this.#tries[0]
          : undefined;
    if (first === undefined) {
      this.#tries.push({ name, at: now });
      return;
    }
    const retryAfterMs = Math.ceil(first.at + WINDOW_MS - now);
    throw new PalisadeError('rate_limited', 'there were too many tries', {
      next: `try again in ${Math.ceil(retryAfterMs / 1_000)} seconds`,
      retryAfterMs,
    });
  }
}
