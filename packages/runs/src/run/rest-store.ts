import type { WriteTx } from '@palisade/kernel';

/*
 * A run of which nothing is under way and nothing may start is at rest: its owner gives it up and no engine takes
 * it, so it costs nothing however long that lasts. It is left at a control position: every later wish moves the
 * position and so ends the rest, also when the wish and the rest are decided at the same moment. A deadline ends it too.
 */

/** Of an open root run: not at rest, or wished for something since. */
export const IS_AWAKE = '(rest_seq IS NULL OR rest_seq <> control_seq)';

/** Leaves a run at rest until its control position is another than `seq`. */
export async function restRun(tx: WriteTx, id: string, seq: number): Promise<void> {
  await tx.sql.run('UPDATE runs SET rest_seq = ? WHERE id = ?', [seq, id]);
}

/** Ends the rest of every run of a project's queue. */
export async function wakeQueue(tx: WriteTx, project: string, queue: string): Promise<void> {
  await tx.sql.run(
    'UPDATE runs SET rest_seq = NULL WHERE project = ? AND queue = ? AND rest_seq IS NOT NULL AND parent_run_id IS NULL AND finished_at IS NULL',
    [project, queue],
  );
}

/** Records the wish that nothing more of a run starts; false when it is recorded already or the run has ended. */
export async function pauseRoot(
  tx: WriteTx,
  id: string,
  by: string,
  reason: string | null,
): Promise<boolean> {
  return (
    (await tx.sql.run(
      `UPDATE runs SET paused_at = ?, paused_by = ?, pause_reason = ?, control_seq = control_seq + 1
       WHERE id = ? AND finished_at IS NULL AND paused_at IS NULL`,
      [tx.now, by, reason, id],
    )) === 1
  );
}

/** Takes that wish back; false when there was none or the run has ended. */
export async function resumeRoot(tx: WriteTx, id: string): Promise<boolean> {
  return (
    (await tx.sql.run(
      `UPDATE runs SET paused_at = NULL, paused_by = NULL, pause_reason = NULL, control_seq = control_seq + 1
       WHERE id = ? AND finished_at IS NULL AND paused_at IS NOT NULL`,
      [id],
    )) === 1
  );
}
