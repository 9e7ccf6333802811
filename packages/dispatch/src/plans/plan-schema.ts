import type { Migration } from '@palisade/kernel';
import { channelMigrations } from '../channels/channel-schema.ts';
import { requestMigrations } from '../requests/request-schema.ts';

/**
 * `plan_items` holds the durable state of each item. `pending` and `ready` are not told apart here:
 * readiness follows from the dependencies' states. `queue_usage` counts the slots each run uses, one
 * row per active run, so a slot is never lost with a crashed process.
 */
export const planMigrations: readonly Migration[] = [
  {
    id: 'dispatch-plans-0001',
    sql: `
CREATE TABLE plan_items (
  run_id TEXT NOT NULL,
  ordinal BIGINT NOT NULL,
  item_id TEXT NOT NULL,
  state TEXT NOT NULL,
  attempt BIGINT NOT NULL,
  failures BIGINT NOT NULL,
  lost BIGINT NOT NULL,
  child_run_id TEXT,
  next_attempt_at BIGINT,
  cancel_requested_at BIGINT,
  started_at BIGINT,
  finished_at BIGINT,
  code TEXT,
  reason TEXT,
  product TEXT,
  PRIMARY KEY (run_id, ordinal)
) /* clustered */;
CREATE UNIQUE INDEX plan_items_by_id ON plan_items (run_id, item_id);
CREATE TABLE queues (
  name TEXT PRIMARY KEY,
  concurrency BIGINT NOT NULL
) /* clustered */;
INSERT INTO queues (name, concurrency) VALUES ('default', 8);
CREATE TABLE queue_usage (
  queue TEXT NOT NULL,
  run_id TEXT NOT NULL,
  used BIGINT NOT NULL,
  PRIMARY KEY (queue, run_id)
) /* clustered */;
CREATE TABLE lock_holds (
  lock_key TEXT PRIMARY KEY,
  run_id TEXT NOT NULL,
  item_id TEXT NOT NULL,
  since BIGINT NOT NULL
) /* clustered */;
CREATE INDEX lock_holds_by_item ON lock_holds (run_id, item_id);
CREATE TABLE lock_waiters (
  lock_key TEXT NOT NULL,
  ticket BIGINT NOT NULL,
  run_id TEXT NOT NULL,
  item_id TEXT NOT NULL,
  PRIMARY KEY (lock_key, ticket)
) /* clustered */;
CREATE UNIQUE INDEX lock_waiters_by_item ON lock_waiters (run_id, item_id, lock_key);
CREATE INDEX lock_waiters_by_ticket ON lock_waiters (ticket);
`,
  },
  {
    id: 'dispatch-plans-0002',
    sql: `
CREATE TABLE run_troubles (
  run_id TEXT NOT NULL,
  item_id TEXT NOT NULL,
  since BIGINT NOT NULL,
  at BIGINT NOT NULL,
  code TEXT NOT NULL,
  message TEXT NOT NULL,
  PRIMARY KEY (run_id, item_id)
);
`,
  },
  {
    // Whose good end counts instead of the item's own, and why the run could not grow as the item wanted.
    id: 'dispatch-plans-0003',
    sql: `
ALTER TABLE plan_items ADD COLUMN settled_by TEXT;
ALTER TABLE plan_items ADD COLUMN growth_fault TEXT;
`,
  },
  {
    id: 'dispatch-plans-0003-pause',
    sql: `
ALTER TABLE queues ADD COLUMN paused_at BIGINT;
ALTER TABLE queues ADD COLUMN paused_by TEXT;
ALTER TABLE queues ADD COLUMN pause_reason TEXT;
`,
  },
  {
    // What each run claims beside what it uses, and what else limits a queue.
    id: 'dispatch-plans-0004-claims',
    sql: `
ALTER TABLE queue_usage ADD COLUMN wants BIGINT NOT NULL DEFAULT 0;
ALTER TABLE queue_usage ADD COLUMN priority BIGINT NOT NULL DEFAULT 0;
ALTER TABLE queue_usage ADD COLUMN since BIGINT NOT NULL DEFAULT 0;
ALTER TABLE queues ADD COLUMN rate_starts BIGINT;
ALTER TABLE queues ADD COLUMN rate_window_ms BIGINT;
ALTER TABLE queues ADD COLUMN rate_full_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE queues ADD COLUMN max_open_runs BIGINT;
ALTER TABLE queues ADD COLUMN max_priority BIGINT;
`,
  },
  {
    // Few items are ever wished to stop; a step looks for them whenever somebody wished for anything.
    id: 'dispatch-plans-0005-wishes',
    sql: `CREATE INDEX plan_items_wished ON plan_items (run_id) WHERE cancel_requested_at IS NOT NULL AND finished_at IS NULL;`,
  },
  {
    // Queues and locks are a project's: a name means one within it alone.
    id: 'dispatch-plans-0006-project',
    sql: `
CREATE TABLE project_queues (
  project TEXT NOT NULL,
  name TEXT NOT NULL,
  concurrency BIGINT NOT NULL,
  paused_at BIGINT,
  paused_by TEXT,
  pause_reason TEXT,
  rate_starts BIGINT,
  rate_window_ms BIGINT,
  rate_full_at BIGINT NOT NULL DEFAULT 0,
  max_open_runs BIGINT,
  max_priority BIGINT,
  PRIMARY KEY (project, name)
) /* clustered */;
INSERT INTO project_queues (project, name, concurrency, paused_at, paused_by, pause_reason, rate_starts, rate_window_ms,
  rate_full_at, max_open_runs, max_priority)
  SELECT 'default', name, concurrency, paused_at, paused_by, pause_reason, rate_starts, rate_window_ms, rate_full_at,
    max_open_runs, max_priority FROM queues;
DROP TABLE queues;
ALTER TABLE project_queues RENAME TO queues;
CREATE TABLE project_queue_usage (
  project TEXT NOT NULL,
  queue TEXT NOT NULL,
  run_id TEXT NOT NULL,
  used BIGINT NOT NULL,
  wants BIGINT NOT NULL DEFAULT 0,
  priority BIGINT NOT NULL DEFAULT 0,
  since BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (project, queue, run_id)
) /* clustered */;
INSERT INTO project_queue_usage (project, queue, run_id, used, wants, priority, since)
  SELECT 'default', queue, run_id, used, wants, priority, since FROM queue_usage;
DROP TABLE queue_usage;
ALTER TABLE project_queue_usage RENAME TO queue_usage;
CREATE TABLE project_lock_holds (
  project TEXT NOT NULL,
  lock_key TEXT NOT NULL,
  run_id TEXT NOT NULL,
  item_id TEXT NOT NULL,
  since BIGINT NOT NULL,
  PRIMARY KEY (project, lock_key)
) /* clustered */;
INSERT INTO project_lock_holds (project, lock_key, run_id, item_id, since)
  SELECT 'default', lock_key, run_id, item_id, since FROM lock_holds;
DROP TABLE lock_holds;
ALTER TABLE project_lock_holds RENAME TO lock_holds;
CREATE INDEX lock_holds_by_item ON lock_holds (run_id, item_id);
CREATE TABLE project_lock_waiters (
  project TEXT NOT NULL,
  lock_key TEXT NOT NULL,
  ticket BIGINT NOT NULL,
  run_id TEXT NOT NULL,
  item_id TEXT NOT NULL,
  PRIMARY KEY (project, lock_key, ticket)
) /* clustered */;
INSERT INTO project_lock_waiters (project, lock_key, ticket, run_id, item_id)
  SELECT 'default', lock_key, ticket, run_id, item_id FROM lock_waiters;
DROP TABLE lock_waiters;
ALTER TABLE project_lock_waiters RENAME TO lock_waiters;
CREATE UNIQUE INDEX lock_waiters_by_item ON lock_waiters (run_id, item_id, lock_key);
CREATE INDEX lock_waiters_by_ticket ON lock_waiters (ticket);
`,
  },
  ...requestMigrations,
  ...channelMigrations,
];
