import type { Migration } from '@palisade/kernel';
import { attestationMigrations } from '../attestation/attestation-schema.ts';

/**
 * `log_leaves` is the source of truth of the installation's append-only log: the static files are made
 * from it. `signing_keys` keeps every public key ever used, so that old evidence stays verifiable.
 */
export const sealMigrations: readonly Migration[] = [
  {
    id: 'seals-0001',
    sql: `
CREATE TABLE log_leaves (
  leaf_index BIGINT PRIMARY KEY,
  run_id TEXT NOT NULL UNIQUE,
  leaf TEXT NOT NULL,
  envelope TEXT NOT NULL
);
CREATE TABLE signing_keys (
  keyid TEXT PRIMARY KEY,
  alg TEXT NOT NULL,
  spki_der TEXT NOT NULL,
  not_before BIGINT NOT NULL,
  not_after BIGINT,
  revoked_at BIGINT
);
CREATE TABLE installation (
  id BIGINT PRIMARY KEY,
  log_origin TEXT NOT NULL
);
`,
  },
  ...attestationMigrations,
];
