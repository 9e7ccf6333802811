import { getQueue, getRun, getUsage, setQueue, submitPlan } from '@palisade/contracts';
import { eachDatabase } from '@palisade/kernel/testing';
import { expect, it } from 'vitest';
import { command, done, engineStarter, failed, migrations, ScriptedExecutor } from '../../test/engine-rig.ts';

const fan = (n: number) => Array.from({ length: n }, (_, i) => command(`i${i}`));

eachDatabase('quotas of a queue', (open) => {
  const start = engineStarter(open);

  it('DI-181: a rate lets so many attempts start in a window, and says so where somebody waits', async () => {
    let clock = Date.now();
    const database = await open({ migrations, wallClock: () => clock });
    const executor = new ScriptedExecutor(() => undefined);
    const rig = await start(executor, { database, leaseMs: 86_400_000 });
    const rate = { starts: 2, window_seconds: 3_600 };
    expect(await rig.ops.call(setQueue, { name: 'default', rate })).toMatchObject({ concurrency: 64, rate });
    await rig.ops.call(submitPlan, { run_id: 'r', plan: { items: fan(5) } });
    await expect.poll(() => executor.items).toEqual(['i0', 'i1']);
    const { items } = await rig.ops.call(getRun, { run: 'r' });
    expect(items[2]?.reason).toBe('waits for the rate of queue default: 2/h starts');
    expect((await rig.ops.call(getQueue, { name: 'default' })).queue).toMatchObject({
      used: 2,
      wants: 3,
      rate: { ...rate, left: 0 },
    });
    clock += 1_800_000;
    rig.engine.poke('r');
    await expect.poll(() => executor.items).toEqual(['i0', 'i1', 'i2']);
    rig.engine.poke('r');
    await rig.engine.scan();
    expect(executor.items).toHaveLength(3);
    await rig.ops.call(setQueue, { name: 'default', rate: null });
    await expect.poll(() => executor.items, { timeout: 10_000 }).toHaveLength(5);
  });

  it('DI-181: a run too many is refused as something to try again, and let in once one has ended', async () => {
    const executor = new ScriptedExecutor(() => undefined);
    const rig = await start(executor);
    await rig.ops.call(setQueue, { name: 'small', concurrency: 4, max_open_runs: 1 });
    const submit = (run_id: string, key?: string) =>
      rig.ops.call(
        submitPlan,
        { run_id, plan: { queue: 'small', items: [command('a')] } },
        key === undefined ? {} : { idempotencyKey: key },
      );
    await submit('one');
    const error = await submit('two', 'k').catch((refusal: unknown) => refusal);
    expect(error).toMatchObject({ code: 'concurrency_exceeded', facts: { retryable: true, status: 429 } });
    expect(await submit('one')).toMatchObject({ created: false });
    expect((await rig.ops.call(getQueue, { name: 'small' })).queue.open_runs).toEqual({ count: 1, limit: 1 });
    await expect.poll(() => executor.open.size).toBe(1);
    executor.open.get('a#1')?.end(done());
    expect(await rig.ended('one')).toBe('completed');
    expect(await submit('two', 'k')).toMatchObject({ created: true });
    await expect(rig.ops.call(getRun, { run: 'three' })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('DI-181: a priority above the operator’s ceiling is refused; one for the run takes the place of the plan’s', async () => {
    const rig = await start(new ScriptedExecutor(() => undefined));
    await rig.ops.call(setQueue, { name: 'default', max_priority: 5 });
    const plan = { priority: 6, items: [command('a')] };
    await expect(rig.ops.call(submitPlan, { run_id: 'r', plan })).rejects.toMatchObject({
      code: 'policy_denied',
    });
    await rig.ops.call(submitPlan, { run_id: 'r', plan, priority: 5 });
    expect((await rig.ops.call(getRun, { run: 'r' })).run.priority).toBe(5);
    await expect(rig.ops.call(setQueue, { name: 'new', max_priority: 5 })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('DI-180 DI-181: usage adds up what attempts used, failed ones too, by agent, model, queue and actor', async () => {
    const executor = new ScriptedExecutor((intent) => {
      const usage = { models: [intent.itemId], cost_usd: 0.1, input_tokens: 100, output_tokens: 10 };
      if (intent.itemId === 'silent') return done();
      return intent.attempt === 1 ? failed({ product: { usage } }) : done({ product: { usage } });
    });
    const rig = await start(executor);
    const before = Date.now() - 1;
    const plan = { items: [command('a', { retry: { backoff_ms: 0 } }), command('silent')] };
    await rig.ops.call(submitPlan, { run_id: 'r', plan }, { actor: 'human:ada' });
    await rig.ended('r');
    const by = async (key: 'agent' | 'model' | 'queue' | 'actor') =>
      (await rig.ops.call(getUsage, { by: key, since: before })).data.map(
        ({ key: name, cost_usd, attempts }) => [name, cost_usd, attempts],
      );
    expect(await by('agent')).toEqual([
      ['a', 0.2, 2],
      ['silent', 0, 1],
    ]);
    expect(await by('model')).toEqual([
      ['a', 0.2, 2],
      [undefined, 0, 1],
    ]);
    expect(await by('queue')).toEqual([['default', 0.2, 3]]);
    expect(await by('actor')).toEqual([['human:ada', 0.2, 3]]);
    expect(await rig.ops.call(getUsage, {})).toMatchObject({
      by: 'agent',
      total: { cost_usd: 0.2, tokens: 220, attempts: 3, unknown_cost: 1 },
    });
    expect((await rig.ops.call(getUsage, { since: Date.now() + 60_000 })).data).toEqual([]);
  });
});
