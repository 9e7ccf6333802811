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
];
