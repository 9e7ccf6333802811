import type { ReadTx } from '@palisade/kernel';
import { IS_AWAKE } from '@palisade/runs';

/**
 * True when a run that has not ended needs an engine before `until` (protected ms): anything goes on in it, something
 * people wished or answered is to be acted on, or time is over by then for it or for what they did not answer. A run
 * that is at rest, and one that only waits for people, needs none.
 */
export async function hasWork(tx: ReadTx, until: number): Promise<boolean> {
  const row = await tx.sql.get(
    `SELECT r.id FROM runs r WHERE r.parent_run_id IS NULL AND r.finished_at IS NULL AND (r.deadline_at <= ? OR (${IS_AWAKE} AND (
       r.state <> 'waiting' OR r.cancel_requested_at IS NOT NULL OR NOT EXISTS (
         SELECT 1 FROM item_requests q WHERE q.run_id = r.id AND q.settled_at IS NULL) OR EXISTS (
         SELECT 1 FROM plan_items i WHERE i.run_id = r.id AND i.finished_at IS NULL AND i.cancel_requested_at IS NOT NULL) OR EXISTS (
         SELECT 1 FROM item_requests q WHERE q.run_id = r.id AND q.settled_at IS NULL
           AND (q.ended_at IS NOT NULL OR q.expires_at <= ?))))) LIMIT 1`,
    [until, until],
  );
  return row !== undefined;
}
