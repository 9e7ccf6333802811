import type { ReadTx, WriteTx } from '@palisade/kernel';

/** Slots of a queue that this run may use now: the queue's limit less what other runs use. */
export async function slotsFor(tx: ReadTx, queue: string, runId: string): Promise<number> {
  const row = await tx.sql.get<{ free: number | null }>(
    `SELECT concurrency - COALESCE((SELECT SUM(used) FROM queue_usage WHERE queue = name AND run_id <> ?), 0) AS free FROM queues WHERE name = ?`,
    [runId, queue],
  );
  return Math.max(0, row?.free ?? 0);
}

/** Other runs that use slots of the queue, those with most first, at most ten. */
export async function otherUsers(tx: ReadTx, queue: string, runId: string): Promise<string[]> {
  const rows = await tx.sql.all<{ run_id: string }>(
    'SELECT run_id FROM queue_usage WHERE queue = ? AND run_id <> ? ORDER BY used DESC, run_id LIMIT 10',
    [queue, runId],
  );
  return rows.map((row) => row.run_id);
}

/** Records how many slots a run uses; 0 removes its row. */
export async function setUsage(tx: WriteTx, queue: string, runId: string, used: number): Promise<void> {
  if (used === 0) {
    await tx.sql.run('DELETE FROM queue_usage WHERE queue = ? AND run_id = ?', [queue, runId]);
    return;
  }
  await tx.sql.run(
    'INSERT INTO queue_usage (queue, run_id, used) VALUES (?, ?, ?) ON CONFLICT (queue, run_id) DO UPDATE SET used = excluded.used',
    [queue, runId, used],
  );
}

/** The limit of every queue there is, by name. */
export async function queueLimits(tx: ReadTx): Promise<Map<string, number>> {
  const rows = await tx.sql.all<{ name: string; concurrency: number }>(
    'SELECT name, concurrency FROM queues ORDER BY name',
  );
  return new Map(rows.map((row) => [row.name, row.concurrency]));
}

/** What each run uses of a queue's slots. */
export async function queueUsage(
  tx: ReadTx,
  queue: string,
): Promise<{ readonly run_id: string; readonly used: number }[]> {
  return tx.sql.all('SELECT run_id, used FROM queue_usage WHERE queue = ? ORDER BY run_id', [queue]);
}

/** Creates a queue or changes its limit. */
export async function putQueue(tx: WriteTx, name: string, concurrency: number): Promise<void> {
  await tx.sql.run(
    'INSERT INTO queues (name, concurrency) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET concurrency = excluded.concurrency',
    [name, concurrency],
  );
}
