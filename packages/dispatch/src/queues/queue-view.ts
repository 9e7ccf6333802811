import type { getQueue } from '@palisade/contracts';
import { aboutNow, type ReadTx } from '@palisade/kernel';
import type * as z from 'zod';
import { openRunsOf, type QueueLimits } from '../flow/queue-limits.ts';
import { queuePause } from '../flow/queue-pause-store.ts';
import { nextStartAt, startsLeft } from '../flow/rate.ts';
import { claimsOf } from '../flow/slot-store.ts';
import { queueUsage } from '../engine/queue-store.ts';

/** A queue with its runs: what they use, what they want, and what else lets nothing start. */
export async function queueWithRuns(
  tx: ReadTx,
  { project, name, concurrency, rate, fullAt, maxOpenRuns, maxPriority }: QueueLimits,
): Promise<z.output<(typeof getQueue)['output']>> {
  const of = { project, queue: name };
  const usage = await queueUsage(tx, of);
  const claims = new Map((await claimsOf(tx, of)).map((claim) => [claim.runId, claim]));
  const paused = await queuePause(tx, of);
  const wants = [...claims.values()].reduce((sum, claim) => sum + claim.wants, 0);
  const now = await aboutNow(tx);
  const left = rate === null ? 0 : startsLeft(rate, fullAt, now);
  return {
    queue: {
      name,
      concurrency,
      used: usage.reduce((sum, { used }) => sum + used, 0),
      ...(wants === 0 ? {} : { wants }),
      ...(paused === undefined ? {} : { paused }),
      ...(rate === null
        ? {}
        : {
            rate: {
              starts: rate.starts,
              window_seconds: rate.windowMs / 1000,
              left,
              ...(left > 0 ? {} : { next_at: nextStartAt(rate, fullAt, now) }),
            },
          }),
      ...(maxOpenRuns === null ? {} : { open_runs: { count: await openRunsOf(tx, of), limit: maxOpenRuns } }),
      ...(maxPriority === null ? {} : { max_priority: maxPriority }),
    },
    runs: usage.map(({ run_id, used }) => {
      const claim = claims.get(run_id);
      return {
        run_id,
        used,
        ...(claim === undefined ? {} : { wants: claim.wants, since: claim.since, priority: claim.priority }),
      };
    }),
  };
}
