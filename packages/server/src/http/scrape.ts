import { statfs } from 'node:fs/promises';
import {
  type BoundOperation,
  getMetrics,
  hostCaller,
  type MetricFamily,
  metricOf,
  prometheusText,
  DEFAULT_PROJECT,
} from '@palisade/contracts';
import { SharedAnswer } from './shared-answer.ts';

/** The database gets this long: a scraper waits for ten seconds, as a rule (EX-216). */
const PATIENCE_MS = 4_000;

export interface ScrapeDeps {
  /** Those of the control plane; {@link getMetrics} is one of them. */
  readonly operations: readonly BoundOperation[];
  /** A directory on the disk that holds it. */
  readonly directory: string;
  /** What this process counts by itself. */
  readonly own: () => readonly MetricFamily[];
}

/**
 * What `GET /metrics` says: the figures of `metrics.get`, those of this process, and whether the database answered. It is said within 5 s
 * whatever the database does: without it there is `palisade_db_up 0` and the rest (EX-216).
 */
export function scraper(deps: ScrapeDeps): () => Promise<string> {
  const bound = deps.operations.find(({ operation }) => operation.id === getMetrics.id);
  const caller = hostCaller('service:metrics');
  const stored = new SharedAnswer<readonly MetricFamily[] | null>(
    async () => {
      const answer = await bound?.handler({}, { actor: caller.actor, caller, project: DEFAULT_PROJECT });
      return (answer as { data: MetricFamily[] } | undefined)?.data ?? null;
    },
    PATIENCE_MS,
    null,
  );
  const disk = new SharedAnswer(() => diskFigures(deps.directory), PATIENCE_MS, []);
  return async () => {
    const [families, space] = await Promise.all([stored.get(), disk.get()]);
    return prometheusText([
      metricOf('db_up', families === null ? 0 : 1),
      ...(families ?? []),
      ...deps.own(),
      ...space,
    ]);
  };
}

async function diskFigures(directory: string): Promise<MetricFamily[]> {
  const { bavail, blocks, bsize } = await statfs(directory);
  return [metricOf('disk_free', bavail * bsize), metricOf('disk_total', blocks * bsize)];
}
