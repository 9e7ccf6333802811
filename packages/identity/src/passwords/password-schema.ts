import type { Migration } from '@palisade/kernel';

/** `passwords`: the slow hash of each person's password. */
export const passwordMigrations: readonly Migration[] = [
  {
    id: 'identity/0003-passwords',
    sql: `
CREATE TABLE passwords (
  principal TEXT NOT NULL PRIMARY KEY REFERENCES principals (id),
  hash TEXT NOT NULL,
  changed_at BIGINT NOT NULL
);
`,
  },
];
