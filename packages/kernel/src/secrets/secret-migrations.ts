import type { Migration } from '../database/migration.ts';

/**
 * Secrets as ciphertext. A removed secret keeps its row, so that its version numbers are never given
 * to another value; an expired version keeps its row without ciphertext, so that it is told from a
 * missing one.
 */
export const secretMigrations: readonly Migration[] = [
  {
    id: 'secrets/0001',
    sql: `
CREATE TABLE kernel_secrets (
  project TEXT NOT NULL,
  name TEXT NOT NULL,
  latest BIGINT NOT NULL,
  removed BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (project, name)
);
CREATE TABLE kernel_secret_versions (
  project TEXT NOT NULL,
  name TEXT NOT NULL,
  version BIGINT NOT NULL,
  sealed TEXT,
  key_id TEXT NOT NULL,
  expires_at BIGINT,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (project, name, version)
);
CREATE INDEX kernel_secret_versions_key ON kernel_secret_versions (key_id) WHERE sealed IS NOT NULL;
CREATE INDEX kernel_secret_versions_expiry ON kernel_secret_versions (expires_at)
  WHERE sealed IS NOT NULL AND expires_at IS NOT NULL;
`,
  },
  {
    id: 'secrets/0002-installation-keys',
    sql: `
CREATE TABLE kernel_installation_keys (
  purpose TEXT NOT NULL PRIMARY KEY,
  bytes TEXT NOT NULL,
  created_at BIGINT NOT NULL
);
`,
  },
];
