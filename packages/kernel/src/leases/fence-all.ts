import type { WriteTx } from '../database/database.ts';

/**
 * Ends whatever anybody holds, in a database that goes on elsewhere than it came from (AC-277): leases are free, jobs that ran are claimed
 * anew, and whoever had them comes with a fence that is not current, also for what is accepted of one whose time is over.
 */
export async function fenceAll(tx: WriteTx): Promise<void> {
  await tx.sql.run('UPDATE kernel_leases SET fence = fence + 1, expires_at = 0, released = 1');
  await tx.sql.run(
    "UPDATE kernel_jobs SET fence = fence + 1, lease_expires_at = ? WHERE status = 'running'",
    [tx.now],
  );
}
