import type { Migration } from '@palisade/kernel';

/**
 * `runs` holds root runs and, below them, one child run per fired attempt (`parent_run_id`, `item_id`,
 * `attempt`). `documents` holds small content-addressed JSON of each root run (its plan, its manifests) that must be durable
 * in the same commit as the state that names it. A root run whose retention is over is retired
 * (`retired_at`): nobody sees it any more, what it consisted of is removed, and the row stays so that its id
 * is never used again.
 */
export const runMigrations: readonly Migration[] = [
  {
    id: 'runs-0001',
    sql: `
CREATE TABLE runs (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  parent_run_id TEXT,
  item_id TEXT,
  attempt BIGINT,
  state TEXT NOT NULL,
  title TEXT NOT NULL,
  queue TEXT NOT NULL,
  actor TEXT NOT NULL,
  submitted_at BIGINT NOT NULL,
  started_at BIGINT,
  finished_at BIGINT,
  deadline_at BIGINT,
  outcome TEXT,
  code TEXT,
  reason TEXT,
  cancel_requested_at BIGINT,
  cancel_reason TEXT,
  control_seq BIGINT NOT NULL DEFAULT 0,
  manifest_ref TEXT,
  product TEXT,
  base TEXT,
  settings TEXT,
  plan_ref TEXT,
  request_hash TEXT,
  rerun_of TEXT,
  sealed_at BIGINT
) /* clustered */;
CREATE INDEX runs_newest ON runs (submitted_at, id) WHERE parent_run_id IS NULL;
CREATE INDEX runs_children ON runs (parent_run_id, item_id, attempt) WHERE parent_run_id IS NOT NULL;
CREATE INDEX runs_open ON runs (id) WHERE parent_run_id IS NULL AND finished_at IS NULL;
CREATE INDEX runs_unsealed ON runs (id) WHERE parent_run_id IS NULL AND finished_at IS NOT NULL AND sealed_at IS NULL;
CREATE TABLE documents (
  run_id TEXT NOT NULL,
  ref TEXT NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (run_id, ref)
);
`,
  },
  {
    // The record of an attempt: who carries it out, and the exit status of its own program.
    id: 'runs-0002',
    sql: `
ALTER TABLE runs ADD COLUMN worker TEXT;
ALTER TABLE runs ADD COLUMN exit_code BIGINT;
`,
  },
  {
    id: 'runs-0002-retention',
    sql: `
ALTER TABLE runs ADD COLUMN retired_at BIGINT;
CREATE INDEX runs_ended ON runs (finished_at) WHERE parent_run_id IS NULL AND finished_at IS NOT NULL AND retired_at IS NULL;
CREATE INDEX runs_retired ON runs (id) WHERE retired_at IS NOT NULL AND plan_ref IS NOT NULL;
CREATE INDEX runs_open_attempts ON runs (started_at) WHERE parent_run_id IS NOT NULL AND finished_at IS NULL;
`,
  },
  {
    // What a run came to consist of beyond its plan; and whether more may come from outside.
    id: 'runs-0003-parts',
    sql: `
ALTER TABLE runs ADD COLUMN open_ended BIGINT NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN closed_at BIGINT;
CREATE TABLE run_parts (
  run_id TEXT NOT NULL,
  seq BIGINT NOT NULL,
  ref TEXT NOT NULL,
  items BIGINT NOT NULL,
  cause TEXT,
  PRIMARY KEY (run_id, seq)
) /* clustered */;
`,
  },
  {
    // How long a run's own plan lets it be kept after its end, ms; null: as long as the operator keeps runs.
    id: 'runs-0004-keep',
    sql: `
ALTER TABLE runs ADD COLUMN keep_ms BIGINT;
CREATE INDEX runs_kept_for ON runs (finished_at) WHERE keep_ms IS NOT NULL AND finished_at IS NOT NULL AND retired_at IS NULL;
`,
  },
  {
    // Whose wish it is that nothing more starts, and the control position at which a run was left at rest.
    id: 'runs-0003-pause',
    sql: `
ALTER TABLE runs ADD COLUMN paused_at BIGINT;
ALTER TABLE runs ADD COLUMN paused_by TEXT;
ALTER TABLE runs ADD COLUMN pause_reason TEXT;
ALTER TABLE runs ADD COLUMN rest_seq BIGINT;
`,
  },
  {
    // The usage ledger is the attempts themselves: what each reported, may cost and how long it ran. Of a root run: its
    // limits, the one that ended it, and the sums.
    id: 'runs-0004-usage',
    sql: `
ALTER TABLE runs ADD COLUMN agent TEXT;
ALTER TABLE runs ADD COLUMN model TEXT;
ALTER TABLE runs ADD COLUMN reserved_micro_usd BIGINT;
ALTER TABLE runs ADD COLUMN cost_micro_usd BIGINT;
ALTER TABLE runs ADD COLUMN tokens BIGINT;
ALTER TABLE runs ADD COLUMN run_ms BIGINT;
ALTER TABLE runs ADD COLUMN budget TEXT;
ALTER TABLE runs ADD COLUMN breach TEXT;
ALTER TABLE runs ADD COLUMN spent TEXT;
CREATE INDEX runs_attempts_ended ON runs (finished_at) WHERE parent_run_id IS NOT NULL AND finished_at IS NOT NULL;
`,
  },
  {
    id: 'runs-0005-priority',
    sql: `ALTER TABLE runs ADD COLUMN priority BIGINT NOT NULL DEFAULT 0;`,
  },
  {
    // Whose run it is, of an attempt as of its root. Of what is listed and counted, a project reads its own alone.
    id: 'runs-0007-project',
    sql: `
ALTER TABLE runs ADD COLUMN project TEXT NOT NULL DEFAULT 'default';
DROP INDEX runs_newest;
CREATE INDEX runs_newest ON runs (project, submitted_at, id) WHERE parent_run_id IS NULL;
CREATE INDEX runs_open_in ON runs (project, queue) WHERE parent_run_id IS NULL AND finished_at IS NULL;
DROP INDEX runs_attempts_ended;
CREATE INDEX runs_attempts_ended ON runs (project, finished_at) WHERE parent_run_id IS NOT NULL AND finished_at IS NOT NULL;
`,
  },
  {
    // Who added a part from outside.
    id: 'runs-0006-part-actor',
    sql: `ALTER TABLE run_parts ADD COLUMN actor TEXT;`,
  },
  {
    // What the attempts of a run left, by its address: the right of its project to read it. Of attempts from before, the products
    // are still to be read; see `readUnread`.
    id: 'runs-0008-product-refs',
    sql: `
CREATE TABLE product_refs (
  project TEXT NOT NULL,
  ref TEXT NOT NULL,
  run_id TEXT NOT NULL,
  PRIMARY KEY (project, ref, run_id)
) /* clustered */;
CREATE INDEX product_refs_run ON product_refs (run_id);
CREATE TABLE unread_products (
  run_id TEXT NOT NULL,
  id TEXT NOT NULL,
  project TEXT NOT NULL,
  PRIMARY KEY (run_id, id)
) /* clustered */;
CREATE INDEX unread_products_of ON unread_products (project, run_id, id);
INSERT INTO unread_products (run_id, id, project)
  SELECT parent_run_id, id, project FROM runs WHERE parent_run_id IS NOT NULL AND product IS NOT NULL;
`,
  },
];
