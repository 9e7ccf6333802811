import type { WriteTx } from '../database/database.ts';

/** More than anything was granted anew since the moment that a database was restored from. */
const AHEAD = 2 ** 20;

/**
 * Ends whatever anybody holds, in a database that goes on elsewhere than it came from (AC-277): leases are free, jobs that ran are claimed
 * anew, and whoever had them comes with a fence that is not current, also for what is accepted of one whose time is over, and also when
 * it was granted after the moment that the database is of.
 */
export async function fenceAll(tx: WriteTx): Promise<void> {
  await tx.sql.run('UPDATE kernel_leases SET fence = fence + ?, expires_at = 0, released = 1', [AHEAD]);
  await tx.sql.run(
    `UPDATE kernel_jobs SET fence = fence + ?, lease_expires_at = CASE WHEN status = 'running' THEN CAST(? AS BIGINT) ELSE lease_expires_at END
     WHERE status IN ('queued', 'running')`,
    [AHEAD, tx.now],
  );
}
