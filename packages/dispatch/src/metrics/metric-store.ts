import type { Metric } from '@palisade/contracts';
import type { ReadTx, SqlValue, WriteTx } from '@palisade/kernel';

/** What is added to which counter: amounts by metric and label. */
export class Counts {
  readonly #amounts = new Map<string, { readonly metric: Metric; readonly label: string; amount: number }>();

  add(metric: Metric, label = '', amount = 1): void {
    const key = `${metric} ${label}`;
    const known = this.#amounts.get(key);
    if (known === undefined) this.#amounts.set(key, { metric, label, amount });
    else known.amount += amount;
  }

  /** In one order everywhere: two transactions that write the same rows wait for each other, and never both. */
  get sorted(): readonly { readonly metric: Metric; readonly label: string; readonly amount: number }[] {
    return [...this.#amounts].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, count]) => count);
  }
}

/** Adds amounts to the stored ones. */
export async function putCounts(tx: WriteTx, counts: Counts, shard: number): Promise<void> {
  const rows = counts.sorted;
  if (rows.length === 0) return;
  await tx.sql.run(
    `INSERT INTO metric_counts (metric, label, shard, value) VALUES ${rows.map(() => '(?, ?, ?, ?)').join(', ')}
     ON CONFLICT (metric, label, shard) DO UPDATE SET value = metric_counts.value + excluded.value`,
    rows.flatMap(({ metric, label, amount }): SqlValue[] => [metric, label, shard, amount]),
  );
}

/** The stored amount of a metric and label; 0 of what never happened. */
export type Counted = (metric: Metric, label?: string) => number;

export async function readCounts(tx: ReadTx): Promise<Counted> {
  const rows = await tx.sql.all<{ metric: string; label: string; value: number }>(
    'SELECT metric, label, CAST(SUM(value) AS BIGINT) AS value FROM metric_counts GROUP BY metric, label',
  );
  const values = new Map(rows.map(({ metric, label, value }) => [`${metric} ${label}`, value]));
  return (metric, label = '') => values.get(`${metric} ${label}`) ?? 0;
}
