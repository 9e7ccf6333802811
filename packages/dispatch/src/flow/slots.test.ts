import { submitPlan } from '@palisade/contracts';
import type { Database } from '@palisade/kernel';
import { eachDatabase } from '@palisade/kernel/testing';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  command,
  done,
  engineStarter,
  migrations,
  ScriptedExecutor,
  statesOf,
} from '../../test/engine-rig.ts';

const fan = (name: string, n: number) => Array.from({ length: n }, (_, i) => command(`${name}${i}`));

/** Ends the attempts that are open, one after another, so that one slot is free at a time. */
async function serve(executor: ScriptedExecutor, times: number): Promise<void> {
  for (let i = 0; i < times; i++) {
    await expect.poll(() => executor.open.size).toBeGreaterThan(0);
    const [key, attempt] = [...executor.open][0] ?? [];
    if (key === undefined || attempt === undefined) return;
    executor.open.delete(key);
    const before = executor.started.length;
    attempt.end(done());
    await expect.poll(() => executor.started.length).toBeGreaterThan(before);
  }
}

eachDatabase('slots of a queue', (open) => {
  const start = engineStarter(open);

  it('DI-171: a run of many items does not keep one of two items waiting', async () => {
    const executor = new ScriptedExecutor(() => undefined);
    const rig = await start(executor, { concurrency: 4 });
    await rig.ops.call(submitPlan, { run_id: 'many', plan: { items: fan('m', 1_000) } });
    await expect.poll(() => executor.items.length).toBe(4);
    await rig.ops.call(submitPlan, { run_id: 'few', plan: { items: fan('f', 2) } });
    await serve(executor, 2);
    expect(executor.items.slice(4)).toEqual(['f0', 'f1']);
  });

  it('DI-171: equals share the slots, and whoever is alone has them all', async () => {
    const executor = new ScriptedExecutor(() => undefined);
    const rig = await start(executor, { concurrency: 6 });
    for (const run_id of ['a', 'b', 'c'])
      await rig.ops.call(submitPlan, { run_id, plan: { items: fan(run_id, 50) } });
    await expect.poll(() => executor.items.length).toBe(6);
    expect(executor.items.every((item) => item.startsWith('a'))).toBe(true);
    await serve(executor, 6);
    const running = [...executor.open.values()].map(({ intent }) => intent.rootRunId);
    for (const run of ['a', 'b', 'c']) expect(running.filter((id) => id === run)).toHaveLength(2);
  });

  it('DI-171: a higher priority goes first, and waiting makes up for a lower one', async () => {
    let clock = Date.now();
    const database = await open({ migrations, wallClock: () => clock });
    const executor = new ScriptedExecutor(() => undefined);
    const rig = await start(executor, { database, concurrency: 1, leaseMs: 86_400_000 });
    const submit = (run_id: string, priority: number) =>
      rig.ops.call(submitPlan, { run_id, plan: { priority, items: fan(run_id, 9) } });
    await submit('first', 0);
    await expect.poll(() => executor.items).toEqual(['first0']);
    await submit('low', -2);
    await submit('high', 10);
    await expect.poll(async () => (await claims(database)).map(({ wants }) => wants)).toHaveLength(3);
    await serve(executor, 2);
    expect(executor.items.slice(1)).toEqual(['high0', 'high1']);
    clock += 13 * 60_000;
    await serve(executor, 3);
    // Once it got a slot again, the high one is below both that waited thirteen minutes.
    expect(executor.items.slice(3)).toEqual(['high2', 'first1', 'low0']);
  });

  it('DI-171: what a dead engine’s runs wanted keeps nobody waiting once their leases are over', async () => {
    let clock = Date.now();
    const database = await open({ migrations, wallClock: () => clock });
    const executor = new ScriptedExecutor(() => undefined);
    const rig = await start(executor, { database, concurrency: 1, leaseMs: 86_400_000 });
    await rig.ops.call(submitPlan, { run_id: 'mine', plan: { items: fan('m', 9) } });
    await expect.poll(() => executor.items).toEqual(['m0']);
    await database.write(async (tx) => {
      await tx.leases.claim('run:dead', 'engine of another machine', 30_000);
      await tx.sql.run(
        "INSERT INTO queue_usage (project, queue, run_id, used, wants, priority, since) VALUES ('default', 'default', 'dead', 0, 5, 100, 0)",
        [],
      );
    });
    executor.open.get('m0#1')?.end(done());
    await expect.poll(() => statesOf(rig, 'mine')).toMatchObject({ m0: 'done', m1: 'ready' });
    expect(executor.items).toEqual(['m0']);
    clock += 30_001;
    rig.engine.poke('mine');
    await expect.poll(() => executor.items).toEqual(['m0', 'm1']);
  });

  it('DI-171 FF-057: a run that claims a slot and never takes it holds the others up for a moment only', async () => {
    const database = await open({ migrations });
    const executor = new ScriptedExecutor(() => done());
    const rig = await start(executor, { database, concurrency: 1 });
    await database.write(async (tx) => {
      await tx.leases.claim('run:stuck', 'engine that stands still', 3_600_000);
      await tx.sql.run(
        "INSERT INTO queue_usage (project, queue, run_id, used, wants, priority, since) VALUES ('default', 'default', 'stuck', 0, 5, 100, 0)",
        [],
      );
    });
    await rig.ops.call(submitPlan, { run_id: 'mine', plan: { items: fan('m', 3) } });
    expect(executor.items).toEqual([]);
    expect(await rig.ended('mine')).toBe('completed');
  });

  it('DI-171: two engines never run more than the limit, leave nothing undone, and keep no claim of what has ended', {
    timeout: 120_000,
  }, async () => {
    let n = 0;
    const workload = fc.record({
      slots: fc.integer({ min: 1, max: 5 }),
      runs: fc.array(
        fc.record({
          items: fc.integer({ min: 1, max: 12 }),
          priority: fc.integer({ min: -3, max: 3 }),
          concurrency: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
          engine: fc.nat(1),
          isLocked: fc.boolean(),
        }),
        { minLength: 2, maxLength: 6 },
      ),
    });
    await fc.assert(
      fc.asyncProperty(workload, async ({ slots, runs }) => {
        const database = await open({ migrations });
        const name = `w${n++}`;
        let running = 0;
        let most = 0;
        const behaviour = async () => {
          most = Math.max(most, ++running);
          await new Promise((resolve) => setTimeout(resolve, 1));
          running--;
          return done();
        };
        const rigs = [
          await start(new ScriptedExecutor(behaviour), { database, concurrency: slots }),
          await start(new ScriptedExecutor(behaviour), { database, concurrency: slots }),
        ];
        const ends = [];
        for (const [i, { items, priority, concurrency, engine, isLocked }] of runs.entries()) {
          const rig = rigs[engine];
          if (rig === undefined) continue;
          const list = fan(`i`, items).map((item) => (isLocked ? { ...item, resourceLocks: ['db'] } : item));
          const plan = { priority, items: list, ...(concurrency === undefined ? {} : { concurrency }) };
          await rig.ops.call(submitPlan, { run_id: `${name}-${i}`, plan });
          ends.push(Promise.race(rigs.map((each) => each.ended(`${name}-${i}`))));
        }
        expect(new Set(await Promise.all(ends))).toEqual(new Set(['completed']));
        expect(most).toBeLessThanOrEqual(slots);
        expect(await claims(database)).toEqual([]);
        await Promise.all(rigs.map((rig) => rig.stop()));
      }),
      { numRuns: 8, endOnFailure: true },
    );
  });
});

const claims = (database: Database) =>
  database.read((tx) =>
    tx.sql.all<{ run_id: string; wants: number }>('SELECT run_id, wants FROM queue_usage', []),
  );
