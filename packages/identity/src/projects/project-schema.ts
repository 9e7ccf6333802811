import type { Migration } from '@palisade/kernel';

/**
 * `projects`: what isolates records and names from each other; a row is never deleted. `project_policies`: every revision of each
 * project's policy, as JSON; the newest holds. The default project was always there. Times are protected ms.
 */
export const projectMigrations: readonly Migration[] = [
  {
    id: 'identity/0007-projects',
    sql: `
CREATE TABLE projects (
  key TEXT NOT NULL PRIMARY KEY,
  title TEXT NOT NULL,
  repository_url TEXT,
  target_branch TEXT,
  policy_revision BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  archived_at BIGINT,
  archived_by TEXT,
  archive_reason TEXT
);
INSERT INTO projects (key, title, policy_revision, created_at) VALUES ('default', 'default', 1, 0);
CREATE TABLE project_policies (
  project TEXT NOT NULL REFERENCES projects (key),
  revision BIGINT NOT NULL,
  policy TEXT NOT NULL,
  actor TEXT,
  provenance TEXT,
  set_at BIGINT NOT NULL,
  PRIMARY KEY (project, revision)
);
/* immutable: project_policies */
`,
  },
];
