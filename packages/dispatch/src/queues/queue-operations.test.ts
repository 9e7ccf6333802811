import { getQueue, listQueues, setQueue, submitPlan } from '@palisade/contracts';
import { eachDatabase } from '@palisade/kernel/testing';
import { expect, it } from 'vitest';
import { done, engineStarter, ScriptedExecutor } from '../../test/engine-rig.ts';

const command = (id: string) => ({ id, command: 'true' });

eachDatabase('queues', (open) => {
  const start = engineStarter(open);
  it('DI-170: a limit that is raised while a run waits lets more of it start, and 0 lets nothing start', async () => {
    const executor = new ScriptedExecutor(() => undefined);
    const rig = await start(executor);
    try {
      expect(await rig.ops.call(setQueue, { name: 'narrow', concurrency: 0 })).toEqual({
        name: 'narrow',
        concurrency: 0,
      });
      const plan = { queue: 'narrow', items: ['a', 'b', 'c'].map(command) };
      await rig.ops.call(submitPlan, { run_id: 'r', plan });
      await rig.engine.scan();
      expect(executor.items).toEqual([]);
      expect(await rig.ops.call(setQueue, { name: 'narrow', concurrency: 2 })).toEqual({
        name: 'narrow',
        concurrency: 2,
        previous: 0,
      });
      await expect.poll(() => executor.items, { timeout: 20_000 }).toEqual(['a', 'b']);
      expect(await rig.ops.call(getQueue, { name: 'narrow' })).toEqual({
        queue: { name: 'narrow', concurrency: 2, used: 2, wants: 1 },
        runs: [{ run_id: 'r', used: 2, wants: 1, priority: 0, since: expect.any(Number) }],
      });
      for (const id of ['a', 'b']) executor.open.get(`${id}#1`)?.end(done());
      await expect.poll(() => executor.items, { timeout: 20_000 }).toEqual(['a', 'b', 'c']);
      executor.open.get('c#1')?.end(done());
      expect(await rig.ended('r')).toBe('completed');
      expect(await rig.ops.call(getQueue, { name: 'narrow' })).toMatchObject({
        queue: { used: 0 },
        runs: [],
      });
    } finally {
      await rig.stop();
    }
  });

  it('a dry run changes nothing, and a repeated call gets its first answer', async () => {
    const rig = await start(new ScriptedExecutor(), { isIdle: true });
    const set = { name: 'wide', concurrency: 30 };
    expect(await rig.ops.call(setQueue, { ...set, dry_run: true })).toEqual(set);
    expect((await rig.ops.call(listQueues, {})).data.map(({ name }) => name)).toEqual(['default']);
    const key = { idempotencyKey: 'k' };
    expect(await rig.ops.call(setQueue, set, key)).toEqual(set);
    await rig.ops.call(setQueue, { name: 'wide', concurrency: 5 });
    expect(await rig.ops.call(setQueue, set, key)).toEqual(set);
    const { data } = await rig.ops.call(listQueues, {});
    expect(data).toEqual([
      { name: 'default', concurrency: 64, used: 0 },
      { name: 'wide', concurrency: 5, used: 0 },
    ]);
    await expect(rig.ops.call(getQueue, { name: 'none' })).rejects.toMatchObject({ code: 'not_found' });
    await expect(rig.ops.call(setQueue, { name: 'x', concurrency: -1 })).rejects.toMatchObject({
      code: 'invalid_input',
    });
  });
});
