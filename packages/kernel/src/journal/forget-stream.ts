import type { WriteTx } from '../database/database.ts';

const DELETE_EVENTS = `DELETE FROM kernel_events WHERE stream = ? AND seq IN
  (SELECT seq FROM kernel_events WHERE stream = ? ORDER BY seq LIMIT ?)`;
const DELETE_HEAD = 'DELETE FROM kernel_streams WHERE stream = ?';

/**
 * Forgets a stream whose retention is over, at most `limit` events a call, so that a unit of work stays
 * short; true once nothing is left. Whatever the stream was about must be unreachable already: a reader in
 * between sees a ledger without its beginning. Its name must never be used again.
 */
export async function forgetStream(tx: WriteTx, stream: string, limit: number): Promise<boolean> {
  if ((await tx.sql.run(DELETE_EVENTS, [stream, stream, limit])) === limit) return false;
  await tx.sql.run(DELETE_HEAD, [stream]);
  return true;
}
