import type { Migration } from '@palisade/kernel';

/**
 * `passkeys`: public keys of people's authenticators. `passkey_challenges`: what was given to a browser to be signed, for a person who
 * registers a passkey or for whoever signs in with one; it is deleted by the first try. Times are protected ms.
 */
export const passkeyMigrations: readonly Migration[] = [
  {
    id: 'identity/0005-passkeys',
    sql: `
CREATE TABLE passkeys (
  id TEXT NOT NULL PRIMARY KEY,
  principal TEXT NOT NULL REFERENCES principals (id),
  credential_id TEXT NOT NULL,
  public_key TEXT NOT NULL,
  counter BIGINT NOT NULL,
  name TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  last_used_at BIGINT
);
CREATE UNIQUE INDEX passkeys_by_credential ON passkeys (credential_id);
CREATE INDEX passkeys_by_principal ON passkeys (principal, id);
CREATE TABLE passkey_challenges (
  id TEXT NOT NULL PRIMARY KEY,
  principal TEXT,
  challenge TEXT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX passkey_challenges_expired ON passkey_challenges (expires_at);
`,
  },
];
