import { clockAheadMigration, clockIncidentsMigration } from './clock-incidents.ts';
import type { Migration } from './migration.ts';

/** The kernel's own schema, applied on both databases after the dialect's and before the rooms' migrations. */
export const kernelMigrations: readonly Migration[] = [
  {
    id: 'kernel/0001-core',
    sql: `
CREATE TABLE kernel_streams (
  stream TEXT NOT NULL PRIMARY KEY,
  seq BIGINT NOT NULL,
  hash TEXT,
  sealed BIGINT NOT NULL
) /* clustered */;
CREATE TABLE kernel_events (
  stream TEXT NOT NULL,
  seq BIGINT NOT NULL,
  type TEXT NOT NULL,
  at BIGINT NOT NULL,
  data TEXT NOT NULL,
  hash TEXT NOT NULL,
  PRIMARY KEY (stream, seq)
) /* clustered */;

CREATE TABLE kernel_leases (
  resource TEXT NOT NULL PRIMARY KEY,
  owner TEXT NOT NULL,
  fence BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  released BIGINT NOT NULL
) /* clustered */;

CREATE TABLE kernel_jobs (
  id TEXT NOT NULL PRIMARY KEY,
  kind TEXT NOT NULL,
  unique_key TEXT,
  payload TEXT NOT NULL,
  status TEXT NOT NULL,
  ready_at BIGINT NOT NULL,
  lease_owner TEXT,
  lease_expires_at BIGINT,
  fence BIGINT NOT NULL,
  attempt_count BIGINT NOT NULL,
  max_attempts BIGINT NOT NULL,
  error TEXT,
  created_at BIGINT NOT NULL,
  finished_at BIGINT
);
CREATE UNIQUE INDEX kernel_jobs_live_key ON kernel_jobs (kind, unique_key)
  WHERE unique_key IS NOT NULL AND status IN ('queued', 'running');
CREATE INDEX kernel_jobs_ready ON kernel_jobs (kind, ready_at, id) WHERE status = 'queued';
CREATE INDEX kernel_jobs_leased ON kernel_jobs (kind, lease_expires_at) WHERE status = 'running';
CREATE TABLE kernel_job_attempts (
  job TEXT NOT NULL REFERENCES kernel_jobs (id),
  fence BIGINT NOT NULL,
  owner TEXT NOT NULL,
  outcome TEXT NOT NULL,
  error TEXT,
  started_at BIGINT NOT NULL,
  ended_at BIGINT,
  PRIMARY KEY (job, fence)
);

CREATE TABLE kernel_receipts (
  scope TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  answer TEXT,
  compacted BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (scope, idempotency_key)
) /* clustered */;
CREATE INDEX kernel_receipts_age ON kernel_receipts (created_at) WHERE compacted = 0;
`,
  },
  {
    id: 'kernel/0002-ended-jobs',
    sql: 'CREATE INDEX kernel_jobs_ended ON kernel_jobs (finished_at, id) WHERE finished_at IS NOT NULL;',
  },
  clockIncidentsMigration,
  clockAheadMigration,
];
