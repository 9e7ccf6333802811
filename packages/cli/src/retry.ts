import { setTimeout as delay } from 'node:timers/promises';

const ATTEMPTS = 5;
const BASE_MS = 100;

/**
 * Repeats a call whose failure is temporary (exit 7), with full-jitter back-off, and says so once.
 * Mutations are safe to repeat because every call carries its idempotency key.
 */
export async function retryTemporary<T>(
  call: () => Promise<T>,
  signal: AbortSignal,
  say: (message: string) => void,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      // Loaded only now: a command that calls nothing starts without the contracts.
      const { isPalisadeError } = await import('@palisade/contracts');
      const isTemporary = isPalisadeError(error) && error.facts.retryable && error.facts.exit === 7;
      if (!isTemporary || attempt === ATTEMPTS || signal.aborted) throw error;
      if (attempt === 1) say(`busy (${error.code}), trying again`);
      await delay(Math.random() * BASE_MS * 2 ** attempt, undefined, { signal }).catch(() => {
        throw signal.reason;
      });
    }
  }
}
