import { setTimeout as delay } from 'node:timers/promises';
import { setQueue, submitPlan } from '@palisade/contracts';
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

eachDatabase('an engine with much to look at', (open, dialect) => {
  const start = engineStarter(open);

  it('FF-085: two engines that own idle runs do not wake each other', async () => {
    const engines = [];
    for (const run_id of ['one', 'two']) {
      const database = await open({ migrations });
      const rig = await start(new ScriptedExecutor(() => undefined), { database });
      await rig.ops.call(submitPlan, { run_id, plan: { items: [command('a')] } });
      await expect.poll(() => statesOf(rig, run_id)).toEqual({ a: 'running' });
      engines.push(rig);
    }
    const watcher = await open({ migrations });
    let noticed = 0;
    watcher.onForeignCommit(() => noticed++);
    // A PostgreSQL server tells of the commits of all its databases: there they are counted.
    const commits = async (): Promise<number> =>
      dialect === 'sqlite'
        ? noticed
        : (await watcher.read((tx) => tx.sql.all('SELECT id FROM kernel_commits'))).length;
    await delay(500);
    const before = await commits();
    await delay(2_500);
    expect((await commits()) - before).toBe(0);
  });

  it('DI-171: thousands of items that name one lock are put in line over several steps', async () => {
    const database = await open({ migrations });
    const countInLine = () =>
      database.read((tx) => tx.sql.get<{ n: number }>('SELECT COUNT(*) AS n FROM lock_waiters'));
    let atFirst: ReturnType<typeof countInLine> | undefined;
    const executor = new ScriptedExecutor(() => {
      atFirst ??= countInLine();
      return undefined;
    });
    const rig = await start(executor, { database });
    const items = Array.from({ length: 2_000 }, (_, i) => command(`i${i}`, { resourceLocks: ['db'] }));
    expect(await rig.ops.call(submitPlan, { run_id: 'r', plan: { items } })).toMatchObject({ created: true });
    await expect.poll(() => executor.items).toEqual(['i0']);
    // The first one starts long before the last one is in line.
    expect(Number((await atFirst)?.n)).toBeLessThan(1_000);
    for (let i = 0; i < 3; i++) {
      await expect.poll(() => executor.open.get(`i${i}#1`)).toBeDefined();
      executor.open.get(`i${i}#1`)?.end(done());
    }
    await expect.poll(() => executor.items).toEqual(['i0', 'i1', 'i2', 'i3']);
    expect(rig.faults).toEqual([]);
  });

  it('an engine owns a run until what its attempts left is removed, and is held up by that in nothing else', async () => {
    const removal = Promise.withResolvers<void>();
    const executor = new ScriptedExecutor();
    executor.removal = removal.promise;
    const rig = await start(executor);
    await rig.ops.call(submitPlan, { run_id: 'r', plan: { items: [command('a')] } });
    expect(await rig.ended('r')).toBe('completed');
    await delay(50);
    expect(rig.engine.owned).toBe(1);
    removal.resolve();
    await expect.poll(() => rig.engine.owned).toBe(0);
    expect(executor.released).toHaveLength(1);
  });

  it('DI-160 DI-213: runs that wait in a full queue keep no run of another queue from starting, and all come to an end', async () => {
    const executor = new ScriptedExecutor((intent) =>
      intent.rootRunId.startsWith('full') ? undefined : done(),
    );
    const rig = await start(executor, { concurrency: 1, maxWaiting: 2 });
    await rig.ops.call(setQueue, { name: 'other', concurrency: 1 });
    const runs = Array.from({ length: 7 }, (_, i) => `full-${i}`);
    for (const run_id of runs) await rig.ops.call(submitPlan, { run_id, plan: { items: [command('a')] } });
    await rig.ops.call(submitPlan, { run_id: 'free', plan: { queue: 'other', items: [command('a')] } });
    expect(await rig.ended('free')).toBe('completed');
    for (let n = 1; n <= runs.length; n++) {
      await expect.poll(() => executor.items.length).toBe(n + 1);
      executor.open.get('a#1')?.end(done());
    }
    for (const run of runs) expect(await rig.ended(run)).toBe('completed');
  });
});
