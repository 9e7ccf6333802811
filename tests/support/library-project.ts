import { open, type OpenOptions, type Palisade } from '@palisade/embed';
import { afterEach } from 'vitest';
import type { MakeDatabase } from './installation-database.ts';
import { makeRepository, removeInstallation } from './installation.ts';

/** The library over a project of each test, closed and removed after it. */
export function libraryProject(makeDatabase: MakeDatabase) {
  let root = '';
  let opened: Palisade[] = [];
  let database: Pick<OpenOptions, 'database'> = {};
  afterEach(async () => {
    await Promise.all(opened.map((each) => each.close()));
    opened = [];
    removeInstallation(root);
    root = '';
  });
  return {
    /** The present project's directory. */
    get root() {
      return root;
    },
    /** What opens the database of the present project. */
    get database() {
      return database;
    },
    /** A fresh project with one file in git. */
    project: async (): Promise<string> => {
      root = makeRepository({ 'price.txt': '3 EUR\n' });
      const url = (await makeDatabase()).env['PALISADE_DATABASE_URL'];
      database = url === undefined ? {} : { database: url };
      return root;
    },
    openHere: async (options: Partial<OpenOptions> = {}): Promise<Palisade> => {
      const palisade = await open({ directory: root, actor: 'service:test', ...database, ...options });
      opened.push(palisade);
      return palisade;
    },
  };
}
