import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

/** Runs a suite on every database. Each test starts with an empty one. */
export function eachDatabase(
  name: string,
  suite: (open: OpenDatabase, dialect: Database['dialect']) => void,
): void {
  describe(`${name} (sqlite)`, () => suite(placed(sqlite), 'sqlite'));
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
