import { expect, it } from 'vitest';
import { eachDatabase } from '../testing/index.ts';

const history = {
  id: 'test/0001-history',
  sql: 'CREATE TABLE history (n BIGINT NOT NULL PRIMARY KEY, note TEXT NOT NULL);\n/* immutable: history */',
};

eachDatabase('immutable tables', (open) => {
  it('AC-071: rows can be added, and neither changed nor deleted', async () => {
    const database = await open({ migrations: [history] });
    const run = (sql: string) => database.write((tx) => tx.sql.run(sql));
    await run("INSERT INTO history (n, note) VALUES (1, 'as it was')");
    for (const sql of [
      "UPDATE history SET note = 'better' WHERE n = 1",
      'DELETE FROM history',
      "INSERT INTO history (n, note) VALUES (1, 'x') ON CONFLICT (n) DO UPDATE SET note = excluded.note",
    ])
      await expect(run(sql)).rejects.toThrow();
    await run("INSERT INTO history (n, note) VALUES (2, 'after')");
    expect(await database.read((tx) => tx.sql.all('SELECT n, note FROM history ORDER BY n'))).toEqual([
      { n: 1, note: 'as it was' },
      { n: 2, note: 'after' },
    ]);
  });
});
