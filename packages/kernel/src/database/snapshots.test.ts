import { expect, it } from 'vitest';
import { probeMigrations as migrations } from '../../test/probe-schema.ts';
import { eachDatabase } from '../testing/index.ts';
import type { Database, SqlRow, SqlValue } from './database.ts';

const ALL = 'SELECT id, n, note FROM probe ORDER BY id';
const put = (database: Database, id: string, n: number): Promise<number> =>
  database.write((tx) =>
    tx.sql.run('INSERT INTO probe (id, n) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET n = excluded.n', [
      id,
      n,
    ]),
  );
const all = (database: Database): Promise<SqlRow[]> => database.read((tx) => tx.sql.all(ALL));

eachDatabase('what was read before', (open) => {
  it('AC-056: is not told again once anybody has committed, whoever reads', async () => {
    const [one, other] = [await open({ migrations }), await open({ migrations })];
    for (let n = 0; n < 20; n++) {
      await put(n % 2 === 0 ? one : other, 'a', n);
      for (const database of [one, other, one])
        expect(await all(database)).toEqual([{ id: 'a', n, note: null }]);
    }
    // Several readers at once, each with a connection of its own.
    await put(other, 'a', 99);
    const rows = await Promise.all(Array.from({ length: 8 }, () => all(one)));
    expect(new Set(rows.map(([row]) => row?.['n']))).toEqual(new Set([99]));
  });

  it('is as it was stored, whatever somebody did with the rows', async () => {
    const database = await open({ migrations });
    await put(database, 'a', 1);
    await put(database, 'b', 2);
    const rows = await all(database);
    for (const row of rows) row['n'] = 77;
    rows.pop();
    expect(await all(database)).toEqual([
      { id: 'a', n: 1, note: null },
      { id: 'b', n: 2, note: null },
    ]);
    const first = await database.read((tx) => tx.sql.get(ALL));
    Object.assign(first ?? {}, { id: 'z' });
    expect(await database.read((tx) => tx.sql.get(ALL))).toEqual({ id: 'a', n: 1, note: null });
  });

  it('is told to nobody who asks for something else', async () => {
    const database = await open({ migrations });
    for (const id of ['1', '2', 'null', '1,2']) await put(database, id, Number(id[0]) || 0);
    const find = (params: SqlValue[]): Promise<unknown> =>
      database.read((tx) =>
        tx.sql.get(`SELECT id FROM probe WHERE id = ? AND COALESCE(?, 'none') <> 'other'`, params),
      );
    for (let again = 0; again < 2; again++) {
      expect(await find(['1', null])).toEqual({ id: '1' });
      expect(await find(['1', 'other'])).toBeUndefined();
      expect(await find(['null', 'null'])).toEqual({ id: 'null' });
      expect(await find(['1,2', null])).toEqual({ id: '1,2' });
      expect(await find(['3', null])).toBeUndefined();
      // The first row and every row are not the same question.
      expect(await database.read((tx) => tx.sql.get(ALL))).toMatchObject({ id: '1' });
      expect(await all(database)).toHaveLength(4);
    }
  });

  it('is forgotten before it fills the memory, and answered in full however large it is', async () => {
    const database = await open({ migrations });
    await database.write(async (tx) => {
      for (let i = 0; i < 600; i++)
        await tx.sql.run('INSERT INTO probe (id, n, note) VALUES (?, ?, ?)', [`${i}`, i, 'x'.repeat(5_000)]);
    });
    for (let again = 0; again < 2; again++) {
      expect(await all(database)).toHaveLength(600);
      for (let i = 0; i < 600; i++) {
        const row = await database.read((tx) =>
          tx.sql.get('SELECT n, note FROM probe WHERE id = ?', [`${i}`]),
        );
        expect(row?.['n']).toBe(i);
      }
    }
  });
});
