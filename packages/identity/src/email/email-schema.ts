import type { Migration } from '@palisade/kernel';

/**
 * `emails`: addresses of people, and how the last message that verifies went. `mail_links`: links that are good, by the SHA-256 of
 * their token; using one, or a newer one, deletes it. Times are protected ms.
 */
export const emailMigrations: readonly Migration[] = [
  {
    id: 'identity/0006-email',
    sql: `
CREATE TABLE emails (
  principal TEXT NOT NULL PRIMARY KEY REFERENCES principals (id),
  address TEXT NOT NULL,
  address_key TEXT NOT NULL,
  verified_at BIGINT,
  sent_at BIGINT,
  send_error TEXT
);
CREATE INDEX emails_by_address ON emails (address_key);
CREATE TABLE mail_links (
  token_hash TEXT NOT NULL PRIMARY KEY,
  principal TEXT NOT NULL REFERENCES principals (id),
  purpose TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX mail_links_by_principal ON mail_links (principal, purpose);
`,
  },
];
