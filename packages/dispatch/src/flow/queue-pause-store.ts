import type { Paused } from '@palisade/contracts';
import type { ReadTx, WriteTx } from '@palisade/kernel';
import type { QueueOf } from './queue-limits.ts';

/** Records that nothing of a queue is to start; false when it is recorded already. */
export async function markQueuePaused(
  tx: WriteTx,
  { project, queue }: QueueOf,
  by: string,
  reason: string | null,
): Promise<boolean> {
  return (
    (await tx.sql.run(
      'UPDATE queues SET paused_at = ?, paused_by = ?, pause_reason = ? WHERE project = ? AND name = ? AND paused_at IS NULL',
      [tx.now, by, reason, project, queue],
    )) === 1
  );
}

/** Takes that back; false when the queue was not paused. */
export async function markQueueResumed(tx: WriteTx, { project, queue }: QueueOf): Promise<boolean> {
  return (
    (await tx.sql.run(
      'UPDATE queues SET paused_at = NULL, paused_by = NULL, pause_reason = NULL WHERE project = ? AND name = ? AND paused_at IS NOT NULL',
      [project, queue],
    )) === 1
  );
}

/** Since when and by whom a queue is paused. */
export async function queuePause(tx: ReadTx, { project, queue }: QueueOf): Promise<Paused | undefined> {
  const row = await tx.sql.get<{ paused_at: number; paused_by: string; pause_reason: string | null }>(
    'SELECT paused_at, paused_by, pause_reason FROM queues WHERE project = ? AND name = ? AND paused_at IS NOT NULL',
    [project, queue],
  );
  if (row === undefined) return undefined;
  return {
    at: row.paused_at,
    by: row.paused_by,
    ...(row.pause_reason === null ? {} : { reason: row.pause_reason }),
  };
}
