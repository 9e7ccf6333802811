import { pauseRoot, runStream } from '@palisade/runs';
import type { WriteTx } from '@palisade/kernel';

/** Of how many it was. */
export interface HeldWork {
  readonly runs: number;
  readonly schedules: number;
}

/**
 * Lets nothing begin in an installation that was restored from a snapshot (AC-277): what its runs and schedules did after the snapshot is
 * not known there, and happening again it could do harm. Every run that had not ended is paused and every schedule suspended, until a
 * person resumes each; due times that have passed until then are left out.
 */
export async function holdEverything(tx: WriteTx, actor: string, reason: string): Promise<HeldWork> {
  const open = await tx.sql.all<{ id: string }>(
    'SELECT id FROM runs WHERE parent_run_id IS NULL AND finished_at IS NULL ORDER BY id',
  );
  let runs = 0;
  for (const { id } of open) {
    if (!(await pauseRoot(tx, id, actor, reason))) continue;
    await tx.journal.append(runStream(id), 'run.paused', { actor, reason });
    runs++;
  }
  const schedules = await tx.sql.run(
    "UPDATE schedules SET state = 'suspended', reason = ?, next_slot = NULL, try_at = NULL WHERE state = 'enabled'",
    [reason],
  );
  return { runs, schedules };
}
