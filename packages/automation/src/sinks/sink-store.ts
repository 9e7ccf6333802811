import { type JournalEvent, nameAmongAll, runOfStream } from '@palisade/contracts';
import type { ReadTx, WriteTx } from '@palisade/kernel';

/** From now on runs of the project that end are kept for a sink of this name until it has taken them. */
export async function addSink(tx: WriteTx, project: string, name: string): Promise<void> {
  await tx.sql.run('INSERT INTO result_sinks (name, project) VALUES (?, ?) ON CONFLICT (name) DO NOTHING', [
    nameAmongAll(project, name),
    project,
  ]);
}

/** Forgets the name and what waits for it; false when there is none. */
export async function removeSink(tx: WriteTx, sink: string): Promise<boolean> {
  await tx.sql.run('DELETE FROM result_outbox WHERE sink = ?', [sink]);
  return (await tx.sql.run('DELETE FROM result_sinks WHERE name = ?', [sink])) === 1;
}

/**
 * Keeps runs that end for every sink of their project, in the unit of work that ends them: whoever dies, none is missed (DI-085).
 * For the database's `onEvents`; `projectOf` tells whose run it is.
 */
export async function offerResults(
  tx: WriteTx,
  events: readonly JournalEvent[],
  projectOf: (tx: ReadTx, runId: string) => Promise<string>,
): Promise<void> {
  for (const { type, stream } of events) {
    const runId = type === 'run.completed' ? runOfStream(stream) : null;
    if (runId !== null)
      await tx.sql.run(
        `INSERT INTO result_outbox (sink, run_id, next_at, tries)
         SELECT name, CAST(? AS TEXT), CAST(? AS BIGINT), 0 FROM result_sinks WHERE project = ? ON CONFLICT DO NOTHING`,
        [runId, tx.now, await projectOf(tx, runId)],
      );
  }
}

/** True when some run waits for a sink, whether it may be offered now or not. */
export async function hasResults(tx: ReadTx, sink: string): Promise<boolean> {
  return (await tx.sql.get('SELECT run_id FROM result_outbox WHERE sink = ? LIMIT 1', [sink])) !== undefined;
}

/** Runs that may be offered to a sink, those that waited longest first; `now` decides it of those that were offered before. */
export async function dueResults(tx: ReadTx, sink: string, now: number, limit: number): Promise<string[]> {
  const rows = await tx.sql.all<{ run_id: string }>(
    'SELECT run_id FROM result_outbox WHERE sink = ? AND (tries = 0 OR next_at <= ?) ORDER BY next_at, run_id LIMIT ?',
    [sink, now, limit],
  );
  return rows.map((row) => row.run_id);
}

/** Takes a run to offer it, for `leaseMs`; the number of this try, or null when it is somebody else's or not due. */
export async function claimResult(
  tx: WriteTx,
  sink: string,
  runId: string,
  leaseMs: number,
): Promise<number | null> {
  const row = await tx.sql.get<{ tries: number }>(
    `UPDATE result_outbox SET next_at = ?, tries = tries + 1
     WHERE sink = ? AND run_id = ? AND next_at <= ? RETURNING tries`,
    [tx.now + leaseMs, sink, runId, tx.now],
  );
  return row?.tries ?? null;
}

/** The sink has it. */
export async function forgetResult(tx: WriteTx, sink: string, runId: string): Promise<void> {
  await tx.sql.run('DELETE FROM result_outbox WHERE sink = ? AND run_id = ?', [sink, runId]);
}

/** Sees to it that nobody offers it again within `pauseMs`; changes nothing when a later try than `attempt` has begun. */
export async function postponeResult(
  tx: WriteTx,
  sink: string,
  runId: string,
  attempt: number,
  pauseMs: number,
): Promise<void> {
  await tx.sql.run('UPDATE result_outbox SET next_at = ? WHERE sink = ? AND run_id = ? AND tries = ?', [
    tx.now + pauseMs,
    sink,
    runId,
    attempt,
  ]);
}
