import { metricBy, type MetricFamily } from '@palisade/contracts';
import type { ReadTx } from '../database/database.ts';

const STATUSES = ['queued', 'running', 'completed', 'dead'] as const;

/** Durable jobs by status (EX-216). */
export async function jobFigures(tx: ReadTx): Promise<MetricFamily[]> {
  const rows = await tx.sql.all<{ status: string; n: number }>(
    'SELECT status, CAST(COUNT(*) AS BIGINT) AS n FROM kernel_jobs GROUP BY status',
  );
  const counted = new Map(rows.map(({ status, n }) => [status, n]));
  return [metricBy('jobs', 'status', STATUSES, (status) => counted.get(status) ?? 0)];
}
