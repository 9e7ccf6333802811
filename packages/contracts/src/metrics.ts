import * as z from 'zod';
import { operation } from './operation.ts';

/** What figures of a family are: a counter only rises, a gauge is as it is now. */
export const METRIC_TYPES = ['counter', 'gauge', 'histogram'] as const;

/** Upper bounds of the classes in which the time of attempts is counted, seconds (DI-180). */
export const DURATION_BUCKETS = [0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200] as const;

/** Every family of figures that machines are offered (DI-180), in the order in which it is shown. */
export const METRICS = {
  dispatch_started: ['palisade_dispatch_started_total', 'counter', 'Attempts that were started.'],
  dispatch_completed: [
    'palisade_dispatch_completed_total',
    'counter',
    'Attempts that ended, by how they ended.',
  ],
  dispatch_duration: [
    'palisade_dispatch_duration_seconds',
    'histogram',
    'Time of attempts from their start to the record of their end.',
  ],
  deadline_exceeded: [
    'palisade_dispatch_deadline_exceeded_total',
    'counter',
    'Attempts that were ended because they ran out of time.',
  ],
  items_retried: [
    'palisade_items_retried_total',
    'counter',
    'Attempts that ended without success and after which their item is tried again.',
  ],
  items_skipped: [
    'palisade_items_skipped_total',
    'counter',
    'Items that never started because one they depend on did not end well.',
  ],
  runs_completed: ['palisade_runs_completed_total', 'counter', 'Runs that ended, by how they ended.'],
  queue_depth: [
    'palisade_queue_depth',
    'gauge',
    'Items of runs under way that have yet to start, or to start again.',
  ],
  running: ['palisade_running', 'gauge', 'Items that run now.'],
  queue_oldest: [
    'palisade_queue_oldest_seconds',
    'gauge',
    'Time since the oldest run was submitted that has items which have yet to start, or to start again.',
  ],
  runs: ['palisade_runs', 'gauge', 'Runs that have not ended, by state.'],
  jobs: ['palisade_jobs', 'gauge', 'Durable jobs that are kept, by status; dead ones were given up.'],
  webhook_deliveries: [
    'palisade_webhook_deliveries',
    'gauge',
    'Messages to webhook endpoints that are kept, by state.',
  ],
  clock_skew: [
    'palisade_db_clock_skew_seconds',
    'gauge',
    "How far this process's clock is from the one that decides leases.",
  ],
  audit_unsealed: [
    'palisade_audit_unsealed_runs',
    'gauge',
    'Runs that ended and whose ledger is not sealed yet.',
  ],
  db_up: ['palisade_db_up', 'gauge', 'Whether the database answered in time.'],
  http_duration: [
    'palisade_http_request_duration_seconds',
    'histogram',
    'Time of requests until their answer began, by operation and class of status.',
  ],
  http_limited: [
    'palisade_http_limited_total',
    'counter',
    'Requests that were refused because of their number or size, or that of all requests together.',
  ],
  http_refused: [
    'palisade_http_refused_total',
    'counter',
    'Connections and requests that were refused before they were requests.',
  ],
  http_held: [
    'palisade_http_held',
    'gauge',
    'What callers hold of the server now: requests, streams among them, and bytes of bodies.',
  ],
  disk_free: ['palisade_disk_free_bytes', 'gauge', 'Free space of the disk that holds the control plane.'],
  disk_total: ['palisade_disk_total_bytes', 'gauge', 'Size of the disk that holds the control plane.'],
} as const satisfies Readonly<Record<string, readonly [string, (typeof METRIC_TYPES)[number], string]>>;
export type Metric = keyof typeof METRICS;

const MetricSample = z.strictObject({
  /** The family's name; of a histogram with `_bucket`, `_sum` or `_count` behind it. */
  name: z.string(),
  /** Never an id: what is labelled has few values. */
  labels: z.record(z.string(), z.string()),
  value: z.number().nonnegative(),
});

/** Figures of one kind. */
export const MetricFamily = z.strictObject({
  name: z.string(),
  type: z.enum(METRIC_TYPES),
  help: z.string(),
  samples: z.array(MetricSample),
});
export type MetricFamily = z.infer<typeof MetricFamily>;

/** A family of what is offered, with its figures. */
export function metricFamily(metric: Metric, samples: MetricFamily['samples']): MetricFamily {
  const [name, type, help] = METRICS[metric];
  return { name, type, help, samples };
}

/** A family without labels. */
export function metricOf(metric: Metric, value: number): MetricFamily {
  return metricFamily(metric, [{ name: METRICS[metric][0], labels: {}, value }]);
}

/** One figure for each value of the metric's label, also where it is 0: a series that appears late hides its first step. */
export function metricBy(
  metric: Metric,
  label: string,
  values: readonly string[],
  valueOf: (value: string) => number,
): MetricFamily {
  const [name] = METRICS[metric];
  return metricFamily(
    metric,
    values.map((value) => ({ name, labels: { [label]: value }, value: valueOf(value) })),
  );
}

export const getMetrics = operation({
  id: 'metrics.get',
  method: 'GET',
  path: '/v1/metrics',
  summary: 'Figures for monitoring: counters that follow the events, and what waits and runs now',
  effect: 'read',
  access: 'system',
  input: z.strictObject({}),
  output: z.strictObject({ data: z.array(MetricFamily) }),
  errors: [],
});
