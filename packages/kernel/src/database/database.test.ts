import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { PalisadeError } from '@palisade/contracts';
import { expect, it } from 'vitest';
import { probeMigrations as migrations, type ProbeTables } from '../../test/probe-schema.ts';
import { eachDatabase } from '../testing/index.ts';
import type { Database, ReadTx, WriteTx } from './database.ts';

const insert = (tx: WriteTx, id: string, n = 0): Promise<number> =>
  tx.sql.run('INSERT INTO probe (id, n) VALUES (?, ?)', [id, n]);
const ids = async (database: Database): Promise<string[]> =>
  (await database.read((tx) => tx.sql.all<{ id: string }>('SELECT id FROM probe ORDER BY id'))).map(
    ({ id }) => id,
  );

eachDatabase('unit of work', (open, dialect) => {
  it('what follows a commit is no part of the call that committed, nor of another that woke the writer', async () => {
    const database = await open({ migrations });
    const calls = new AsyncLocalStorage<string>();
    const seen: (string | undefined)[] = [];
    await Promise.all(
      ['ann', 'bob', 'cid'].map((who) =>
        calls.run(who, () =>
          database.write(async (tx) => {
            await insert(tx, who);
            tx.afterCommit(() => seen.push(calls.getStore()));
          }),
        ),
      ),
    );
    expect(seen).toEqual([undefined, undefined, undefined]);
  });

  it('one failing body of many concurrent ones rolls back alone', async () => {
    const database = await open({ migrations });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 40 }, (_, i) =>
        database.write(async (tx) => {
          await insert(tx, `row-${i}`);
          if (i % 10 === 3) throw new PalisadeError('policy_denied', `not ${i}`);
          return i;
        }),
      ),
    );
    for (const [i, outcome] of outcomes.entries())
      if (i % 10 === 3)
        expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'policy_denied' } });
      else expect(outcome).toEqual({ status: 'fulfilled', value: i });
    expect(await ids(database)).toHaveLength(36);
    expect(await ids(database)).not.toContain('row-13');
  });

  it('an answered write is visible to every other connection', async () => {
    const [one, other] = [await open({ migrations }), await open({ migrations })];
    for (let i = 0; i < 10; i++) {
      await one.write((tx) => insert(tx, `row-${i}`));
      expect(await ids(other)).toHaveLength(i + 1);
    }
  });

  it('a read body sees one snapshot while others write', async () => {
    const database = await open({ migrations });
    await database.write((tx) => insert(tx, 'first'));
    const count = async (tx: ReadTx): Promise<number> =>
      (await tx.sql.get<{ n: number }>('SELECT COUNT(*) AS n FROM probe'))?.n ?? -1;
    const seen = await database.read(async (tx) => {
      const before = await count(tx);
      await database.write((inner) => insert(inner, 'second'));
      return [before, await count(tx)];
    });
    expect(seen).toEqual([1, 1]);
    expect(await ids(database)).toHaveLength(2);
  });

  it('a read body cannot write', async () => {
    const database = await open({ migrations });
    await expect(
      database.read((tx) => tx.sql.run("INSERT INTO probe (id, n) VALUES ('x', 1)")),
    ).rejects.toMatchObject({ code: 'internal' });
    expect(await ids(database)).toEqual([]);
  });

  it('a statement that failed fails its body even when the error was swallowed', async () => {
    const database = await open({ migrations });
    await database.write((tx) => insert(tx, 'taken'));
    const outcome = database.write(async (tx) => {
      await insert(tx, 'before');
      await insert(tx, 'taken').catch(() => undefined);
      return 'carried on';
    });
    await expect(outcome).rejects.toMatchObject({ code: 'internal' });
    expect(await ids(database)).toEqual(['taken']);
  });

  it('a transaction is dead once its body settled', async () => {
    const database = await open({ migrations });
    const leaked = await database.write(async (tx) => ({ tx }));
    await expect(insert(leaked.tx, 'late')).rejects.toMatchObject({ code: 'internal' });
    const read = await database.read(async (tx) => ({ tx }));
    await expect(read.tx.sql.all('SELECT 1')).rejects.toMatchObject({ code: 'internal' });
    expect(await ids(database)).toEqual([]);
  });

  it('EX-100: a body that waits for something else is refused and frees the writer', async () => {
    const database = await open({ migrations });
    const stuck = database.write(async (tx) => {
      await insert(tx, 'stuck');
      await new Promise(() => undefined);
    });
    const verdict = expect(stuck).rejects.toMatchObject({ code: 'internal' });
    await database.write((tx) => insert(tx, 'next'));
    await verdict;
    expect(await ids(database)).toEqual(['next']);
  });

  it('effects run after the commit, in order; a throw is reported and undoes nothing', async () => {
    const faults: unknown[] = [];
    const database = await open({ migrations, onFault: (error) => faults.push(error) });
    const ran: string[] = [];
    await database.write(async (tx) => {
      tx.afterCommit(() => ran.push('one'));
      tx.afterCommit(() => {
        throw new Error('effect');
      });
      tx.afterCommit(() => ran.push('two'));
      await insert(tx, 'kept');
      expect(ran).toEqual([]);
    });
    expect(ran).toEqual(['one', 'two']);
    expect(faults).toMatchObject([{ message: 'effect' }]);
    const refused = database.write(async (tx) => {
      tx.afterCommit(() => ran.push('never'));
      throw new Error('no');
    });
    await expect(refused).rejects.toThrow('no');
    expect(ran).toEqual(['one', 'two']);
    expect(await ids(database)).toEqual(['kept']);
  });

  it('the query builder runs in the same transaction and tells the rows it changed', async () => {
    const database = await open({ migrations });
    await database.write(async (tx) => {
      await insert(tx, 'a', 1);
      const probe = tx.query<ProbeTables>();
      await probe
        .insertInto('probe')
        .values([{ id: 'b', n: 2 ** 40, note: "it's ? $1" }])
        .execute();
      const updated = await probe.updateTable('probe').set({ n: 7 }).where('id', '=', 'a').executeTakeFirst();
      expect(updated.numUpdatedRows).toBe(1n);
    });
    const rows = await database.read((tx) =>
      tx.query<ProbeTables>().selectFrom('probe').selectAll().orderBy('id').execute(),
    );
    expect(rows.map((row) => ({ ...row }))).toEqual([
      { id: 'a', n: 7, note: null },
      { id: 'b', n: 2 ** 40, note: "it's ? $1" },
    ]);
    await expect(
      database.write((tx) =>
        tx
          .query<ProbeTables>()
          .transaction()
          .execute(async () => undefined),
      ),
    ).rejects.toMatchObject({ code: 'internal' });
  });

  it('placeholders inside literals, names and comments stay; sums of integers are numbers', async () => {
    const database = await open({ migrations });
    await database.write(async (tx) => {
      await insert(tx, 'a', 2);
      await insert(tx, 'b', 3);
    });
    const row = await database.read((tx) =>
      tx.sql.get<Record<string, unknown>>(
        `SELECT 'it''s ?' AS q, SUM(n) AS "sum?", COUNT(*) AS c /* ? */ FROM probe WHERE n > ? -- ?
         AND n < ?`,
        [1, 9],
      ),
    );
    expect({ ...row }).toEqual({ q: "it's ?", 'sum?': 5, c: 2 });
  });

  it('FF-070: a raw NUL, which one database cannot hold, is refused by both', async () => {
    const database = await open({ migrations });
    await expect(database.write((tx) => insert(tx, 'a\0b'))).rejects.toMatchObject({ code: 'invalid_input' });
  });

  it('a commit of another connection is announced', async () => {
    const [one, other] = [await open({ migrations }), await open({ migrations })];
    const calls: true[] = [];
    const stop = one.onForeignCommit(() => calls.push(true));
    // On PostgreSQL the first call only follows the subscription.
    const enough = dialect === 'postgres' ? 2 : 1;
    for (let i = 0; calls.length < enough; i++) {
      await other.write((tx) => insert(tx, `row-${i}`));
      await delay(10);
    }
    stop();
  });

  it('close waits for what was accepted and refuses the rest', async () => {
    const database = await open({ migrations });
    const accepted = Array.from({ length: 20 }, (_, i) => database.write((tx) => insert(tx, `row-${i}`)));
    const closed = database.close();
    await expect(database.write((tx) => insert(tx, 'late'))).rejects.toMatchObject({ code: 'internal' });
    await Promise.all([...accepted, closed]);
    expect(await ids(await open({ migrations }))).toHaveLength(20);
  });
});
