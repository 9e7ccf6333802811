import { setTimeout as delay } from 'node:timers/promises';
import { isPalisadeError } from '@palisade/contracts';

const ATTEMPTS = 6;
const BASE_MS = 50;

/** Repeats a call whose failure is temporary (a database that is busy), with full-jitter back-off; for about 3 s at most. */
export async function retryTemporary<T>(call: () => Promise<T>, stop: AbortSignal): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (!isPalisadeError(error) || !error.facts.retryable) throw error;
      if (attempt === ATTEMPTS || stop.aborted) throw error;
      await delay(Math.random() * BASE_MS * 2 ** attempt);
    }
  }
}
