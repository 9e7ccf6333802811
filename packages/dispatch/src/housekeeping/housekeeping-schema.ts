import type { Migration } from '@palisade/kernel';

/** When each chore is due again, in protected ms. */
export const housekeepingMigrations: readonly Migration[] = [
  {
    id: 'dispatch-housekeeping-0001',
    sql: `
CREATE TABLE chores (
  name TEXT PRIMARY KEY,
  due_at BIGINT NOT NULL
);
`,
  },
];
