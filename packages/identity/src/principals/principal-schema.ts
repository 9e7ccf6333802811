import type { Migration } from '@palisade/kernel';

/**
 * `principals`: whoever may use the installation; a row is never deleted. `name_key` is the name in lower case: no two names differ in
 * that alone. `role` is of people. Times are protected ms.
 */
export const principalMigrations: readonly Migration[] = [
  {
    id: 'identity/0001-principals',
    sql: `
CREATE TABLE principals (
  id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  kind TEXT NOT NULL,
  role TEXT,
  disabled_at BIGINT,
  revision BIGINT NOT NULL,
  created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX principals_by_name ON principals (name_key);
`,
  },
];
