import type { WriteTx } from '@palisade/kernel';
import { putLimits } from '../flow/queue-limits.ts';

/** How many items of a project's first queue run at once until somebody says otherwise. */
const CONCURRENCY = 8;

/** Gives a project the queue of the plans that name none. */
export function openDefaultQueue(tx: WriteTx, project: string): Promise<void> {
  const none = { rate: null, maxOpenRuns: null, maxPriority: null };
  return putLimits(tx, { project, name: 'default', concurrency: CONCURRENCY, ...none });
}
