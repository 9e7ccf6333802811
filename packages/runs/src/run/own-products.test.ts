import { contentHash, type ProductFacts } from '@palisade/contracts';
import type { Database } from '@palisade/kernel';
import { eachDatabase } from '@palisade/kernel/testing';
import { expect, it } from 'vitest';
import { finishChildRun, keepProduct, ownProducts, removeParts, runMigrations } from '../index.ts';

const patch = contentHash('patch');
const conflicts = contentHash('conflicts');
const log = contentHash('log');
const state = contentHash('state');
const partial = contentHash('partial');
const output = contentHash('output');
const listed = contentHash('listed');
const other = contentHash('other');
const whole = {
  result_ref: patch,
  conflicts_ref: conflicts,
  log_ref: log,
  agent_session: { harness: 'x', id: 's', state_ref: state },
  question: { question: 'which?', partial_state: { ref: partial, size: 1 } },
  outputs: [{ path: other, ref: output, size: 1 }],
  image: other,
  summary: other,
} satisfies ProductFacts;
const every = [patch, conflicts, log, state, partial, output, listed, other];
const end = { state: 'completed', outcome: 'succeeded', exitCode: 0, code: null, reason: null } as const;

/** A run with one attempt, which may have left something already. */
async function attempt(database: Database, project: string, run: string, product: string | null = null) {
  const insert = `INSERT INTO runs (id, project, kind, parent_run_id, state, title, queue, actor, submitted_at, started_at, product)
    VALUES (?, ?, 'plan', ?, 'running', 't', 'default', 'a', 1, 1, ?)`;
  await database.write(async (tx) => {
    await tx.sql.run(insert, [run, project, null, null]);
    await tx.sql.run(insert, [`${run}-a`, project, run, product]);
  });
  return `${run}-a`;
}

eachDatabase('what a project left', (open) => {
  it('EX-020: is what its products refer to and what was cut from them, and nothing they only speak of', async () => {
    const database = await open({ migrations: runMigrations });
    const id = await attempt(database, 'ours', 'r');
    await attempt(database, 'ours', 'q');
    await attempt(database, 'theirs', 't');
    await database.write((tx) => keepProduct(tx, 't-a', { result_ref: other }));
    await database.write((tx) =>
      finishChildRun(tx, id, { ...end, product: whole, listed: [output, listed] }),
    );
    const own = (project: string, runId?: string) => ownProducts(database, { project, runId }, every);
    const left = new Set(every.slice(0, -1));
    expect(await own('ours')).toEqual(left);
    expect(await own('ours', 'r')).toEqual(left);
    expect(await own('ours', 'q')).toEqual(new Set());
    expect(await own('ours', 't')).toEqual(new Set());
    expect(await own('theirs')).toEqual(new Set([other]));
  });

  it('EX-020: an attempt whose end is not committed has left nothing, and one that ended leaves nothing more', async () => {
    const database = await open({ migrations: runMigrations });
    const id = await attempt(database, 'ours', 'r');
    const failing = database.write(async (tx) => {
      await finishChildRun(tx, id, { ...end, product: whole });
      throw new Error('undone');
    });
    await expect(failing).rejects.toThrow('undone');
    expect(await ownProducts(database, { project: 'ours' }, every)).toEqual(new Set());
    await database.write((tx) => finishChildRun(tx, id, { ...end, product: null }));
    await database.write((tx) => keepProduct(tx, id, whole));
    expect(await ownProducts(database, { project: 'ours' }, every)).toEqual(new Set());
  });

  it('FF-098: products from before there was a record are read for what they refer to, of listings nothing', async () => {
    const before = runMigrations.filter(({ id }) => id !== 'runs-0008-product-refs');
    expect(before).toHaveLength(runMigrations.length - 1);
    const old = await open({ migrations: before });
    // More than are read at once; some that cannot be read; one that was retired since.
    for (let n = 0; n < 50; n++)
      await attempt(
        old,
        'ours',
        `r${n}`,
        JSON.stringify({ result_ref: contentHash(`old ${n}`), summary: other }),
      );
    await attempt(old, 'ours', 'broken', `{"result_ref": "${other}"`);
    await attempt(old, 'ours', 'strange', JSON.stringify({ result_ref: other, nobody: 'knows' }));
    await attempt(old, 'ours', 'gone', JSON.stringify({ result_ref: other }));
    await attempt(old, 'theirs', 't', JSON.stringify({ result_ref: other }));
    await old.close();
    const database = await open({ migrations: runMigrations });
    await database.write((tx) => tx.sql.run("UPDATE runs SET retired_at = 1 WHERE id = 'gone'"));
    const refs = Array.from({ length: 50 }, (_, n) => contentHash(`old ${n}`));
    const own = (project: string) => ownProducts(database, { project }, [...refs, other]);
    // Both at once, as two requests would.
    for (const found of await Promise.all([own('ours'), own('ours')])) expect(found).toEqual(new Set(refs));
    expect(await own('theirs')).toEqual(new Set([other]));
    const left = await database.read((tx) => tx.sql.all('SELECT id FROM unread_products'));
    expect(left).toEqual([]);
  });

  it('DI-082: what a run left goes with it, read or not, and what another one left as well stays', async () => {
    const before = runMigrations.filter(({ id }) => id !== 'runs-0008-product-refs');
    const old = await open({ migrations: before });
    await attempt(old, 'theirs', 'unread', JSON.stringify(whole));
    await old.close();
    const database = await open({ migrations: runMigrations });
    for (const run of ['r', 'q']) {
      const id = await attempt(database, 'ours', run);
      await database.write((tx) => finishChildRun(tx, id, { ...end, product: whole }));
    }
    await database.write((tx) => tx.sql.run("UPDATE runs SET retired_at = 1 WHERE id IN ('r', 'unread')"));
    const own = (runId: string) => ownProducts(database, { project: 'ours', runId }, every);
    expect((await own('r')).size).toBe(0);
    for (const run of ['r', 'unread']) while (!(await database.write((tx) => removeParts(tx, run, 2))));
    const rows = (table: string) =>
      database.read((tx) => tx.sql.all<{ run_id: string }>(`SELECT DISTINCT run_id FROM ${table}`));
    expect((await rows('product_refs')).map((row) => row.run_id)).toEqual(['q']);
    expect(await rows('unread_products')).toEqual([]);
    expect((await own('q')).size).toBe(6);
  });

  it('EX-020: of a thousand addresses each is answered, also one that is asked twice', async () => {
    const database = await open({ migrations: runMigrations });
    const id = await attempt(database, 'ours', 'r');
    const outputs = Array.from({ length: 1_000 }, (_, n) => contentHash(`${n}`));
    await database.write((tx) => finishChildRun(tx, id, { ...end, product: {}, listed: outputs }));
    const asked = [...outputs, ...outputs, ...every];
    expect(await ownProducts(database, { project: 'ours' }, asked)).toEqual(new Set(outputs));
  });
});
