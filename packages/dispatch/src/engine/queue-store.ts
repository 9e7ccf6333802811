import type { ReadTx } from '@palisade/kernel';
import type { QueueOf } from '../flow/queue-limits.ts';

/** Other runs that use slots of the queue, those with most first, at most ten. */
export async function otherUsers(tx: ReadTx, { project, queue }: QueueOf, runId: string): Promise<string[]> {
  const rows = await tx.sql.all<{ run_id: string }>(
    'SELECT run_id FROM queue_usage WHERE project = ? AND queue = ? AND run_id <> ? ORDER BY used DESC, run_id LIMIT 10',
    [project, queue, runId],
  );
  return rows.map((row) => row.run_id);
}

/** What each run uses of a queue's slots. */
export async function queueUsage(
  tx: ReadTx,
  { project, queue }: QueueOf,
): Promise<{ readonly run_id: string; readonly used: number }[]> {
  return tx.sql.all('SELECT run_id, used FROM queue_usage WHERE project = ? AND queue = ? ORDER BY run_id', [
    project,
    queue,
  ]);
}
