import { PalisadeError } from '@palisade/contracts';
import { expect, it } from 'vitest';
import { probeMigrations as migrations } from '../../test/probe-schema.ts';
import { compactReceipts, type Database } from '../index.ts';
import { eachDatabase } from '../testing/index.ts';

const effects = async (database: Database): Promise<number> =>
  (await database.read((tx) => tx.sql.get<{ n: number }>('SELECT COUNT(*) AS n FROM probe')))?.n ?? -1;

eachDatabase('receipts', (open) => {
  const once = (database: Database, key: string, request: unknown, ...[answer = { id: 'made' }]: unknown[]) =>
    database.write((tx) =>
      tx.receipts.once('prn_1/prj_1/runs.create', key, request, async () => {
        await tx.sql.run('INSERT INTO probe (id, n) VALUES (?, 1)', [`${key}-${Math.random()}`]);
        return answer;
      }),
    );

  it('the same request again, however its members are ordered, gets the first answer and no second effect', async () => {
    const database = await open({ migrations });
    const answer = { id: 'made', list: [1, null, 'é \0'] };
    expect(await once(database, 'k', { a: 1, b: 2 }, answer)).toEqual({ value: answer, replayed: false });
    expect(await once(database, 'k', { b: 2, a: 1 }, { id: 'other' })).toEqual({
      value: answer,
      replayed: true,
    });
    expect(await effects(database)).toBe(1);
    const nothing = () => database.write((tx) => tx.receipts.once('s', 'void', null, async () => undefined));
    expect(await nothing()).toEqual({ value: undefined, replayed: false });
    expect(await nothing()).toEqual({ value: undefined, replayed: true });
  });

  it('another request under the key is refused, another key or scope is not', async () => {
    const database = await open({ migrations });
    await once(database, 'k', { a: 1 });
    await expect(once(database, 'k', { a: 2 })).rejects.toMatchObject({ code: 'idempotency_mismatch' });
    await once(database, 'other', { a: 2 });
    await database.write((tx) => tx.receipts.once('other scope', 'k', { a: 2 }, async () => 1));
    expect(await effects(database)).toBe(2);
  });

  it('many callers of one key at once: one executes, all get its answer', async () => {
    const databases = [await open({ migrations }), await open({ migrations })];
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        once(databases[i % 2] as Database, 'k', { a: 1 }, `answer of ${i}`),
      ),
    );
    expect(new Set(answers.map(({ value }) => value)).size).toBe(1);
    expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(await effects(databases[0] as Database)).toBe(1);
  });

  it('a failed execution leaves no receipt, so the next try executes', async () => {
    const database = await open({ migrations });
    const failing = database.write((tx) =>
      tx.receipts.once('s', 'k', { a: 1 }, async () => {
        throw new PalisadeError('policy_denied', 'not now');
      }),
    );
    await expect(failing).rejects.toMatchObject({ code: 'policy_denied' });
    const again = await database.write((tx) => tx.receipts.once('s', 'k', { a: 1 }, async () => 'done'));
    expect(again).toEqual({ value: 'done', replayed: false });
  });

  it('a compacted answer is gone for good but its request is never executed again', async () => {
    let wall = 1_000;
    const database = await open({ migrations, wallClock: () => wall });
    for (let i = 0; i < 5; i++) await once(database, `old-${i}`, { a: 1 });
    wall = 2_000;
    await once(database, 'young', { a: 1 });
    expect(await compactReceipts(database, 2_000, { batch: 2 })).toBe(5);
    expect(await compactReceipts(database, 2_000, { batch: 2 })).toBe(0);
    await expect(once(database, 'old-3', { a: 1 })).rejects.toMatchObject({
      code: 'idempotency_result_expired',
    });
    await expect(once(database, 'old-3', { a: 2 })).rejects.toMatchObject({ code: 'idempotency_mismatch' });
    expect((await once(database, 'young', { a: 1 })).replayed).toBe(true);
    expect(await effects(database)).toBe(6);
  });
});
