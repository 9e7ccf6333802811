import { DURATION_BUCKETS, type MetricFamily } from '@palisade/contracts';

/** Any event, as journals and bundles have it. */
interface Told {
  readonly type: string;
  readonly at: number;
  readonly data: unknown;
}

interface Facts {
  readonly run: string;
  readonly outcome: string;
  readonly status: string;
}

/** What every counter has to be, found out from all events there are, by sample: `name{label}`. */
export function recountEvents(events: readonly Told[]): Record<string, number> {
  const of = (type: string) => events.flatMap((event) => (event.type === type ? [event.data as Facts] : []));
  const approvals = new Set(of('item.approval_requested').map(({ run }) => run));
  const startedAt = new Map<string, number>();
  const spans: number[] = [];
  const totals: Record<string, number> = {};
  const add = (sample: string, amount = 1) => (totals[sample] = (totals[sample] ?? 0) + amount);
  for (const { type, at, data } of events) {
    const { run, outcome, status } = data as Facts;
    if (type === 'item.skipped') add('palisade_items_skipped_total');
    if (type === 'run.completed') add(`palisade_runs_completed_total{${status}}`);
    if (approvals.has(run)) continue;
    if (type === 'item.fired') {
      startedAt.set(run, at);
      add('palisade_dispatch_started_total');
    }
    if (type !== 'item.reconciled') continue;
    spans.push((at - (startedAt.get(run) ?? Number.NaN)) / 1000);
    add(`palisade_dispatch_completed_total{${outcome}}`);
    if (outcome === 'timed_out') add('palisade_dispatch_deadline_exceeded_total');
    if (status === 'retrying') add('palisade_items_retried_total');
  }
  for (const le of [...DURATION_BUCKETS, Infinity])
    totals[`palisade_dispatch_duration_seconds_bucket{${le === Infinity ? '+Inf' : le}}`] = spans.filter(
      (span) => span <= le,
    ).length;
  totals['palisade_dispatch_duration_seconds_count'] = spans.length;
  totals['palisade_dispatch_duration_seconds_sum'] = sum(spans);
  return totals;
}

/** The counters among what an installation tells, in the form of {@link recountEvents}; those that are 0 are left out. */
export function toldCounts(families: readonly MetricFamily[]): Record<string, number> {
  const told = families
    .filter(({ type }) => type !== 'gauge')
    .flatMap(({ samples }) => samples)
    .filter(({ name, value }) => value !== 0 || name.includes('_duration_'));
  return Object.fromEntries(
    told.map(({ name, labels, value }) => {
      const [label] = Object.values(labels);
      return [label === undefined ? name : `${name}{${label}}`, value];
    }),
  );
}

/** Seconds, added up in whole milliseconds. */
function sum(spans: readonly number[]): number {
  return spans.reduce((total, span) => total + Math.round(span * 1000), 0) / 1000;
}
