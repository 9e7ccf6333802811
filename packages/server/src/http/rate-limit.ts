/** How many requests one caller may make. */
export interface RequestRate {
  readonly perSecond: number;
  /** Requests at once after a silence; at least a second's worth (EX-023). */
  readonly burst: number;
}

/** Callers that are remembered at once: whoever is forgotten begins with a full bucket. */
const MAX_BUCKETS = 50_000;

interface Bucket {
  tokens: number;
  at: number;
}

/** Token buckets by caller, in this process, by a monotonic clock in milliseconds (EX-023). */
export class RateLimit {
  readonly #rate: RequestRate;
  readonly #now: () => number;
  /** In the order of their last use. */
  readonly #buckets = new Map<string, Bucket>();

  constructor(rate: RequestRate, now: () => number = () => performance.now()) {
    this.#rate = rate;
    this.#now = now;
  }

  /** The seconds after which a caller may ask again; 0: at once. Takes nothing. */
  wait(caller: string): number {
    const bucket = this.#buckets.get(caller);
    if (bucket === undefined) return 0;
    const { perSecond, burst } = this.#rate;
    const tokens = Math.min(burst, bucket.tokens + ((this.#now() - bucket.at) / 1_000) * perSecond);
    return tokens < 1 ? Math.max(1, Math.ceil((1 - tokens) / perSecond)) : 0;
  }

  /** Takes one request of a caller: 0 when it may go on, else the seconds after which it may ask again. */
  take(caller: string): number {
    const { perSecond, burst } = this.#rate;
    const now = this.#now();
    const bucket = this.#buckets.get(caller) ?? { tokens: burst, at: now };
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) / 1_000) * perSecond);
    bucket.at = now;
    this.#buckets.delete(caller);
    this.#buckets.set(caller, bucket);
    this.#forget();
    if (bucket.tokens < 1) return Math.max(1, Math.ceil((1 - bucket.tokens) / perSecond));
    bucket.tokens -= 1;
    return 0;
  }

  #forget(): void {
    if (this.#buckets.size <= MAX_BUCKETS) return;
    for (const oldest of this.#buckets.keys()) {
      this.#buckets.delete(oldest);
      return;
    }
  }
}
