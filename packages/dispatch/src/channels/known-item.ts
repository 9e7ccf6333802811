import { ITEM_STATES, type ItemState, PalisadeError } from '@palisade/contracts';
import type { ReadTx } from '@palisade/kernel';

/**
 * The stored state of an item.
 *
 * @throws PalisadeError `not_found` for an item that the run has not
 */
export async function knownItem(tx: ReadTx, runId: string, itemId: string): Promise<ItemState> {
  const row = await tx.sql.get('SELECT state FROM plan_items WHERE run_id = ? AND item_id = ?', [
    runId,
    itemId,
  ]);
  if (row === undefined)
    throw new PalisadeError('not_found', `run ${runId} has no item ${itemId}`, {
      next: `palisade show ${runId}`,
    });
  const state = ITEM_STATES.find((known) => known === row['state']);
  if (state === undefined) throw new PalisadeError('internal', `unknown item state ${String(row['state'])}`);
  return state;
}
