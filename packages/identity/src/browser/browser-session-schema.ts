import type { Migration } from '@palisade/kernel';

/** `browser_sessions`: sign-ins of people; of what a cookie holds only the SHA-256 is kept. Times are protected ms. */
export const browserSessionMigrations: readonly Migration[] = [
  {
    id: 'identity/0004-browser-sessions',
    sql: `
CREATE TABLE browser_sessions (
  id TEXT NOT NULL PRIMARY KEY,
  principal TEXT NOT NULL REFERENCES principals (id),
  value_hash TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  revoked_at BIGINT
);
CREATE UNIQUE INDEX browser_sessions_by_value ON browser_sessions (value_hash);
CREATE INDEX browser_sessions_by_principal ON browser_sessions (principal, id);
`,
  },
];
