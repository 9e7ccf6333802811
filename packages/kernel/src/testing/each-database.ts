import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterEach, beforeEach, describe } from 'vitest';
import type { Database } from '../database/database.ts';
import { openDatabase } from '../database/open-database.ts';
import type { DatabaseOptions } from '../database/options.ts';

/** Opens the current test's database; again for a second connection, replica or restart. All are closed after the test. */
export interface OpenDatabase {
  (options?: Omit<DatabaseOptions, 'url'>): Promise<Database>;
  /** Where the current test's database is, for a child process. */
  url(): string;
}

/** Where a dialect's suites keep the database of each test. */
interface Place {
  readonly create: () => Promise<string>;
  readonly remove: (url: string) => Promise<void>;
}

const sqlite: Place = {
  create: async () => join(await mkdtemp(join(tmpdir(), 'palisade-test-')), 'palisade.db'),
  remove: (url) => rm(join(url, '..'), { recursive: true, force: true }),
};

/** A schema of its own on the given server. */
function postgres(server: string): Place {
  const onServer = async (sql: string): Promise<void> => {
    const client = new Client({ connectionString: server });
    await client.connect();
    try {
      await client.query(sql);
    } finally {
      await client.end();
    }
  };
  const schemaOf = (url: string): string => /search_path=(\w+)/.exec(decodeURIComponent(url))?.[1] ?? '';
  return {
    create: async () => {
      const schema = `palisade_test_${randomBytes(8).toString('hex')}`;
      await onServer(`CREATE SCHEMA ${schema}`);
      const url = new URL(server);
      url.searchParams.set('options', `-c search_path=${schema}`);
      return url.href.replaceAll('+', '%20');
    },
    remove: (url) => onServer(`SET client_min_messages = warning; DROP SCHEMA ${schemaOf(url)} CASCADE`),
  };
}

/**
 * Runs a suite on SQLite and, on the server that `PALISADE_TEST_POSTGRES` names, on PostgreSQL. Each test
 * starts with an empty database.
 */
export function eachDatabase(
  name: string,
  suite: (open: OpenDatabase, dialect: Database['dialect']) => void,
): void {
  describe(`${name} (sqlite)`, () => suite(placed(sqlite), 'sqlite'));
  const server = process.env['PALISADE_TEST_POSTGRES'];
  if (server === undefined)
    describe.skip(`${name} (postgres): PALISADE_TEST_POSTGRES names no server`, () =>
      suite(placed(sqlite), 'postgres'));
  else describe(`${name} (postgres)`, () => suite(placed(postgres(server)), 'postgres'));
}

function placed(place: Place): OpenDatabase {
  let url = '';
  let opened: Database[] = [];
  beforeEach(async () => {
    url = await place.create();
  });
  afterEach(async () => {
    await Promise.all(opened.map((database) => database.close()));
    opened = [];
    await place.remove(url);
  });
  const open = async (options: Omit<DatabaseOptions, 'url'> = {}): Promise<Database> => {
    const database = await openDatabase({ ...options, url });
    opened.push(database);
    return database;
  };
  return Object.assign(open, { url: () => url });
}
