import { expect, it } from 'vitest';
import type { Migration } from './migration.ts';
import { eachDatabase } from '../testing/index.ts';

const first: Migration = {
  id: 'probe/0001-first',
  sql: "CREATE TABLE first (id TEXT NOT NULL PRIMARY KEY, n BIGINT NOT NULL); INSERT INTO first (id, n) VALUES ('seed', 1);",
};
const second: Migration = { id: 'probe/0002-second', sql: 'ALTER TABLE first ADD COLUMN extra TEXT' };

eachDatabase('migrations', (open) => {
  it('FF-098: a database of the previous release is brought forward with its data', async () => {
    const old = await open({ migrations: [first] });
    await old.write((tx) => tx.sql.run("INSERT INTO first (id, n) VALUES ('kept', 2)"));
    await old.close();
    const upgraded = await open({ migrations: [first, second] });
    const rows = await upgraded.read((tx) => tx.sql.all('SELECT id, n, extra FROM first ORDER BY n'));
    expect(rows.map((row) => ({ ...row }))).toEqual([
      { id: 'seed', n: 1, extra: null },
      { id: 'kept', n: 2, extra: null },
    ]);
  });

  it('many openers at once apply each step exactly once', async () => {
    const databases = await Promise.all(
      Array.from({ length: 5 }, () => open({ migrations: [first, second], connections: 2 })),
    );
    for (const database of databases) {
      const rows = await database.read((tx) => tx.sql.all('SELECT id FROM first'));
      expect(rows).toHaveLength(1);
    }
  });

  it('a program that is older than the database is refused and changes nothing', async () => {
    await (await open({ migrations: [first, second] })).close();
    await expect(open({ migrations: [first] })).rejects.toMatchObject({ code: 'database_newer' });
    await open({ migrations: [first, second] });
  });

  it('an applied step whose text changed is refused', async () => {
    await (await open({ migrations: [first] })).close();
    await expect(open({ migrations: [{ ...first, sql: `${first.sql} ` }] })).rejects.toMatchObject({
      code: 'migration_changed',
    });
  });

  it('a step that fails leaves nothing of itself or of the steps before it', async () => {
    const broken: Migration = {
      id: 'probe/0002-broken',
      sql: 'CREATE TABLE half (id TEXT); CREATE TABLE first (id TEXT)',
    };
    await expect(open({ migrations: [first, broken] })).rejects.toMatchObject({ code: 'internal' });
    const database = await open({ migrations: [first, { ...broken, sql: 'CREATE TABLE half (id TEXT)' }] });
    expect(await database.read((tx) => tx.sql.all('SELECT id FROM half'))).toEqual([]);
  });
});
