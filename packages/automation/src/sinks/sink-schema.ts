import type { Migration } from '@palisade/kernel';

/**
 * `result_sinks`: names that programs gave their sinks. `result_outbox`: runs that ended and that a sink has not
 * taken yet; `next_at` (protected ms) is when it may be offered, later while it is being offered.
 */
export const sinkMigrations: readonly Migration[] = [
  {
    id: 'automation-sinks-0001',
    sql: `
CREATE TABLE result_sinks (
  name TEXT PRIMARY KEY
);
CREATE TABLE result_outbox (
  sink TEXT NOT NULL,
  run_id TEXT NOT NULL,
  next_at BIGINT NOT NULL,
  tries BIGINT NOT NULL,
  PRIMARY KEY (sink, run_id)
) /* clustered */;
CREATE INDEX result_outbox_due ON result_outbox (sink, next_at);
`,
  },
  {
    // Whose runs are kept for it. In another project than the default one, its name stands behind the project's: `web-shop/billing`.
    id: 'automation-sinks-0002-project',
    sql: "ALTER TABLE result_sinks ADD COLUMN project TEXT NOT NULL DEFAULT 'default';",
  },
];
