import { rmSync } from 'node:fs';
import type { MemoryDatabase } from '../store/memory-database.ts';
import { ownedLog } from './owned/owned-log.ts';

/** How long what is over is kept. */
const KEPT_MS = 30 * 86_400_000;

/**
 * Removes what has been over for 30 days: answers to keys, ended claims, manifests that nobody renewed, ended runs with
 * their logs beside the database, and sessions that nothing is left of. Within a transaction of the writer.
 */
export function dropOld(database: MemoryDatabase, now: number): void {
  const before = now - KEPT_MS;
  database.run('DELETE FROM answers WHERE at < ?', before);
  database.run(`DELETE FROM claims WHERE status <> 'active' AND released_at < ?`, before);
  database.run('DELETE FROM manifests WHERE updated_at < ?', before);
  const runs = database.all<{ id: string; log: string }>(
    'SELECT id, log FROM owned WHERE ended_at < ?',
    before,
  );
  for (const { id, log } of runs) {
    // What was named by --log is the user's.
    if (log === ownedLog(database, id))
      for (const suffix of ['', '.1']) rmSync(`${log}${suffix}`, { force: true });
    database.run('DELETE FROM owned WHERE id = ?', id);
  }
  database.run(
    `DELETE FROM sessions WHERE id NOT IN (
       SELECT session FROM manifests UNION SELECT session FROM claims UNION SELECT from_session FROM handoffs
       UNION SELECT to_session FROM handoffs WHERE to_session IS NOT NULL
       UNION SELECT accepted_by FROM handoffs WHERE accepted_by IS NOT NULL)
     AND NOT (provider = 'owned' AND session_id IN (SELECT id FROM owned))`,
  );
}
