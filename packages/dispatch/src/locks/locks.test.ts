import { getRun, submitPlan } from '@palisade/contracts';
import { eachDatabase } from '@palisade/kernel/testing';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  command,
  done,
  type EngineRig,
  engineStarter,
  LOST,
  migrations,
  ScriptedExecutor,
  statesOf,
} from '../../test/engine-rig.ts';

eachDatabase('resource locks and slots', (open) => {
  const start = engineStarter(open);

  it('DI-171: no two items ever hold one lock, none starves and none deadlocks, whatever the plan', {
    timeout: 120_000,
  }, async () => {
    const executor = new ScriptedExecutor();
    const rig = await start(executor, { concurrency: 5 });
    let held = new Set<string>();
    let locksOf = new Map<string, string[]>();
    let overlap = 0;
    executor.behaviour = async (intent) => {
      const keys = locksOf.get(intent.itemId) ?? [];
      if (keys.some((key) => held.has(key))) overlap++;
      for (const key of keys) held.add(key);
      for (let i = 0; i < intent.itemId.length % 4; i++)
        await new Promise((resolve) => setImmediate(resolve));
      for (const key of keys) held.delete(key);
      return done();
    };
    let n = 0;
    const item = fc.record({
      locks: fc.uniqueArray(fc.constantFrom('p', 'q', 'r', 's'), { maxLength: 4 }),
      after: fc.nat(20),
      pad: fc.nat(3),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(item, { minLength: 1, maxLength: 24 }), async (items) => {
        held = new Set();
        const run = `r${n++}`;
        const plan = items.map((spec, i) =>
          command(`i${i}${'x'.repeat(spec.pad)}`, { resourceLocks: spec.locks }),
        );
        locksOf = new Map(plan.map((entry, i) => [entry.id, items[i]?.locks ?? []]));
        plan.forEach((entry, i) => {
          const dependency = plan[items[i]?.after ?? 0];
          if (dependency !== undefined && (items[i]?.after ?? 0) < i)
            Object.assign(entry, { depends_on: [dependency.id] });
        });
        await rig.ops.call(submitPlan, { run_id: run, plan: { items: plan } });
        expect(await rig.ended(run)).toBe('completed');
      }),
      { numRuns: 15 },
    );
    expect(overlap).toBe(0);
    expect(rig.faults).toEqual([]);
  });

  it('DI-171: an item that needs two locks is not passed for ever by items that need one', async () => {
    const executor = new ScriptedExecutor(() => undefined);
    const rig = await start(executor);
    const singles = Array.from({ length: 6 }, (_, i) => command(`p${i}`, { resourceLocks: ['p'] }));
    await rig.ops.call(submitPlan, {
      run_id: 'r',
      plan: {
        items: [
          command('q', { resourceLocks: ['q'] }),
          singles[0],
          command('both', { resourceLocks: ['p', 'q'] }),
          ...singles.slice(1),
        ],
      },
    });
    await expect.poll(() => executor.items).toEqual(['q', 'p0']);
    // p0 ends: p is free, but `both` is first in line for it and p1 must not pass.
    executor.open.get('p0#1')?.end(done());
    await expect.poll(async () => (await statesOf(rig, 'r'))['p0']).toBe('done');
    expect(executor.items).toEqual(['q', 'p0']);
    executor.open.get('q#1')?.end(done());
    await expect.poll(() => executor.items).toEqual(['q', 'p0', 'both']);
    executor.behaviour = () => done();
    executor.open.get('both#1')?.end(done());
    expect(await rig.ended('r')).toBe('completed');
  });

  it('DI-171: an item set free while a lost attempt waits draws one ticket and is served', async () => {
    const executor = new ScriptedExecutor(() => undefined);
    const rig = await start(executor);
    const retry = { retry: { backoff_ms: 1 } };
    await rig.ops.call(submitPlan, {
      run_id: 'r',
      plan: {
        items: [
          command('holder', { resourceLocks: ['k'] }),
          command('lost', retry),
          command('d'),
          command('x', { depends_on: ['d'], resourceLocks: ['k'] }),
          command('after', { resourceLocks: ['k'] }),
        ],
      },
    });
    await expect.poll(() => executor.items.length, { timeout: 10_000 }).toBe(3);
    // Both ends are recorded by one step: the lost attempt is ready again ahead of x, which draws its ticket there.
    executor.open.get('lost#1')?.end(LOST);
    executor.open.get('d#1')?.end(done());
    executor.behaviour = () => done();
    await expect.poll(() => executor.items.filter((id) => id === 'lost').length, { timeout: 10_000 }).toBe(2);
    executor.open.get('holder#1')?.end(done());
    expect(await rig.ended('r')).toBe('completed');
    expect(executor.items).toEqual(expect.arrayContaining(['x', 'after']));
  });

  it('DI-171: locks hold across runs, and the run that waits goes on when the other releases', async () => {
    const executor = new ScriptedExecutor((intent) => (intent.rootRunId === 'one' ? undefined : done()));
    const rig = await start(executor);
    await rig.ops.call(submitPlan, {
      run_id: 'one',
      plan: { items: [command('a', { resourceLocks: ['db'] })] },
    });
    await expect.poll(() => executor.items).toEqual(['a']);
    await rig.ops.call(submitPlan, {
      run_id: 'two',
      plan: { items: [command('b', { resourceLocks: ['db'] })] },
    });
    await expect
      .poll(async () => (await rig.ops.call(getRun, { run: 'two' })).items[0]?.reason)
      .toBe('waits for lock db, held by one/a');
    executor.open.get('a#1')?.end(done());
    expect(await rig.ended('two')).toBe('completed');
  });

  it('DI-160: a queue never runs more items than its concurrency, over all runs', async () => {
    let running = 0;
    let most = 0;
    const executor = new ScriptedExecutor(async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 2));
      running--;
      return done();
    });
    const rig = await start(executor, { concurrency: 3 });
    const items = Array.from({ length: 12 }, (_, i) => command(`i${i}`));
    await Promise.all(
      ['r1', 'r2', 'r3'].map((run_id) => rig.ops.call(submitPlan, { run_id, plan: { items } })),
    );
    await Promise.all(['r1', 'r2', 'r3'].map((run) => rig.ended(run)));
    expect(most).toBe(3);
  });

  it('FF-040: a queue of one runs one item at a time, whoever submits and whichever engine runs it', async () => {
    let running = 0;
    let most = 0;
    const behaviour = async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 1));
      running--;
      return done();
    };
    const engines: EngineRig[] = [];
    for (let i = 0; i < 3; i++)
      engines.push(
        await start(new ScriptedExecutor(behaviour), {
          database: await open({ migrations }),
          concurrency: 1,
        }),
      );
    const runs = Array.from({ length: 24 }, (_, i) => `r${i}`);
    const ends = await Promise.all(
      runs.map(async (run_id, i) => {
        const rig = engines[i % engines.length];
        await rig?.ops.call(submitPlan, { run_id, plan: { items: [command('a'), command('b')] } });
        // Whichever engine takes the run tells its end.
        return Promise.race(engines.map((any) => any.ended(run_id)));
      }),
    );
    expect(new Set(ends)).toEqual(new Set(['completed']));
    expect(most).toBe(1);
  });
});
