import { rmSync } from 'node:fs';
import type { MemoryDatabase } from '../store/memory-database.ts';
import { ownedLog } from './owned/owned-log.ts';

/** How long what is over is kept. */
const KEPT_MS = 30 * 86_400_000;

/**
 * Removes what has been over for 30 days: answers to keys, ended claims, accepted handoffs, requests that nothing can become of any
 * more, closed gates, manifests that nobody renewed, ended runs with their logs beside the database, and sessions that nothing is
 * left of. Closed reviews of a repository stay: they are decisions about it (D-06). Within a transaction of the writer.
 */
export function dropOld(database: MemoryDatabase, now: number): void {
  const before = now - KEPT_MS;
  database.run('DELETE FROM answers WHERE at < ?', before);
  database.run(`DELETE FROM claims WHERE status <> 'active' AND released_at < ?`, before);
  database.run('DELETE FROM handoffs WHERE accepted_at < ?', before);
  database.run(
    `DELETE FROM authority WHERE (status = 'denied' AND decided_at < ?) OR (status = 'dispatched' AND dispatched_at < ?)`,
    before,
    before,
  );
  database.run('DELETE FROM gates WHERE closed_at < ?', before);
  database.run('DELETE FROM attestations WHERE gate NOT IN (SELECT id FROM gates)');
  database.run('DELETE FROM reviews WHERE closed_at < ? AND repository IS NULL', before);
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
