import type { Migration } from '@palisade/kernel';

/**
 * `webhook_endpoints`: where messages go, set by the operator. `run_notifications`: what of a run that has not
 * ended is to be told to whom. `webhook_deliveries`: the outbox; `next_at` is when somebody should look at a
 * pending message, later while an attempt is under way. Times are protected ms.
 */
export const webhookMigrations: readonly Migration[] = [
  {
    id: 'automation-webhooks-0001',
    sql: `
CREATE TABLE webhook_endpoints (
  name TEXT PRIMARY KEY,
  url TEXT NOT NULL,
  allow_private BIGINT NOT NULL,
  bearer TEXT,
  state TEXT NOT NULL,
  reason TEXT,
  key_version BIGINT NOT NULL,
  former_version BIGINT,
  former_until BIGINT,
  created_at BIGINT NOT NULL
);
CREATE TABLE run_notifications (
  run_id TEXT NOT NULL,
  endpoint TEXT NOT NULL,
  kind TEXT NOT NULL,
  PRIMARY KEY (run_id, endpoint, kind)
);
CREATE TABLE webhook_deliveries (
  id TEXT PRIMARY KEY,
  endpoint TEXT NOT NULL,
  kind TEXT NOT NULL,
  run_id TEXT NOT NULL,
  seq BIGINT NOT NULL,
  body TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  state TEXT NOT NULL,
  attempts BIGINT NOT NULL,
  reason TEXT,
  status BIGINT,
  next_at BIGINT,
  done_at BIGINT
);
CREATE UNIQUE INDEX webhook_deliveries_by_event ON webhook_deliveries (run_id, seq, endpoint);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (state, next_at);
CREATE INDEX webhook_deliveries_by_endpoint ON webhook_deliveries (endpoint, state);
`,
  },
  {
    // An endpoint's name is its project's, and so are the messages to it.
    id: 'automation-webhooks-0002-project',
    sql: `
CREATE TABLE project_webhook_endpoints (
  project TEXT NOT NULL,
  name TEXT NOT NULL,
  url TEXT NOT NULL,
  allow_private BIGINT NOT NULL,
  bearer TEXT,
  state TEXT NOT NULL,
  reason TEXT,
  key_version BIGINT NOT NULL,
  former_version BIGINT,
  former_until BIGINT,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (project, name)
);
INSERT INTO project_webhook_endpoints (project, name, url, allow_private, bearer, state, reason, key_version, former_version,
  former_until, created_at)
  SELECT 'default', name, url, allow_private, bearer, state, reason, key_version, former_version, former_until, created_at
  FROM webhook_endpoints;
DROP TABLE webhook_endpoints;
ALTER TABLE project_webhook_endpoints RENAME TO webhook_endpoints;
ALTER TABLE run_notifications ADD COLUMN project TEXT NOT NULL DEFAULT 'default';
ALTER TABLE webhook_deliveries ADD COLUMN project TEXT NOT NULL DEFAULT 'default';
DROP INDEX webhook_deliveries_by_endpoint;
CREATE INDEX webhook_deliveries_by_endpoint ON webhook_deliveries (project, endpoint, state);
CREATE INDEX webhook_deliveries_newest ON webhook_deliveries (project, id);
`,
  },
];
