import { setTimeout as delay } from 'node:timers/promises';
import { JOB_REPORTS_MS } from '@palisade/contracts';

/** How long to wait before a report that failed is made again, at first and at most, ms. */
const AGAIN_MS = 5_000;
const MOST_AGAIN_MS = 300_000;

/** Tries ever more rarely until it succeeds, or a reporter has no authority left to do it with: then it raises what failed. */
export async function until(
  signal: AbortSignal,
  body: () => Promise<void>,
  { againMs = AGAIN_MS, mostMs = MOST_AGAIN_MS } = {},
): Promise<void> {
  const end = performance.now() + JOB_REPORTS_MS;
  for (let wait = againMs; ; wait = Math.min(wait * 2, mostMs)) {
    try {
      return await body();
    } catch (error) {
      if (performance.now() > end) throw error;
      await delay(wait * (0.5 + Math.random()), undefined, { signal });
    }
  }
}
