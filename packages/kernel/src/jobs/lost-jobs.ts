import type { WriteTx } from '../database/database.ts';

/** A job that ran out of attempts while nobody reported its end. */
export interface LostJob {
  readonly id: string;
  readonly kind: string;
  readonly payload: unknown;
}

const BURY = `UPDATE kernel_jobs SET status = 'dead', finished_at = ?, lease_owner = NULL, lease_expires_at = NULL,
error = 'lost: the lease of the last attempt expired'
WHERE id IN (SELECT id FROM kernel_jobs WHERE status = 'running' AND kind = ? AND lease_expires_at <= ?
  AND attempt_count >= max_attempts ORDER BY lease_expires_at LIMIT ?)
RETURNING id, kind, payload`;
const ATTEMPT_LOST = `UPDATE kernel_job_attempts SET outcome = 'lost', ended_at = ? WHERE job = ? AND outcome = 'running'`;

/**
 * Ends jobs of a kind whose last attempt's lease expired and makes them `dead`, at most `limit` at a
 * time, and returns them so that the caller drives each owner to its terminal state in the same unit
 * of work (EX-095): no owner can wait for ever for a job that nobody runs.
 */
export async function buryLostJobs(tx: WriteTx, kind: string, limit = 100): Promise<LostJob[]> {
  const rows = await tx.sql.all<{ id: string; kind: string; payload: string }>(BURY, [
    tx.now,
    kind,
    tx.now,
    limit,
  ]);
  for (const row of rows) await tx.sql.run(ATTEMPT_LOST, [tx.now, row.id]);
  return rows.map((row) => ({ id: row.id, kind: row.kind, payload: JSON.parse(row.payload) as unknown }));
}
