import type { ReadTx, WriteTx } from '@palisade/kernel';
import type { RootRun } from '@palisade/runs';

/*
 * Resource locks (DI-171). Keys are a project's, across its runs and queues. An item takes all its keys or
 * none. Whoever cannot have them at once draws one ticket and stands with it in the line of every
 * key; it is served when no key is held and it is first in all its lines.
 *
 * No starvation: later items cannot pass a waiting one at any of its keys. No deadlock: only running
 * items hold keys, they never wait, and the smallest ticket of all is first in every line it is in.
 */

type RunOf = Pick<RootRun, 'id' | 'project'>;

/** Takes all keys for an item, or none. An item that has a ticket passes it in. */
export async function acquireLocks(
  tx: WriteTx,
  { id: runId, project }: RunOf,
  itemId: string,
  keys: readonly string[],
  ticket: number | null,
): Promise<boolean> {
  const marks = keys.map(() => '?').join(', ');
  const held = await tx.sql.get<{ n: number }>(
    `SELECT COUNT(*) AS n FROM lock_holds WHERE project = ? AND lock_key IN (${marks})`,
    [project, ...keys],
  );
  if (held === undefined || held.n > 0) return false;
  const ahead =
    ticket === null
      ? await tx.sql.get<{ n: number }>(
          `SELECT COUNT(*) AS n FROM lock_waiters WHERE project = ? AND lock_key IN (${marks}) AND NOT (run_id = ? AND item_id = ?)`,
          [project, ...keys, runId, itemId],
        )
      : await tx.sql.get<{ n: number }>(
          `SELECT COUNT(*) AS n FROM lock_waiters WHERE project = ? AND lock_key IN (${marks}) AND ticket < ? AND NOT (run_id = ? AND item_id = ?)`,
          [project, ...keys, ticket, runId, itemId],
        );
  if (ahead === undefined || ahead.n > 0) return false;
  if (ticket !== null)
    await tx.sql.run('DELETE FROM lock_waiters WHERE run_id = ? AND item_id = ?', [runId, itemId]);
  for (const key of keys) {
    await tx.sql.run(
      'INSERT INTO lock_holds (project, lock_key, run_id, item_id, since) VALUES (?, ?, ?, ?, ?)',
      [project, key, runId, itemId, tx.now],
    );
  }
  return true;
}

/** Puts an item at the end of every line it needs, with one ticket. */
export async function enqueueForLocks(
  tx: WriteTx,
  { id: runId, project }: RunOf,
  itemId: string,
  keys: readonly string[],
): Promise<number> {
  const last = await tx.sql.get<{ ticket: number | null }>('SELECT MAX(ticket) AS ticket FROM lock_waiters');
  const ticket = (last?.ticket ?? 0) + 1;
  for (const key of keys) {
    await tx.sql.run(
      'INSERT INTO lock_waiters (project, lock_key, ticket, run_id, item_id) VALUES (?, ?, ?, ?, ?)',
      [project, key, ticket, runId, itemId],
    );
  }
  return ticket;
}

/** Gives up what an item holds and the places it stands at. */
export async function releaseLocks(tx: WriteTx, runId: string, itemId: string): Promise<void> {
  await tx.sql.run('DELETE FROM lock_holds WHERE run_id = ? AND item_id = ?', [runId, itemId]);
  await tx.sql.run('DELETE FROM lock_waiters WHERE run_id = ? AND item_id = ?', [runId, itemId]);
}

/** Gives up everything a run holds or waits for; called in the unit of work that ends the run. */
export async function releaseRunLocks(tx: WriteTx, runId: string): Promise<void> {
  await tx.sql.run('DELETE FROM lock_holds WHERE run_id = ?', [runId]);
  await tx.sql.run('DELETE FROM lock_waiters WHERE run_id = ?', [runId]);
}

/** Gives up all places of a run in lines; what it holds it keeps. */
export async function leaveLines(tx: WriteTx, runId: string): Promise<void> {
  await tx.sql.run('DELETE FROM lock_waiters WHERE run_id = ?', [runId]);
}

/** A run's places in lines: item id to ticket. */
export async function waitingTickets(tx: ReadTx, runId: string): Promise<Map<string, number>> {
  const rows = await tx.sql.all<{ item_id: string; ticket: number }>(
    'SELECT DISTINCT item_id, ticket FROM lock_waiters WHERE run_id = ?',
    [runId],
  );
  return new Map(rows.map((row) => [row.item_id, row.ticket]));
}

/** Who holds each of these keys now; a key that only somebody else waits for first is not among them. */
export async function lockHolders(
  tx: ReadTx,
  project: string,
  keys: readonly string[],
): Promise<Map<string, { readonly runId: string; readonly itemId: string }>> {
  const holders = new Map<string, { readonly runId: string; readonly itemId: string }>();
  if (keys.length === 0) return holders;
  const marks = keys.map(() => '?').join(', ');
  const rows = await tx.sql.all<{ lock_key: string; run_id: string; item_id: string }>(
    `SELECT lock_key, run_id, item_id FROM lock_holds WHERE project = ? AND lock_key IN (${marks})`,
    [project, ...keys],
  );
  for (const row of rows) holders.set(row.lock_key, { runId: row.run_id, itemId: row.item_id });
  return holders;
}
