import type { Migration } from '@palisade/kernel';

/**
 * `log_checkpoints` keeps every head of the log that somebody outside attested: the log's own files show the
 * newest only. `log_cosignatures` has what witnesses said of it. `log_attesters` tells of each authority and
 * witness how it went last, so that a failure is seen and tried again.
 */
export const attestationMigrations: readonly Migration[] = [
  {
    id: 'attestations-0001',
    sql: `
CREATE TABLE log_checkpoints (
  tree_size BIGINT PRIMARY KEY,
  note TEXT NOT NULL,
  timestamp_token TEXT,
  attested_at BIGINT
);
CREATE TABLE log_cosignatures (
  tree_size BIGINT NOT NULL,
  witness TEXT NOT NULL,
  line TEXT NOT NULL,
  PRIMARY KEY (tree_size, witness)
);
CREATE TABLE log_attesters (
  name TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  tree_size BIGINT NOT NULL,
  attested_at BIGINT,
  failures BIGINT NOT NULL,
  last_error TEXT,
  next_try_at BIGINT NOT NULL
);
`,
  },
];
