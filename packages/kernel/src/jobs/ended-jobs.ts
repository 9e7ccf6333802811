import type { WriteTx } from '../database/database.ts';

const ENDED = 'SELECT id FROM kernel_jobs WHERE finished_at < ? ORDER BY finished_at, id LIMIT ?';

/** Removes jobs that ended before a time, oldest first, with the record of their attempts. Returns how many, at most `limit`. */
export async function forgetEndedJobs(tx: WriteTx, before: number, limit: number): Promise<number> {
  const rows = await tx.sql.all<{ id: string }>(ENDED, [before, limit]);
  if (rows.length === 0) return 0;
  const ids = rows.map(({ id }) => id);
  const these = `(${ids.map(() => '?').join(', ')})`;
  await tx.sql.run(`DELETE FROM kernel_job_attempts WHERE job IN ${these}`, ids);
  return tx.sql.run(`DELETE FROM kernel_jobs WHERE id IN ${these}`, ids);
}
