import { runStream } from '@palisade/contracts';
import { forgetStream, type ReadTx, type WriteTx } from '@palisade/kernel';
import { removeRefs } from '../run/product-refs.ts';

/** Of a root run `r`: sealed, and ended at or before a moment, or so long ago that its own plan lets it go now. */
const DUE = `r.parent_run_id IS NULL AND r.sealed_at IS NOT NULL AND r.retired_at IS NULL
  AND (r.finished_at <= ? OR r.finished_at + r.keep_ms <= ?)`;
/** Before any run ended. */
const NEVER = -1;
const RETIRE = `UPDATE runs SET retired_at = ? WHERE id IN
  (SELECT r.id FROM runs r WHERE ${DUE} ORDER BY r.finished_at LIMIT ?)`;
const DELETE_ATTEMPTS = `DELETE FROM runs WHERE id IN (SELECT id FROM runs WHERE parent_run_id = ? LIMIT ?)`;
const DELETE_PARTS = `DELETE FROM run_parts WHERE run_id = ? AND seq IN
  (SELECT seq FROM run_parts WHERE run_id = ? LIMIT ?)`;
const DELETE_DOCUMENTS = `DELETE FROM documents WHERE run_id = ? AND ref IN
  (SELECT ref FROM documents WHERE run_id = ? LIMIT ?)`;
const EMPTY = `UPDATE runs SET plan_ref = NULL, base = NULL, settings = NULL, request_hash = NULL, title = '', reason = NULL,
  cancel_reason = NULL WHERE id = ? AND retired_at IS NOT NULL`;

/*
 * How a run's data go (DI-082). Retired in one statement, the run is out of everybody's sight at once; what
 * it consisted of is removed afterwards in small units of work, which may stop anywhere and be taken up by
 * any process. Its leaf stays in the log, so the log stays whole; its row stays, emptied, so that its id is
 * never given to another run.
 */

/**
 * Retires sealed runs that ended at or before `endedBefore` (protected ms; null: none for that), or that their
 * own plans keep no longer, at most `limit`; returns how many.
 */
export function retireRuns(tx: WriteTx, endedBefore: number | null, limit: number): Promise<number> {
  return tx.sql.run(RETIRE, [tx.now, endedBefore ?? NEVER, tx.now, limit]);
}

/** How many runs {@link retireRuns} would retire in all at `now`. */
export async function countDueRuns(tx: ReadTx, endedBefore: number | null, now: number): Promise<number> {
  const row = await tx.sql.get<{ n: number }>(`SELECT COUNT(*) AS n FROM runs r WHERE ${DUE}`, [
    endedBefore ?? NEVER,
    now,
  ]);
  return row?.n ?? 0;
}

/** True when the id belonged to a run that was retired: it is not to be used again. */
export async function isRetired(tx: ReadTx, id: string): Promise<boolean> {
  return (
    (await tx.sql.get('SELECT id FROM runs WHERE id = ? AND retired_at IS NOT NULL', [id])) !== undefined
  );
}

/** A retired run of which something is left. */
export async function nextRetired(tx: ReadTx): Promise<string | null> {
  const row = await tx.sql.get<{ id: string }>(
    'SELECT id FROM runs WHERE retired_at IS NOT NULL AND plan_ref IS NOT NULL ORDER BY id LIMIT 1',
  );
  return row?.id ?? null;
}

/** Removes events, attempts, references and documents of a retired run, at most `limit` rows; true once none is left. */
export async function removeParts(tx: WriteTx, runId: string, limit: number): Promise<boolean> {
  if (!(await forgetStream(tx, runStream(runId), limit))) return false;
  if (!(await removeRefs(tx, runId, limit))) return false;
  if ((await tx.sql.run(DELETE_ATTEMPTS, [runId, limit])) === limit) return false;
  if ((await tx.sql.run(DELETE_PARTS, [runId, runId, limit])) === limit) return false;
  return (await tx.sql.run(DELETE_DOCUMENTS, [runId, runId, limit])) < limit;
}

/** Empties the row of a retired run of which nothing else is left. */
export async function emptyRun(tx: WriteTx, runId: string): Promise<void> {
  await tx.sql.run(EMPTY, [runId]);
}
