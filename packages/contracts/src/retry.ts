import { setTimeout as delay } from 'node:timers/promises';
import { isPalisadeError, type PalisadeError } from './errors.ts';

/** How a call is made again whose failure is temporary. */
export interface Patience {
  /** No attempt begins later than this after the first, ms. */
  readonly patienceMs: number;
  /** Ends the waiting: with its reason where `call` does not end by itself. */
  readonly signal?: AbortSignal | undefined;
  /** Which failures may pass by themselves; every one that says so when absent. */
  readonly isTemporary?: (error: PalisadeError) => boolean;
  /** Told before each wait. */
  readonly onRetry?: ((error: PalisadeError) => void) | undefined;
}

const FIRST_PAUSE_MS = 100;
const LAST_PAUSE_MS = 5_000;

/**
 * Makes a call until it succeeds, fails for good, or patience is over; raises its last failure. The waits are random (full jitter), up to
 * twice as long each time, and never shorter than the failure says. Whoever changes something gives each attempt the same idempotency key.
 */
export async function retryTemporary<T>(
  call: () => Promise<T>,
  { patienceMs, signal, isTemporary = ({ facts }) => facts.retryable, onRetry }: Patience,
): Promise<T> {
  const until = performance.now() + patienceMs;
  for (let longest = FIRST_PAUSE_MS; ; longest = Math.min(LAST_PAUSE_MS, longest * 2)) {
    try {
      return await call();
    } catch (error) {
      if (!isPalisadeError(error) || !isTemporary(error) || signal?.aborted === true) throw error;
      const wait = Math.max(error.retryAfterMs ?? 0, Math.random() * longest);
      if (performance.now() + wait > until) throw error;
      onRetry?.(error);
      await delay(wait, undefined, signal === undefined ? {} : { signal }).catch(() => {
        throw signal?.reason;
      });
    }
  }
}
