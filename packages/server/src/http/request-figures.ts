import { metricFamily, type MetricFamily, metricOf, METRICS } from '@palisade/contracts';
import type { RequestFacts } from './app.ts';
import type { Load } from './load.ts';

/** Upper bounds of the classes in which times of requests are counted, seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60] as const;

interface Series {
  readonly operation: string;
  readonly status: string;
  readonly counts: number[];
  sum: number;
}

/** What this process has counted of requests since it began (EX-216): by operation, never by caller or path. */
export class RequestFigures {
  readonly #load: Load;
  readonly #series = new Map<string, Series>();
  #limited = 0;
  #refused = 0;

  constructor(load: Load) {
    this.#load = load;
  }

  count({ operation, status, ms, code }: Pick<RequestFacts, 'operation' | 'status' | 'ms' | 'code'>): void {
    if (code === 'rate_limited' || code === 'overloaded') this.#limited++;
    const name = operation ?? 'none';
    const key = `${name} ${Math.floor(status / 100)}`;
    let series = this.#series.get(key);
    if (series === undefined) {
      const counts = Array.from({ length: BUCKETS.length + 1 }, () => 0);
      series = { operation: name, status: `${Math.floor(status / 100)}xx`, counts, sum: 0 };
      this.#series.set(key, series);
    }
    const at = BUCKETS.findIndex((bound) => ms <= bound * 1_000);
    const bucket = at === -1 ? BUCKETS.length : at;
    series.counts[bucket] = (series.counts[bucket] ?? 0) + 1;
    series.sum += ms / 1_000;
  }

  /** Something was refused before it was a request. */
  countRefused(): void {
    this.#refused++;
  }

  families(): MetricFamily[] {
    const [held] = METRICS.http_held;
    const { calls, streams, bodyBytes } = this.#load;
    return [
      metricFamily(
        'http_duration',
        [...this.#series.values()].flatMap((series) => samplesOf(series)),
      ),
      metricOf('http_limited', this.#limited),
      metricOf('http_refused', this.#refused),
      metricFamily(
        'http_held',
        Object.entries({ requests: calls, streams, body_bytes: bodyBytes }).map(([what, { all }]) => ({
          name: held,
          labels: { what },
          value: all,
        })),
      ),
    ];
  }
}

function samplesOf({ operation, status, counts, sum }: Series): MetricFamily['samples'] {
  const [name] = METRICS.http_duration;
  const labels = { operation, status };
  let count = 0;
  const buckets = [...BUCKETS.map(String), '+Inf'].map((le, i) => {
    count += counts[i] ?? 0;
    return { name: `${name}_bucket`, labels: { ...labels, le }, value: count };
  });
  return [
    ...buckets,
    { name: `${name}_sum`, labels, value: sum },
    { name: `${name}_count`, labels, value: count },
  ];
}
