import type { Migration } from '@palisade/kernel';

/**
 * `item_requests` holds what people are asked, and is all there is of a wait: nothing of it lives in a process
 * (FF-172). A row is open while `ended_at` is null. A person's answer ends it, in the unit of work in which it is
 * told to the ledger; the owner of the run settles it with the step that acts on it. `outcome` is
 * `answered`, a decision, or `withdrawn` when the item ended first; `items` is how many items the run had then.
 */
export const requestMigrations: readonly Migration[] = [
  {
    id: 'dispatch-requests-0001',
    sql: `
CREATE TABLE item_requests (
  run_id TEXT NOT NULL,
  id TEXT NOT NULL,
  item_id TEXT NOT NULL,
  ordinal BIGINT NOT NULL,
  attempt BIGINT NOT NULL,
  kind TEXT NOT NULL,
  hash TEXT NOT NULL,
  body TEXT NOT NULL,
  patch TEXT,
  asked_at BIGINT NOT NULL,
  expires_at BIGINT,
  outcome TEXT,
  ended_at BIGINT,
  actor TEXT,
  record TEXT,
  settled_at BIGINT,
  PRIMARY KEY (run_id, id)
) /* clustered */;
CREATE INDEX item_requests_open ON item_requests (asked_at, id) WHERE ended_at IS NULL;
CREATE INDEX item_requests_by_item ON item_requests (run_id, item_id, attempt);
CREATE INDEX item_requests_unsettled ON item_requests (run_id) WHERE settled_at IS NULL;
`,
  },
  {
    // Of what ended before: those the run was submitted with are all that is sure to have been there.
    id: 'dispatch-requests-0002-items',
    sql: `
ALTER TABLE item_requests ADD COLUMN items BIGINT;
UPDATE item_requests SET items = (SELECT COUNT(*) FROM plan_items i WHERE i.run_id = item_requests.run_id)
  - (SELECT COALESCE(SUM(p.items), 0) FROM run_parts p WHERE p.run_id = item_requests.run_id)
WHERE ended_at IS NOT NULL;
`,
  },
  {
    // That of its run: what waits for people is read project by project.
    id: 'dispatch-requests-0003-project',
    sql: `
ALTER TABLE item_requests ADD COLUMN project TEXT NOT NULL DEFAULT 'default';
DROP INDEX item_requests_open;
CREATE INDEX item_requests_open ON item_requests (project, asked_at, id) WHERE ended_at IS NULL;
`,
  },
];
