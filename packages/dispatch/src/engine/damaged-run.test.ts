import {
  cancelRun,
  getRun,
  listEvents,
  listProducts,
  listRuns,
  rerun,
  submitPlan,
} from '@palisade/contracts';
import type { Database } from '@palisade/kernel';
import { eachDatabase } from '@palisade/kernel/testing';
import { expect, it } from 'vitest';
import {
  command,
  done,
  engineStarter,
  migrations,
  ScriptedExecutor,
  statesOf,
} from '../../test/engine-rig.ts';

/** What can happen to the document of a run's plan. */
const DAMAGE = {
  'other content': "UPDATE documents SET body = '{}' WHERE ref = (SELECT plan_ref FROM runs WHERE id = ?)",
  'no JSON': "UPDATE documents SET body = 'x' WHERE ref = (SELECT plan_ref FROM runs WHERE id = ?)",
  gone: 'DELETE FROM documents WHERE ref = (SELECT plan_ref FROM runs WHERE id = ?)',
  'that of an attempt':
    "UPDATE runs SET plan_ref = (SELECT MAX(manifest_ref) FROM runs WHERE parent_run_id = 'r') WHERE id = ?",
} as const;

const damage = (database: Database, sql: string): Promise<number> =>
  database.write((tx) => tx.sql.run(sql, ['r']));

const PLAN = {
  items: [
    command('first'),
    command('live', { resourceLocks: ['db'] }),
    command('waits', { resourceLocks: ['db'] }),
    command('later', { depends_on: ['live'] }),
  ],
};

eachDatabase('a run whose stored plan is damaged', (open) => {
  const start = engineStarter(open);

  /** A run with one item done, one running and two that wait, left behind by an engine. */
  async function abandoned(database: Database, tellsStarts = true): Promise<void> {
    const executor = new ScriptedExecutor((intent) => (intent.itemId === 'first' ? done() : undefined));
    executor.tellsStarts = tellsStarts;
    const rig = await start(executor, { database });
    await rig.ops.call(submitPlan, { run_id: 'r', plan: PLAN });
    await expect.poll(() => statesOf(rig, 'r')).toMatchObject({ first: 'done', live: 'running' });
    await rig.stop();
  }

  for (const [what, sql] of Object.entries(DAMAGE)) {
    it(`DI-178 DI-176: is ended by the next engine: what runs is stopped, locks and slots are free, and it says why (${what})`, async () => {
      const database = await open({ migrations });
      await abandoned(database);
      await damage(database, sql);
      const executor = new ScriptedExecutor();
      executor.found = () => ({ how: 'reattached' });
      const rig = await start(executor, { database, concurrency: 1 });
      await rig.ops.call(submitPlan, {
        run_id: 'other',
        plan: { items: [command('b', { resourceLocks: ['db'] })] },
      });
      expect(await rig.ended('r')).toBe('failed');
      expect(await rig.ended('other')).toBe('completed');
      expect(rig.faults).toEqual([expect.objectContaining({ code: 'integrity_mismatch' })]);
      expect(await statesOf(rig, 'r')).toEqual({
        first: 'done',
        live: 'canceled',
        waits: 'canceled',
        later: 'canceled',
      });
      const { run } = await rig.ops.call(getRun, { run: 'r' });
      expect(run.reason).toMatch(/^the stored plan of run r is damaged: /);
      const { data, sealed } = await rig.ops.call(listEvents, { run: 'r' });
      expect(sealed).toBe(true);
      expect(data.at(-1)).toMatchObject({
        type: 'run.completed',
        data: { status: 'failed', reason: run.reason, counts: { done: 1, canceled: 3 } },
      });
      for (const table of ['lock_holds', 'lock_waiters', 'queue_usage'])
        expect(await database.read((tx) => tx.sql.all(`SELECT * FROM ${table}`)), table).toEqual([]);
      const refused = { code: 'integrity_mismatch' };
      await expect(rig.ops.call(listProducts, { run: 'r' })).rejects.toMatchObject(refused);
      await expect(rig.ops.call(rerun, { run: 'r' })).rejects.toMatchObject(refused);
    });
  }

  it('DI-178: says nothing of a sandbox that nobody knows any more when an attempt is found that nobody saw start', async () => {
    const database = await open({ migrations });
    await abandoned(database, false);
    await damage(database, DAMAGE.gone);
    const executor = new ScriptedExecutor();
    executor.found = () => ({ how: 'reattached' });
    const rig = await start(executor, { database });
    expect(await rig.ended('r')).toBe('failed');
    const { data } = await rig.ops.call(listEvents, { run: 'r' });
    expect(data.filter(({ type }) => type === 'item.started')).toEqual([]);
    expect(data.filter(({ type }) => type === 'item.reconciled').map((event) => event.data)).toMatchObject([
      { item: 'first', status: 'done' },
      { item: 'live', status: 'canceled' },
    ]);
  });

  it('DI-176: can be canceled and looked at before any engine sees it', async () => {
    const database = await open({ migrations });
    await abandoned(database);
    await damage(database, DAMAGE.gone);
    const idle = await start(new ScriptedExecutor(), { database, isIdle: true });
    expect((await idle.ops.call(getRun, { run: 'r' })).run).toMatchObject({
      state: 'running',
      reason: expect.stringContaining('the stored plan of run r is damaged: no document'),
    });
    expect((await idle.ops.call(listRuns, {})).data).toHaveLength(1);
    expect(await idle.ops.call(cancelRun, { run: 'r', reason: 'not needed' })).toMatchObject({
      accepted: true,
    });
    const executor = new ScriptedExecutor();
    executor.found = () => ({ how: 'reattached' });
    const rig = await start(executor, { database });
    expect(await rig.ended('r')).toBe('canceled');
    expect((await rig.ops.call(getRun, { run: 'r' })).run.reason).toBe('not needed');
  });

  it('DI-176: that never started ends without a start, and one of thousands of items in several steps', async () => {
    const database = await open({ migrations });
    const idle = await start(new ScriptedExecutor(), { database, isIdle: true });
    const items = Array.from({ length: 1_200 }, (_, i) => command(`i${i}`));
    await idle.ops.call(submitPlan, { run_id: 'r', plan: { items } });
    await damage(database, DAMAGE['other content']);
    const executor = new ScriptedExecutor();
    const rig = await start(executor, { database });
    expect(await rig.ended('r')).toBe('failed');
    expect((await rig.ops.call(getRun, { run: 'r' })).run.counts).toMatchObject({ canceled: 1_200 });
    expect(executor.items).toEqual([]);
  });

  it('DI-178: damage that comes while an engine owns the run changes nothing', async () => {
    const database = await open({ migrations });
    const executor = new ScriptedExecutor((intent) => (intent.itemId === 'live' ? undefined : done()));
    const rig = await start(executor, { database });
    await rig.ops.call(submitPlan, { run_id: 'r', plan: PLAN });
    await expect.poll(() => executor.open.has('live#1')).toBe(true);
    await damage(database, DAMAGE['other content']);
    executor.open.get('live#1')?.end(done());
    expect(await rig.ended('r')).toBe('completed');
  });
});
