import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { probeMigrations as migrations } from '../../test/probe-schema.ts';
import { eachDatabase } from '../testing/index.ts';
import type { Database } from './database.ts';

const touch = (database: Database): Promise<number> =>
  database.write(async (tx) => {
    await tx.sql.run(
      `INSERT INTO probe (id, n) VALUES ('t', ?) ON CONFLICT (id) DO UPDATE SET n = excluded.n`,
      [tx.now],
    );
    return tx.now;
  });

eachDatabase('protected clock', (open) => {
  it('AC-129: time never goes backwards, over jumps of the wall clock, connections and restarts', async () => {
    let wall = 0;
    const wallClock = (): number => wall;
    let databases = [await open({ migrations, wallClock }), await open({ migrations, wallClock })];
    let last = 0;
    const step = fc.record({
      wall: fc.integer({ min: 0, max: 2_000_000_000_000 }),
      by: fc.integer({ min: 0, max: 1 }),
      restart: fc.boolean(),
    });
    for (const { wall: jump, by, restart } of fc.sample(step, 25)) {
      wall = jump;
      if (restart) {
        await databases[by]?.close();
        databases = databases.with(by, await open({ migrations, wallClock }));
      }
      const database = databases[by];
      if (database === undefined) throw new Error('unreachable');
      const now = await touch(database);
      expect(now).toBe(Math.max(last, wall));
      last = now;
    }
  });

  it('follows real time when nothing is injected', async () => {
    const database = await open({ migrations });
    const before = Date.now();
    const now = await touch(database);
    expect(now).toBeGreaterThanOrEqual(before - 1_000);
    expect(now).toBeLessThanOrEqual(Date.now() + 1_000);
    expect(await touch(database)).toBeGreaterThanOrEqual(now);
  });

  it('a unit of work that changed nothing leaves no trace that would wake others', async () => {
    const [one, other] = [await open({ migrations }), await open({ migrations })];
    await touch(one);
    const stored = async (): Promise<unknown> =>
      one.dialect === 'sqlite'
        ? one.read((tx) => tx.sql.all('SELECT now FROM kernel_clock'))
        : one.read((tx) => tx.sql.all('SELECT last_value FROM kernel_clock_floor'));
    const before = await stored();
    await other.write((tx) => tx.jobs.claim(['nothing'], 'me', 1_000));
    expect(await stored()).toEqual(before);
  });
});
