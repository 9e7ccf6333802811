import type { Migration } from '@palisade/kernel';

/**
 * What was counted, in the unit of work of the event that counts. `label` tells the values of a metric's one label
 * apart and is empty where it has none. Rows of many shards are added up when somebody asks: transactions that
 * count at the same time rarely write the same row, which on PostgreSQL would make one of them start again.
 */
export const metricMigrations: readonly Migration[] = [
  {
    id: 'dispatch-metrics-0001',
    sql: `
CREATE TABLE metric_counts (
  metric TEXT NOT NULL,
  label TEXT NOT NULL,
  shard BIGINT NOT NULL,
  value BIGINT NOT NULL,
  PRIMARY KEY (metric, label, shard)
) /* clustered */;
`,
  },
];
