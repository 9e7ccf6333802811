import type { Migration } from '../src/index.ts';

/** A room's table, as the kernel's tests need one. */
export const probeMigrations: readonly Migration[] = [
  {
    id: 'probe/0001-rows',
    sql: 'CREATE TABLE probe (id TEXT NOT NULL PRIMARY KEY, n BIGINT NOT NULL, note TEXT)',
  },
];

export interface ProbeTables {
  readonly probe: { id: string; n: number; note: string | null };
}
