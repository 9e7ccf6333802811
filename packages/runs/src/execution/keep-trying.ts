import { setTimeout as delay } from 'node:timers/promises';
import { type ErrorCode, isPalisadeError } from '@palisade/contracts';

const BASE_MS = 1_000;
const MAX_MS = 30_000;
/** How long tries go on when nothing would be lost with the last of them. */
const IMPATIENT_MS = 60_000;

export interface KeepTryingOptions {
  /** Ends the tries with its reason. */
  readonly signal: AbortSignal;
  /** Asked after each failure: true to try for ever, false to give up after a minute in all. */
  readonly isPatient: () => Promise<boolean>;
  /** What no further try can change. */
  readonly final: readonly ErrorCode[];
  /** Told of every failure that is followed by another try. */
  readonly onFault: (error: unknown) => void;
}

/**
 * Does something again until it succeeds, after 1 s, 2 s, … 30 s: for trouble of the machine (a disk
 * that fails, no descriptors left, a store out of reach) that must not cost a finished product.
 * `body` must be idempotent. Fails with the error of the last try.
 */
export async function keepTrying<T>(body: () => Promise<T>, options: KeepTryingOptions): Promise<T> {
  let waited = 0;
  for (let wait = BASE_MS; ; wait = Math.min(2 * wait, MAX_MS)) {
    try {
      return await body();
    } catch (error) {
      options.signal.throwIfAborted();
      if (options.final.some((code) => isPalisadeError(error, code))) throw error;
      if (waited >= IMPATIENT_MS && !(await options.isPatient())) throw error;
      options.onFault(error);
    }
    await delay(wait, undefined, { signal: options.signal });
    waited += wait;
  }
}
