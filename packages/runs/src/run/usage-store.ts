import { type BudgetBreach, type BudgetFacts, NOTHING_SPENT, type Spent } from '@palisade/contracts';
import type { ReadTx, SqlRow, WriteTx } from '@palisade/kernel';
import { number, text } from './run-row.ts';

/** What the attempts of one item used, and what those under way may still cost. */
export interface ItemSpent {
  readonly itemId: string;
  readonly spent: Spent;
  readonly reservedMicroUsd: number;
}

/** A sum that stays an exact integer, whatever agents reported. */
function total(amount: string): string {
  const most = Number.MAX_SAFE_INTEGER;
  return `CAST(CASE WHEN COALESCE(SUM(${amount}), 0) > ${most} THEN ${most} ELSE COALESCE(SUM(${amount}), 0) END AS BIGINT)`;
}

/** What a run's attempts used, item by item: read from the attempts themselves, so nothing is counted twice. */
export async function spentByItem(tx: ReadTx, rootRunId: string): Promise<ItemSpent[]> {
  const rows = await tx.sql.all(
    `SELECT item_id, CAST(COUNT(*) AS BIGINT) AS attempts,
       ${total('CASE WHEN finished_at IS NULL THEN 0 ELSE cost_micro_usd END')} AS cost,
       ${total('tokens')} AS tokens,
       ${total('run_ms')} AS run_ms,
       CAST(SUM(CASE WHEN finished_at IS NOT NULL AND cost_micro_usd IS NULL THEN 1 ELSE 0 END) AS BIGINT) AS no_cost,
       CAST(SUM(CASE WHEN finished_at IS NOT NULL AND tokens IS NULL THEN 1 ELSE 0 END) AS BIGINT) AS no_tokens,
       ${total('CASE WHEN finished_at IS NULL THEN reserved_micro_usd ELSE 0 END')} AS reserved
     FROM runs WHERE parent_run_id = ? AND kind <> 'approval' GROUP BY item_id`,
    [rootRunId],
  );
  return rows.map((row) => ({
    itemId: text(row, 'item_id'),
    reservedMicroUsd: number(row, 'reserved'),
    spent: spentOf(row),
  }));
}

function spentOf(row: SqlRow): Spent {
  return {
    cost_micro_usd: number(row, 'cost'),
    tokens: number(row, 'tokens'),
    run_ms: number(row, 'run_ms'),
    attempts: number(row, 'attempts'),
    unknown_cost: number(row, 'no_cost'),
    unknown_tokens: number(row, 'no_tokens'),
  };
}

/** What all of them used together. */
export function sumOf(items: readonly { readonly spent: Spent }[]): Spent {
  const sum = { ...NOTHING_SPENT };
  for (const { spent } of items)
    for (const meter of Object.keys(sum) as (keyof Spent)[])
      sum[meter] = Math.min(sum[meter] + spent[meter], Number.MAX_SAFE_INTEGER);
  return sum;
}

/** Writes the sums of a run where they are shown from. */
export async function putSpent(tx: WriteTx, id: string, spent: Spent): Promise<void> {
  await tx.sql.run('UPDATE runs SET spent = ? WHERE id = ?', [JSON.stringify(spent), id]);
}

/** Records the limit that ends a run; from here on its limits cannot be changed. */
export async function putBreach(tx: WriteTx, id: string, breach: BudgetBreach): Promise<void> {
  await tx.sql.run('UPDATE runs SET breach = ? WHERE id = ?', [JSON.stringify(breach), id]);
}

/** Changes the limits of a run under way and tells its owner; false when it has ended or a limit has ended it. */
export async function putBudget(tx: WriteTx, id: string, budget: BudgetFacts): Promise<boolean> {
  return (
    (await tx.sql.run(
      'UPDATE runs SET budget = ?, control_seq = control_seq + 1 WHERE id = ? AND finished_at IS NULL AND breach IS NULL',
      [JSON.stringify(budget), id],
    )) === 1
  );
}

/** What attempts that ended have in common: one row of {@link usageBy}. */
export interface UsageRow extends Spent {
  /** Null where it is not known. */
  readonly key: string | null;
}

const KEYS = { agent: 'agent', model: 'model', queue: 'queue', actor: 'actor' } as const;

/** What a project's attempts used that ended at or after `since` (protected ms), by one of their traits, dearest first. */
export async function usageBy(
  tx: ReadTx,
  project: string,
  by: keyof typeof KEYS,
  since: number,
): Promise<UsageRow[]> {
  const rows = await tx.sql.all(
    `SELECT ${KEYS[by]} AS trait, CAST(COUNT(*) AS BIGINT) AS attempts,
       ${total('cost_micro_usd')} AS cost,
       ${total('tokens')} AS tokens, ${total('run_ms')} AS run_ms,
       CAST(SUM(CASE WHEN cost_micro_usd IS NULL THEN 1 ELSE 0 END) AS BIGINT) AS no_cost,
       CAST(SUM(CASE WHEN tokens IS NULL THEN 1 ELSE 0 END) AS BIGINT) AS no_tokens
     FROM runs WHERE project = ? AND parent_run_id IS NOT NULL AND kind <> 'approval' AND finished_at IS NOT NULL AND finished_at >= ?
     GROUP BY ${KEYS[by]} ORDER BY 3 DESC, 4 DESC, 1`,
    [project, since],
  );
  return rows.map((row) => ({
    key: row['trait'] === null ? null : text(row, 'trait'),
    ...spentOf(row),
  }));
}
