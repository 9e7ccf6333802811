import type { Migration } from '@palisade/kernel';

/** `credentials`: what principals authenticate with; of a token only the SHA-256 is kept, and a row is never deleted. Times are protected ms. */
export const credentialMigrations: readonly Migration[] = [
  {
    id: 'identity/0002-credentials',
    sql: `
CREATE TABLE credentials (
  id TEXT NOT NULL PRIMARY KEY,
  principal TEXT NOT NULL REFERENCES principals (id),
  name TEXT NOT NULL,
  token_hash TEXT NOT NULL,
  class TEXT NOT NULL,
  scopes TEXT NOT NULL,
  project TEXT,
  created_at BIGINT NOT NULL,
  expires_at BIGINT,
  revoked_at BIGINT,
  hidden BIGINT NOT NULL,
  last_used_at BIGINT
);
CREATE UNIQUE INDEX credentials_by_token ON credentials (token_hash);
CREATE INDEX credentials_by_principal ON credentials (principal, created_at, id);
`,
  },
];
