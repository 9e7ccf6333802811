import type { ReadTx, WriteTx } from '@palisade/kernel';
import type { Claim } from './fair-share.ts';
import type { QueueOf } from './queue-limits.ts';
import { type Rate, rateOf } from './rate.ts';

/** A queue as a step of one run sees it. */
interface QueueNow {
  readonly concurrency: number;
  readonly isPaused: boolean;
  readonly rate: Rate | null;
  /** See `rate.ts`. */
  readonly fullAt: number;
  /** Slots other runs use, and further ones they want. */
  readonly othersUse: number;
  readonly othersWant: number;
}

/** One statement whatever the number of runs; undefined when there is no such queue. */
export async function queueNow(
  tx: ReadTx,
  { project, queue }: QueueOf,
  runId: string,
): Promise<QueueNow | undefined> {
  const row = await tx.sql.get<{
    concurrency: number;
    paused_at: number | null;
    rate_starts: number | null;
    rate_window_ms: number | null;
    rate_full_at: number;
    used: number;
    wants: number;
  }>(
    // Two sums of their own: SQLite takes three times as long for both in one joined subquery.
    `SELECT concurrency, paused_at, rate_starts, rate_window_ms, rate_full_at,
       CAST(COALESCE((SELECT SUM(used) FROM queue_usage u WHERE u.project = q.project AND u.queue = q.name AND run_id <> ?), 0) AS BIGINT) AS used,
       CAST(COALESCE((SELECT SUM(wants) FROM queue_usage u WHERE u.project = q.project AND u.queue = q.name AND run_id <> ?), 0) AS BIGINT) AS wants
     FROM queues q WHERE project = ? AND name = ?`,
    [runId, runId, project, queue],
  );
  if (row === undefined) return undefined;
  return {
    concurrency: row.concurrency,
    isPaused: row.paused_at !== null,
    rate: rateOf(row.rate_starts, row.rate_window_ms),
    fullAt: row.rate_full_at,
    othersUse: row.used,
    othersWant: row.wants,
  };
}

/** What other runs claim of a queue; all of them when no run is named. */
export async function claimsOf(tx: ReadTx, { project, queue }: QueueOf, except = ''): Promise<Claim[]> {
  const rows = await tx.sql.all<{
    run_id: string;
    used: number;
    wants: number;
    priority: number;
    since: number;
  }>(
    'SELECT run_id, used, wants, priority, since FROM queue_usage WHERE project = ? AND queue = ? AND run_id <> ? AND wants > 0',
    [project, queue, except],
  );
  return rows.map(({ run_id: runId, ...claim }) => ({ runId, ...claim }));
}

/** Records what a run uses and claims; the row of one that does neither is removed. */
export async function putClaim(
  tx: WriteTx,
  { project, queue }: QueueOf,
  { runId, used, wants, priority, since }: Claim,
): Promise<void> {
  if (used === 0 && wants === 0) {
    await tx.sql.run('DELETE FROM queue_usage WHERE project = ? AND queue = ? AND run_id = ?', [
      project,
      queue,
      runId,
    ]);
    return;
  }
  await tx.sql.run(
    `INSERT INTO queue_usage (project, queue, run_id, used, wants, priority, since) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (project, queue, run_id) DO UPDATE SET used = excluded.used, wants = excluded.wants,
       priority = excluded.priority, since = excluded.since`,
    [project, queue, runId, used, wants, priority, since],
  );
}

/**
 * What a run just taken claimed before. While its owner has to look for attempts it cannot take what it claims,
 * so it claims nothing until its first step.
 */
export async function claimBefore(
  tx: WriteTx,
  { project, queue }: QueueOf,
  runId: string,
  mustLook: boolean,
): Promise<{ readonly wants: number; readonly since: number } | undefined> {
  const row = await tx.sql.get<{ wants: number; since: number }>(
    'SELECT wants, since FROM queue_usage WHERE project = ? AND queue = ? AND run_id = ?',
    [project, queue, runId],
  );
  if (row === undefined || row.wants === 0 || !mustLook) return row;
  await tx.sql.run('UPDATE queue_usage SET wants = 0 WHERE project = ? AND queue = ? AND run_id = ?', [
    project,
    queue,
    runId,
  ]);
  return { ...row, wants: 0 };
}

/** Records starts against a queue's rate. */
export async function putRate(tx: WriteTx, { project, queue }: QueueOf, fullAt: number): Promise<void> {
  await tx.sql.run('UPDATE queues SET rate_full_at = ? WHERE project = ? AND name = ?', [
    fullAt,
    project,
    queue,
  ]);
}
