import { faultPoint } from '@palisade/contracts';
import type { Database } from '@palisade/kernel';
import { removeMessages } from '../channels/channel-store.ts';
import { emptyRun, nextRetired, removeParts, retireRuns } from '@palisade/runs';

/** Rows removed by one unit of work: callers wait for no longer than that takes (FF-084). */
const ROWS = 100;

/**
 * Retires the runs that ended at or before `endedBefore` and those that their plans keep no longer, and removes what retired runs consisted of, also
 * of those an interrupted earlier round left. Returns how many were retired.
 */
export async function retireAndRemove(
  database: Database,
  endedBefore: number | null,
  signal: AbortSignal,
): Promise<number> {
  let retired = 0;
  for (let some = ROWS; some === ROWS; ) {
    signal.throwIfAborted();
    some = await database.write((tx) => retireRuns(tx, endedBefore, ROWS));
    retired += some;
  }
  faultPoint('retire.after-mark');
  for (;;) {
    signal.throwIfAborted();
    const runId = await database.read(nextRetired);
    if (runId === null) return retired;
    await removeRun(database, runId, signal);
  }
}

async function removeRun(database: Database, runId: string, signal: AbortSignal): Promise<void> {
  while (!(await database.write((tx) => removeParts(tx, runId, ROWS)))) signal.throwIfAborted();
  for (let some = ROWS; some === ROWS; ) {
    signal.throwIfAborted();
    some = await database.write((tx) =>
      tx.sql.run(
        `DELETE FROM plan_items WHERE run_id = ? AND ordinal IN
         (SELECT ordinal FROM plan_items WHERE run_id = ? ORDER BY ordinal LIMIT ?)`,
        [runId, runId, ROWS],
      ),
    );
    faultPoint('retire.in-removal');
  }
  while (!(await database.write((tx) => removeMessages(tx, runId, ROWS)))) signal.throwIfAborted();
  await database.write(async (tx) => {
    await tx.sql.run('DELETE FROM item_requests WHERE run_id = ?', [runId]);
    await emptyRun(tx, runId);
  });
}
