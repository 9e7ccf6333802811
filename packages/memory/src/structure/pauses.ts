import { setImmediate } from 'node:timers/promises';
import { assertBudget, type Budget } from '@palisade/workspace';

/** So long it works without hearing anything else. */
const BUSY_MS = 10;

/**
 * What work that waits for nothing awaits between its steps: an interrupt is heard there, and nobody else is kept waiting.
 * Errors: those of the budget.
 */
export function pauses(budget: Budget): () => Promise<void> | undefined {
  let heard = performance.now();
  return () => {
    if (performance.now() - heard <= BUSY_MS) return undefined;
    return setImmediate().then(() => {
      heard = performance.now();
      assertBudget(budget);
    });
  };
}
