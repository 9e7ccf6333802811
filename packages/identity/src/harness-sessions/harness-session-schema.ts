import type { Migration } from '@palisade/kernel';

/**
 * `subagents`: whom sessions have work for them, one row for each name of a principal in a project; never changed or deleted.
 * `harness_sessions`: of a proof only the SHA-256 is kept; a row is never deleted, so that a closed id stays closed. `capabilities` is
 * JSON. Times are protected ms.
 */
export const harnessSessionMigrations: readonly Migration[] = [
  {
    id: 'identity/0008-harness-sessions',
    sql: `
CREATE TABLE harness_sessions (
  id TEXT NOT NULL PRIMARY KEY,
  principal TEXT NOT NULL REFERENCES principals (id),
  credential TEXT NOT NULL REFERENCES credentials (id),
  proof_hash TEXT NOT NULL,
  workstation TEXT NOT NULL,
  harness TEXT NOT NULL,
  capabilities TEXT NOT NULL,
  subagent TEXT,
  parent TEXT REFERENCES harness_sessions (id),
  depth BIGINT NOT NULL,
  launch TEXT,
  created_at BIGINT NOT NULL,
  last_activity_at BIGINT NOT NULL,
  closed_at BIGINT
);
CREATE INDEX harness_sessions_by_activity ON harness_sessions (last_activity_at, id) WHERE closed_at IS NULL;
CREATE INDEX harness_sessions_by_credential ON harness_sessions (credential) WHERE closed_at IS NULL;
CREATE TABLE subagents (
  id TEXT NOT NULL PRIMARY KEY,
  project TEXT NOT NULL REFERENCES projects (key),
  principal TEXT NOT NULL REFERENCES principals (id),
  name TEXT NOT NULL,
  parent TEXT NOT NULL REFERENCES harness_sessions (id),
  created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX subagents_by_name ON subagents (project, principal, name);
/* immutable: subagents */
`,
  },
];
