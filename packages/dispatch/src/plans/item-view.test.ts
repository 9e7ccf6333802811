import { getRun, setQueue, submitPlan } from '@palisade/contracts';
import { eachDatabase } from '@palisade/kernel/testing';
import { expect, it } from 'vitest';
import { done, engineStarter, failed, migrations, ScriptedExecutor } from '../../test/engine-rig.ts';

eachDatabase('what a run shows of its items', (open) => {
  const start = engineStarter(open);
  it('DI-167: each waiting item names its dependency, lock holder, retry or slot', async () => {
    const executor = new ScriptedExecutor((intent) => (intent.itemId === 'flaky' ? failed() : undefined));
    const rig = await start(executor);
    const rows = async (run: string) =>
      Object.fromEntries(
        (await rig.ops.call(getRun, { run })).items.map(({ id, state, blocked_by, reason, locks }) => [
          id,
          { state, blocked_by, reason, locks },
        ]),
      );
    const submit = (run_id: string, plan: object) => rig.ops.call(submitPlan, { run_id, plan });
    const base = { command: 'true' };
    try {
      await submit('holder', { items: [{ id: 'holds', ...base, resourceLocks: ['db'] }] });
      await expect.poll(() => executor.items).toEqual(['holds']);
      await submit('waiter', {
        items: [
          { id: 'locked', ...base, resourceLocks: ['db'] },
          { id: 'after', ...base, depends_on: ['locked'] },
          { id: 'flaky', ...base, retry: { max_attempts: 2, backoff_ms: 300_000 } },
        ],
      });
      await expect.poll(async () => (await rows('waiter'))['flaky']?.reason).toBe('exit 1');
      const waiting = await rows('waiter');
      expect(waiting['locked']).toMatchObject({
        state: 'ready',
        reason: 'waits for lock db, held by holder/holds',
        locks: [{ key: 'db', held_by: 'holder/holds' }],
      });
      expect(waiting['after']).toMatchObject({
        state: 'pending',
        blocked_by: ['locked'],
        reason: 'waits for locked',
      });
      expect(waiting['flaky']?.state).toBe('ready');

      await submit('own-limit', {
        concurrency: 1,
        items: [
          { id: 'a', ...base },
          { id: 'b', ...base },
        ],
      });
      await expect.poll(async () => (await rows('own-limit'))['a']?.state).toBe('running');
      expect((await rows('own-limit'))['b']?.reason).toBe('waits for a slot: the plan runs 1 at once');

      await rig.ops.call(setQueue, { name: 'closed', concurrency: 0 });
      await submit('queued', { queue: 'closed', items: [{ id: 'a', ...base }] });
      expect((await rows('queued'))['a']?.reason).toBe('waits for a slot in queue closed');
    } finally {
      await rig.stop();
    }
  });

  it('DI-167: a look at a run reads no product of its attempts, which are many and may be big', async () => {
    const database = await open({ migrations });
    const rig = await start(new ScriptedExecutor(() => done()), { database });
    await rig.ops.call(submitPlan, { run_id: 'r', plan: { items: [{ id: 'a', command: 'true' }] } });
    await rig.ended('r');
    await database.write((tx) =>
      tx.sql.run("UPDATE runs SET product = 'not read' WHERE parent_run_id = 'r'"),
    );
    expect((await rig.ops.call(getRun, { run: 'r' })).items[0]).toMatchObject({
      state: 'done',
      outcome: 'succeeded',
    });
  });
});
