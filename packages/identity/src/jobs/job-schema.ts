import type { Migration } from '@palisade/kernel';

/**
 * `producer_jobs`: one row for each job with its reporter, never deleted, so that no id comes to mean another process. `state` and
 * `sequence` are those of the last row of `job_observations`; 0: there is none. `told` is canonical JSON. Times are protected ms.
 */
export const jobMigrations: readonly Migration[] = [
  {
    id: 'identity/0009-producer-jobs',
    sql: `
CREATE TABLE producer_jobs (
  id TEXT NOT NULL PRIMARY KEY,
  project TEXT NOT NULL REFERENCES projects (key),
  session TEXT NOT NULL REFERENCES harness_sessions (id),
  producer TEXT NOT NULL UNIQUE,
  reporter TEXT NOT NULL UNIQUE,
  proof_hash TEXT NOT NULL,
  label TEXT NOT NULL,
  source_revision TEXT,
  source_tree TEXT,
  registered_at BIGINT NOT NULL,
  renew_until BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  state TEXT NOT NULL,
  sequence BIGINT NOT NULL
);
CREATE INDEX producer_jobs_by_project ON producer_jobs (project, id);
CREATE INDEX producer_jobs_reported ON producer_jobs (expires_at, session) WHERE state IN ('registered', 'running', 'unknown');
CREATE TABLE job_observations (
  job TEXT NOT NULL REFERENCES producer_jobs (id),
  sequence BIGINT NOT NULL,
  told TEXT NOT NULL,
  observed_at BIGINT NOT NULL,
  PRIMARY KEY (job, sequence)
);
/* immutable: job_observations */
`,
  },
];
