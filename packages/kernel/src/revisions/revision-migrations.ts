import type { Migration } from '../database/migration.ts';

/** Names with an explicit pointer to their latest revision, and every revision ever registered (DI-029). */
export const revisionMigrations: readonly Migration[] = [
  {
    id: 'revisions/0001',
    sql: `
CREATE TABLE kernel_revision_names (
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  latest BIGINT NOT NULL,
  PRIMARY KEY (kind, name)
);
CREATE TABLE kernel_revisions (
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  revision BIGINT NOT NULL,
  hash TEXT NOT NULL,
  registered_at BIGINT NOT NULL,
  PRIMARY KEY (kind, name, revision)
);
CREATE INDEX kernel_revisions_by_hash ON kernel_revisions (kind, hash, name, revision);
CREATE INDEX kernel_revisions_hashes ON kernel_revisions (hash);
`,
  },
  {
    id: 'revisions/0002',
    // Whose name it is: the deployment that made it (DI-050). Goes with the name's meaning.
    sql: `
ALTER TABLE kernel_revision_names ADD COLUMN owner TEXT;
CREATE INDEX kernel_revision_names_by_owner ON kernel_revision_names (owner, kind, name);
`,
  },
  {
    id: 'revisions/0003',
    // A name means something within its project alone.
    sql: `
CREATE TABLE kernel_project_revision_names (
  project TEXT NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  latest BIGINT NOT NULL,
  owner TEXT,
  PRIMARY KEY (project, kind, name)
);
INSERT INTO kernel_project_revision_names (project, kind, name, latest, owner)
  SELECT 'default', kind, name, latest, owner FROM kernel_revision_names;
DROP TABLE kernel_revision_names;
ALTER TABLE kernel_project_revision_names RENAME TO kernel_revision_names;
CREATE INDEX kernel_revision_names_by_owner ON kernel_revision_names (project, owner, kind, name);
CREATE TABLE kernel_project_revisions (
  project TEXT NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  revision BIGINT NOT NULL,
  hash TEXT NOT NULL,
  registered_at BIGINT NOT NULL,
  PRIMARY KEY (project, kind, name, revision)
);
INSERT INTO kernel_project_revisions (project, kind, name, revision, hash, registered_at)
  SELECT 'default', kind, name, revision, hash, registered_at FROM kernel_revisions;
DROP TABLE kernel_revisions;
ALTER TABLE kernel_project_revisions RENAME TO kernel_revisions;
CREATE INDEX kernel_revisions_by_hash ON kernel_revisions (project, kind, hash, name, revision);
CREATE INDEX kernel_revisions_hashes ON kernel_revisions (hash);
`,
  },
];
