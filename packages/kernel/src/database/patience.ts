import { setTimeout as delay } from 'node:timers/promises';

/** How long a caller waits for a lock, a connection or a serialisable moment before a named failure. */
export const PATIENCE_MS = 30_000;

/**
 * Waits before try number `attempt` (from 0): jittered, growing from about 1 ms to `ceilingMs`, so
 * that many waiters neither march in step nor spin.
 */
export async function pause(attempt: number, ceilingMs: number): Promise<void> {
  await delay(Math.random() * Math.min(ceilingMs, 2 ** Math.min(attempt, 20)) + 0.5);
}
