import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PostgresServer } from '../../../../../tests/support/postgres.ts';
import { openDatabase } from '../../index.ts';

const MINUTES = 60_000;

describe.skipIf(process.env['PALISADE_TEST_POSTGRES'] === undefined)(
  'a PostgreSQL that lets nobody in',
  () => {
    let server: PostgresServer;
    const run = async (...statements: string[]): Promise<{ hba_file?: string }[]> => {
      const client = new Client({ connectionString: server.url });
      await client.connect();
      let rows: { hba_file?: string }[] = [];
      for (const statement of statements) ({ rows } = await client.query<{ hba_file?: string }>(statement));
      await client.end();
      return rows;
    };
    const refusal = (change: (url: URL) => void): Promise<unknown> => {
      const url = new URL(server.url);
      change(url);
      return openDatabase({ url: url.href }).then(
        async (database) => database.close(),
        (error: unknown) => error,
      );
    };

    beforeAll(async () => {
      const created = await PostgresServer.create();
      if (created === null) throw new Error('this machine has no PostgreSQL');
      server = created;
      const [{ hba_file: hba } = { hba_file: '' }] = await run('SHOW hba_file');
      await run(
        "CREATE ROLE locked LOGIN PASSWORD 'right'",
        `COPY (VALUES ('host all locked all scram-sha-256'), ('host all all all trust')) TO '${hba}'`,
        'SELECT pg_reload_conf()',
        'CREATE ROLE limited LOGIN',
        'REVOKE CREATE ON SCHEMA public FROM PUBLIC',
        'CREATE ROLE barred NOLOGIN',
        'CREATE DATABASE closed',
        'REVOKE CONNECT ON DATABASE closed FROM PUBLIC',
      );
    }, 4 * MINUTES);
    afterAll(() => server.remove());

    it.each([
      ['a database that is not there', (url: URL) => (url.pathname = '/missing'), 'no database "missing"'],
      ['a user that is not there', (url: URL) => (url.username = 'nobody'), 'lets no user "nobody"'],
      ['a user that may not sign in', (url: URL) => (url.username = 'barred'), 'lets no user "barred"'],
      ['a user without rights', (url: URL) => (url.username = 'limited'), 'user "limited" may not'],
      [
        'a database that is closed to the user',
        (url: URL) => Object.assign(url, { username: 'limited', pathname: '/closed' }),
        '"limited" may not connect to "closed"',
      ],
      ['a wrong password', (url: URL) => (url.username = 'locked'), 'password of the user "locked"'],
      [
        'no password',
        (url: URL) => Object.assign(url, { username: 'locked', password: '' }),
        'asks for a password of "locked"',
      ],
      [
        'a host that is not there',
        (url: URL) => (url.hostname = 'nowhere.invalid'),
        'no host nowhere.invalid',
      ],
    ])(
      '%s is said by its name, with what helps, and never as a fault of the product',
      async (_, change, words) => {
        const refused = await refusal((url) => {
          url.password = 'hunter2';
          change(url);
        });
        expect(refused).toMatchObject({ code: 'requirements_unmet', facts: { exit: 6 } });
        expect(String(refused)).toContain(words);
        expect(String(refused)).toContain('PALISADE_DATABASE_URL');
        expect(String(refused)).not.toContain('hunter2');
        expect((refused as { next?: string }).next).toMatch(/\w/);
      },
    );
  },
);
