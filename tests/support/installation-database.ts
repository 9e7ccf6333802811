import { randomUUID } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { layoutOf } from '@palisade/server';
import { Client } from 'pg';
import { describe } from 'vitest';

/** Where a test's installation keeps its database. */
export interface InstallationDatabase {
  /** Environment for child processes of the installation. */
  readonly env: Readonly<Record<string, string>>;
  /** Runs a body of this process with that environment. */
  within<T>(body: () => Promise<T>): Promise<T>;
  /** Changes what is stored behind the back of the control plane in `root`; returns the number of rows. */
  tamper(root: string, sql: string): Promise<number>;
}

/** Makes a new database for one installation. */
export type MakeDatabase = () => Promise<InstallationDatabase>;

/** The SQLite file of the installation itself. */
export const onSqlite: MakeDatabase = async () => placed({});

export type Dialect = 'sqlite' | 'postgres';

/** Runs a suite of whole installations on SQLite and on PostgreSQL (skipped, and said so, where no server is given). */
export function eachInstallationDatabase(
  name: string,
  suite: (make: MakeDatabase, dialect: Dialect) => void,
): void {
  describe(`${name} (sqlite)`, () => suite(onSqlite, 'sqlite'));
  const server = process.env['PALISADE_TEST_POSTGRES'];
  const title = `${name} (postgres)`;
  if (server === undefined) describe.skip(`${title}: PALISADE_TEST_POSTGRES names no server`, () => {});
  else describe(title, () => suite(async () => placed(await freshDatabase(server)), 'postgres'));
}

function placed(env: Record<string, string>): InstallationDatabase {
  return {
    env,
    async within(body) {
      const before = process.env['PALISADE_DATABASE_URL'];
      Object.assign(process.env, env);
      try {
        return await body();
      } finally {
        if (before === undefined) delete process.env['PALISADE_DATABASE_URL'];
        else process.env['PALISADE_DATABASE_URL'] = before;
      }
    },
    async tamper(root, sql) {
      const url = env['PALISADE_DATABASE_URL'];
      if (url === undefined) {
        const file = new DatabaseSync(layoutOf(root).database, { timeout: 10_000 });
        const { changes } = file.prepare(sql).run();
        file.close();
        return Number(changes);
      }
      const client = new Client({ connectionString: url });
      await client.connect();
      const { rowCount } = await client.query(sql);
      await client.end();
      return rowCount ?? 0;
    },
  };
}

/** Makes an empty PostgreSQL database; gives the environment that names it. */
export async function freshDatabase(server: string): Promise<Record<string, string>> {
  const name = `palisade_${randomUUID().replaceAll('-', '')}`;
  const client = new Client({ connectionString: server });
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { PALISADE_DATABASE_URL: url.href };
}
