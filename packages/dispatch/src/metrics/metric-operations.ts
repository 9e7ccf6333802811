import {
  AttemptOutcomeValue,
  bindOperation,
  type BoundOperation,
  DURATION_BUCKETS,
  getMetrics,
  type Metric,
  metricBy,
  type MetricFamily,
  metricFamily,
  metricOf,
  METRICS,
  RUN_STATES,
  RUN_TERMINAL,
} from '@palisade/contracts';
import { type Database, NearClock, type ReadTx } from '@palisade/kernel';
import { readQueues } from '../flow/queue-limits.ts';
import { DURATION_SUM } from './count-events.ts';
import { type Counted, readCounts } from './metric-store.ts';

/** Figures of somebody else's tables, read in the same snapshot. */
export type MoreFigures = (tx: ReadTx) => Promise<readonly MetricFamily[]>;

/** Figures for machines (DI-180, EX-216), all of one moment. What it costs does not depend on the runs that have ended. */
export function metricOperations(database: Database, ...more: readonly MoreFigures[]): BoundOperation[] {
  const clock = new NearClock(database);
  return [
    bindOperation(getMetrics, async () => {
      // On a full disk the clock cannot be asked, and figures are wanted all the more.
      const now = database.isReadOnly ? Date.now() : await clock.now();
      const skew = Math.abs(now - Date.now()) / 1_000;
      return database.read(async (tx) => {
        const counted = await readCounts(tx);
        // Of every project together: figures tell of no project (EX-216).
        const queues = [...new Set((await readQueues(tx)).map(({ name }) => name))];
        const waiting = await queuesWithItems(tx);
        const perQueue = (metric: Metric, sizeOf: (queue: string) => number | undefined): MetricFamily =>
          metricBy(metric, 'queue', queues, (queue) => sizeOf(queue) ?? 0);
        const busy = await running(tx);
        const open = await openRuns(tx);
        const others = [];
        for (const figures of more) others.push(...(await figures(tx)));
        return {
          data: [
            metricOf('dispatch_started', counted('dispatch_started')),
            byLabel(counted, 'dispatch_completed', 'outcome', AttemptOutcomeValue.options),
            histogram(counted),
            metricOf('deadline_exceeded', counted('deadline_exceeded')),
            metricOf('items_retried', counted('items_retried')),
            metricOf('items_skipped', counted('items_skipped')),
            byLabel(counted, 'runs_completed', 'status', [...RUN_TERMINAL]),
            perQueue('queue_depth', (queue) => waiting.get(queue)?.items),
            perQueue('queue_oldest', (queue) => ageOf(waiting.get(queue)?.oldest, now)),
            perQueue('running', (queue) => busy.get(queue)),
            metricBy('runs', 'state', OPEN_STATES, (state) => open.get(state) ?? 0),
            metricOf('clock_skew', skew),
            metricOf('audit_unsealed', await unsealed(tx)),
            ...others,
          ],
        };
      });
    }),
  ];
}

const OPEN_STATES = RUN_STATES.filter((state) => !RUN_TERMINAL.has(state));

function ageOf(since: number | undefined, now: number): number | undefined {
  return since === undefined ? undefined : Math.max(0, now - since) / 1_000;
}

function byLabel(counted: Counted, metric: Metric, label: string, values: readonly string[]): MetricFamily {
  return metricBy(metric, label, values, (value) => counted(metric, value));
}

function histogram(counted: Counted): MetricFamily {
  const [name] = METRICS.dispatch_duration;
  let count = 0;
  const buckets = [...DURATION_BUCKETS.map(String), '+Inf'].map((le) => {
    count += counted('dispatch_duration', le);
    return { name: `${name}_bucket`, labels: { le }, value: count };
  });
  const sum = counted('dispatch_duration', DURATION_SUM) / 1000;
  return metricFamily('dispatch_duration', [
    ...buckets,
    { name: `${name}_sum`, labels: {}, value: sum },
    { name: `${name}_count`, labels: {}, value: count },
  ]);
}

/** Items that have yet to start, and when the oldest run was submitted that has one, by queue. */
async function queuesWithItems(
  tx: ReadTx,
): Promise<Map<string, { readonly items: number; readonly oldest: number }>> {
  const rows = await tx.sql.all<{ queue: string; items: number; oldest: number }>(
    `SELECT r.queue, CAST(COUNT(*) AS BIGINT) AS items, MIN(r.submitted_at) AS oldest
     FROM runs r JOIN plan_items i ON i.run_id = r.id
     WHERE r.parent_run_id IS NULL AND r.finished_at IS NULL AND i.state IN ('pending', 'ready') GROUP BY r.queue`,
  );
  return new Map(rows.map((row) => [row.queue, row]));
}

async function running(tx: ReadTx): Promise<Map<string, number>> {
  const rows = await tx.sql.all<{ queue: string; n: number }>(
    'SELECT queue, CAST(SUM(used) AS BIGINT) AS n FROM queue_usage GROUP BY queue',
  );
  return new Map(rows.map(({ queue, n }) => [queue, n]));
}

async function openRuns(tx: ReadTx): Promise<Map<string, number>> {
  const rows = await tx.sql.all<{ state: string; n: number }>(
    `SELECT state, CAST(COUNT(*) AS BIGINT) AS n FROM runs
     WHERE parent_run_id IS NULL AND finished_at IS NULL GROUP BY state`,
  );
  return new Map(rows.map(({ state, n }) => [state, n]));
}

async function unsealed(tx: ReadTx): Promise<number> {
  const row = await tx.sql.get<{ n: number }>(
    'SELECT COUNT(*) AS n FROM runs WHERE parent_run_id IS NULL AND finished_at IS NOT NULL AND sealed_at IS NULL',
  );
  return row?.n ?? 0;
}
