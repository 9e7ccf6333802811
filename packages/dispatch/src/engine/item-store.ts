import { ITEM_STATES, type ItemState, PalisadeError, type ProductFacts } from '@palisade/contracts';
import type { ReadTx, SqlRow, SqlValue, WriteTx } from '@palisade/kernel';
import type { ItemFacts } from './item-facts.ts';

/** Rows inserted per statement: few enough that both databases accept the number of parameters. */
const INSERT_ROWS = 100;

/** Inserts items in their initial state, the first of them at `first`. */
export async function insertItems(
  tx: WriteTx,
  runId: string,
  ids: readonly string[],
  first = 0,
): Promise<void> {
  for (let start = 0; start < ids.length; start += INSERT_ROWS) {
    const rows = ids.slice(start, start + INSERT_ROWS);
    const params: SqlValue[] = [];
    rows.forEach((id, i) => params.push(runId, first + start + i, id));
    await tx.sql.run(
      `INSERT INTO plan_items (run_id, ordinal, item_id, state, attempt, failures, lost) VALUES ${rows.map(() => "(?, ?, ?, 'pending', 0, 0, 0)").join(', ')}`,
      params,
    );
  }
}

/** Items from an ordinal on that have left their initial state, by ordinal. */
export async function loadItems(tx: ReadTx, runId: string, from = 0): Promise<Map<number, ItemFacts>> {
  const rows = await tx.sql.all(
    `SELECT ordinal, state, attempt, failures, lost, child_run_id, next_attempt_at, product, settled_by, growth_fault FROM plan_items
     WHERE run_id = ? AND ordinal >= ? AND (attempt > 0 OR state <> 'pending' OR settled_by IS NOT NULL)`,
    [runId, from],
  );
  return new Map(rows.map((row) => [Number(row['ordinal']), itemFacts(row)]));
}

/** The item is about to be carried out: state, attempt and child run in one write, guarded by the state it leaves. */
export async function markFired(
  tx: WriteTx,
  runId: string,
  ordinal: number,
  attempt: number,
  childRunId: string,
): Promise<void> {
  const changed = await tx.sql.run(
    `UPDATE plan_items SET state = 'running', attempt = ?, child_run_id = ?, next_attempt_at = NULL, started_at = COALESCE(started_at, ?)
     WHERE run_id = ? AND ordinal = ? AND state IN ('pending', 'ready')`,
    [attempt, childRunId, tx.now, runId, ordinal],
  );
  if (changed !== 1)
    throw new PalisadeError(
      'lease_conflict',
      `item ${ordinal} of ${runId} is not in the state its owner believes`,
    );
}

/** A failed attempt that will be tried again. */
export async function markRetrying(
  tx: WriteTx,
  runId: string,
  ordinal: number,
  facts: ItemFacts,
  end: ItemEnd,
): Promise<void> {
  const changed = await tx.sql.run(
    `UPDATE plan_items SET state = 'ready', failures = ?, lost = ?, next_attempt_at = ?, code = ?, reason = ?
     WHERE run_id = ? AND ordinal = ? AND state = 'running'`,
    [facts.failures, facts.lost, facts.nextAttemptAt, end.code, end.reason, runId, ordinal],
  );
  if (changed !== 1) throw new PalisadeError('lease_conflict', `item ${ordinal} of ${runId} is not running`);
}

/** The item waits for a person: its attempt, if it had one, is over, and none is under way. */
export async function markWaiting(
  tx: WriteTx,
  runId: string,
  ordinal: number,
  facts: ItemFacts,
): Promise<void> {
  const changed = await tx.sql.run(
    `UPDATE plan_items SET state = 'needs_input', attempt = ?, child_run_id = ?, failures = ?, lost = ?, next_attempt_at = NULL,
       code = NULL, reason = NULL, started_at = COALESCE(started_at, ?)
     WHERE run_id = ? AND ordinal = ? AND state IN ('pending', 'ready', 'running')`,
    [facts.attempt, facts.childRunId, facts.failures, facts.lost, tx.now, runId, ordinal],
  );
  if (changed !== 1)
    throw new PalisadeError(
      'lease_conflict',
      `item ${ordinal} of ${runId} is not in the state its owner believes`,
    );
}

/** A person answered its question. */
export async function markAnswered(tx: WriteTx, runId: string, ordinal: number): Promise<void> {
  const changed = await tx.sql.run(
    `UPDATE plan_items SET state = 'ready' WHERE run_id = ? AND ordinal = ? AND state = 'needs_input'`,
    [runId, ordinal],
  );
  if (changed !== 1) throw new PalisadeError('lease_conflict', `item ${ordinal} of ${runId} asks nothing`);
}

export interface ItemEnd {
  readonly code: string | null;
  readonly reason: string | null;
}

/** The item's one end (EX-089): `lease_conflict` when it had already ended. */
export async function markEnded(
  tx: WriteTx,
  runId: string,
  ordinal: number,
  facts: ItemFacts,
  end: ItemEnd,
): Promise<void> {
  const changed = await tx.sql.run(
    `UPDATE plan_items SET state = ?, failures = ?, lost = ?, finished_at = ?, code = ?, reason = ?, product = ?
     WHERE run_id = ? AND ordinal = ? AND finished_at IS NULL`,
    [
      facts.state,
      facts.failures,
      facts.lost,
      tx.now,
      end.code,
      end.reason,
      facts.product === null ? null : JSON.stringify(facts.product),
      runId,
      ordinal,
    ],
  );
  if (changed !== 1)
    throw new PalisadeError('lease_conflict', `item ${ordinal} of ${runId} has already ended`);
}

export async function requestItemCancel(tx: WriteTx, runId: string, itemId: string): Promise<boolean> {
  return (
    (await tx.sql.run(
      'UPDATE plan_items SET cancel_requested_at = ? WHERE run_id = ? AND item_id = ? AND finished_at IS NULL AND cancel_requested_at IS NULL',
      [tx.now, runId, itemId],
    )) === 1
  );
}

/** Ordinals of unfinished items somebody wants stopped. */
export async function itemCancels(tx: ReadTx, runId: string): Promise<number[]> {
  const rows = await tx.sql.all<{ ordinal: number }>(
    'SELECT ordinal FROM plan_items WHERE run_id = ? AND cancel_requested_at IS NOT NULL AND finished_at IS NULL',
    [runId],
  );
  return rows.map((row) => row.ordinal);
}

/** Another item's good end counts instead of this one's. */
export async function markSettled(tx: WriteTx, runId: string, itemId: string, by: string): Promise<void> {
  await tx.sql.run('UPDATE plan_items SET settled_by = ? WHERE run_id = ? AND item_id = ?', [
    by,
    runId,
    itemId,
  ]);
}

/** The run could not grow as this item wanted. */
export async function markGrowthFault(
  tx: WriteTx,
  runId: string,
  ordinal: number,
  fault: string,
): Promise<void> {
  await tx.sql.run('UPDATE plan_items SET growth_fault = ? WHERE run_id = ? AND ordinal = ?', [
    fault,
    runId,
    ordinal,
  ]);
}

function optionalText(value: SqlValue | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

function itemFacts(row: SqlRow): ItemFacts {
  const state: ItemState | undefined = ITEM_STATES.find((known) => known === row['state']);
  if (state === undefined) throw new PalisadeError('internal', `unknown item state ${String(row['state'])}`);
  const product = row['product'];
  return {
    state,
    attempt: Number(row['attempt']),
    failures: Number(row['failures']),
    lost: Number(row['lost']),
    childRunId: optionalText(row['child_run_id']),
    nextAttemptAt: Number(row['next_attempt_at'] ?? 0),
    product: typeof product === 'string' ? (JSON.parse(product) as ProductFacts) : null,
    settledBy: optionalText(row['settled_by']),
    growthFault: optionalText(row['growth_fault']),
  };
}
