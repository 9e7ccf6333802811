import { toPalisadeError, type Trouble, truncateText } from '@palisade/contracts';
import type { ReadTx, SqlRow, WriteTx } from '@palisade/kernel';

/*
 * What keeps a run, or one item of it, from going on (FF-057). Engines try again for ever, which is
 * right, and must not be silent: whoever asks why nothing moves gets the reason and since when. A row
 * appears with the first failed try and goes with the first that succeeds. It is no part of the
 * ledger: it says how things are now.
 */

/** Longest message kept. */
const MESSAGE_CHARS = 4_000;

/** The item of a trouble that is the whole run's. */
const WHOLE_RUN = '';

/** Records one more failed try; `item` is null when it is the run itself that cannot go on. */
export async function noteTrouble(
  tx: WriteTx,
  runId: string,
  item: string | null,
  error: unknown,
): Promise<void> {
  const { code, message } = worded(error);
  await tx.sql.run(
    `INSERT INTO run_troubles (run_id, item_id, since, at, code, message) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (run_id, item_id) DO UPDATE SET at = excluded.at, code = excluded.code, message = excluded.message`,
    [runId, item ?? WHOLE_RUN, tx.now, tx.now, code, message],
  );
}

/** The run or these items of it went on. */
export async function clearTroubles(
  tx: WriteTx,
  runId: string,
  items: Iterable<string | null>,
): Promise<void> {
  for (const item of items)
    await tx.sql.run('DELETE FROM run_troubles WHERE run_id = ? AND item_id = ?', [runId, item ?? WHOLE_RUN]);
}

/** The run has ended: nothing keeps it any more. */
export async function clearRunTroubles(tx: WriteTx, runId: string): Promise<void> {
  await tx.sql.run('DELETE FROM run_troubles WHERE run_id = ?', [runId]);
}

/** Troubles of a run by item; null, the first, for the run's own. */
export async function troublesOf(tx: ReadTx, runId: string): Promise<Map<string | null, Trouble>> {
  const rows = await tx.sql.all(
    'SELECT item_id, since, at, code, message FROM run_troubles WHERE run_id = ? ORDER BY item_id',
    [runId],
  );
  return new Map(
    rows.map((row) => [row['item_id'] === WHOLE_RUN ? null : String(row['item_id']), trouble(row)]),
  );
}

function trouble(row: SqlRow): Trouble {
  return {
    since: Number(row['since']),
    at: Number(row['at']),
    code: String(row['code']),
    message: String(row['message']),
  };
}

function worded(error: unknown): { readonly code: string; readonly message: string } {
  const { code, message, why } = toPalisadeError(error);
  // It may quote what a worker or a program wrote.
  return { code, message: truncateText(why === undefined ? message : `${message}: ${why}`, MESSAGE_CHARS) };
}
