import {
  AttemptOutcomeValue,
  bindOperation,
  type BoundOperation,
  DURATION_BUCKETS,
  getMetrics,
  type Metric,
  type MetricFamily,
  METRICS,
  RUN_TERMINAL,
} from '@palisade/contracts';
import type { Database, ReadTx } from '@palisade/kernel';
import { readQueues } from '../flow/queue-limits.ts';
import { DURATION_SUM } from './count-events.ts';
import { type Counted, readCounts } from './metric-store.ts';

/** Figures for machines (DI-180), all of one moment. What it costs does not depend on the runs that have ended. */
export function metricOperations(database: Database): BoundOperation[] {
  return [
    bindOperation(getMetrics, () =>
      database.read(async (tx) => {
        const counted = await readCounts(tx);
        const queues = await readQueues(tx);
        const perQueue = (metric: Metric, sizes: ReadonlyMap<string, number>): MetricFamily =>
          family(
            metric,
            queues.map(({ project, name }) => ({
              name: METRICS[metric][0],
              labels: { project, queue: name },
              value: sizes.get(`${project}/${name}`) ?? 0,
            })),
          );
        return {
          data: [
            single('dispatch_started', counted('dispatch_started')),
            byLabel(counted, 'dispatch_completed', 'outcome', AttemptOutcomeValue.options),
            histogram(counted),
            single('deadline_exceeded', counted('deadline_exceeded')),
            single('items_retried', counted('items_retried')),
            single('items_skipped', counted('items_skipped')),
            byLabel(counted, 'runs_completed', 'status', [...RUN_TERMINAL]),
            perQueue('queue_depth', await depths(tx)),
            perQueue('running', await running(tx)),
            single('audit_unsealed', await unsealed(tx)),
          ],
        };
      }),
    ),
  ];
}

function family(metric: Metric, samples: MetricFamily['samples']): MetricFamily {
  const [name, type, help] = METRICS[metric];
  return { name, type, help, samples };
}

function single(metric: Metric, value: number): MetricFamily {
  return family(metric, [{ name: METRICS[metric][0], labels: {}, value }]);
}

/** One figure for each value of the metric's label, also where it is 0: a series that appears late hides its first step. */
function labelled(
  metric: Metric,
  label: string,
  values: readonly string[],
  valueOf: (value: string) => number,
): MetricFamily {
  const name = METRICS[metric][0];
  return family(
    metric,
    values.map((value) => ({ name, labels: { [label]: value }, value: valueOf(value) })),
  );
}

function byLabel(counted: Counted, metric: Metric, label: string, values: readonly string[]): MetricFamily {
  return labelled(metric, label, values, (value) => counted(metric, value));
}

function histogram(counted: Counted): MetricFamily {
  const [name] = METRICS.dispatch_duration;
  let count = 0;
  const buckets = [...DURATION_BUCKETS.map(String), '+Inf'].map((le) => {
    count += counted('dispatch_duration', le);
    return { name: `${name}_bucket`, labels: { le }, value: count };
  });
  const sum = counted('dispatch_duration', DURATION_SUM) / 1000;
  return family('dispatch_duration', [
    ...buckets,
    { name: `${name}_sum`, labels: {}, value: sum },
    { name: `${name}_count`, labels: {}, value: count },
  ]);
}

async function depths(tx: ReadTx): Promise<Map<string, number>> {
  return byQueue(
    tx,
    `SELECT r.project, r.queue, CAST(COUNT(*) AS BIGINT) AS n FROM runs r JOIN plan_items i ON i.run_id = r.id
     WHERE r.parent_run_id IS NULL AND r.finished_at IS NULL AND i.state IN ('pending', 'ready') GROUP BY r.project, r.queue`,
  );
}

async function running(tx: ReadTx): Promise<Map<string, number>> {
  return byQueue(
    tx,
    'SELECT project, queue, CAST(SUM(used) AS BIGINT) AS n FROM queue_usage GROUP BY project, queue',
  );
}

/** By `project/queue`: neither name has a slash. */
async function byQueue(tx: ReadTx, sql: string): Promise<Map<string, number>> {
  const rows = await tx.sql.all<{ project: string; queue: string; n: number }>(sql);
  return new Map(rows.map(({ project, queue, n }) => [`${project}/${queue}`, n]));
}

async function unsealed(tx: ReadTx): Promise<number> {
  const row = await tx.sql.get<{ n: number }>(
    'SELECT COUNT(*) AS n FROM runs WHERE parent_run_id IS NULL AND finished_at IS NOT NULL AND sealed_at IS NULL',
  );
  return row?.n ?? 0;
}
