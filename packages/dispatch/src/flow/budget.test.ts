import {
  cancelRun,
  getRun,
  getUsage,
  listEvents,
  pauseRun,
  resumeRun,
  setBudget,
  submitPlan,
  type Usage,
} from '@palisade/contracts';
import { eachDatabase } from '@palisade/kernel/testing';
import { expect, it } from 'vitest';
import {
  command,
  done,
  engineStarter,
  type EngineRig,
  failed,
  LOST,
  migrations,
  ScriptedExecutor,
  statesOf,
} from '../../test/engine-rig.ts';

const cost = (cost_usd: number, more: Usage = {}) => ({ product: { usage: { cost_usd, ...more } } });
const viewOf = async (rig: EngineRig, run: string) => (await rig.ops.call(getRun, { run })).run;
const typesOf = async (rig: EngineRig, run: string) =>
  (await rig.ops.call(listEvents, { run })).data.map(({ type }) => type);
const items = (n: number, more: Record<string, unknown> = {}) =>
  Array.from({ length: n }, (_, i) => command(`i${i}`, more));

eachDatabase('budgets', (open) => {
  const start = engineStarter(open);

  it('DI-181: every attempt counts, failed ones too; with the budget used up nothing more starts and the run says why', async () => {
    const executor = new ScriptedExecutor((intent) =>
      intent.itemId === 'i0' && intent.attempt === 1 ? failed(cost(0.7)) : done(cost(0.7)),
    );
    const rig = await start(executor, { concurrency: 1 });
    const plan = { budget: { cost_usd: 2 }, items: items(6, { retry: { backoff_ms: 0 } }) };
    await rig.ops.call(submitPlan, { run_id: 'r', plan });
    expect(await rig.ended('r')).toBe('budget_exceeded');
    expect(executor.items).toEqual(['i0', 'i1', 'i2']);
    const run = await viewOf(rig, 'r');
    expect(run).toMatchObject({
      reason: 'the budget is used up: $2.10 spent of $2.00',
      budget: { cost_usd: 2 },
      spent: { cost_usd: 2.1, attempts: 3, unknown_cost: 0 },
      cost_usd: 2.1,
      counts: { done: 2, canceled: 4 },
    });
    const { items: rows } = await rig.ops.call(getRun, { run: 'r' });
    expect(rows.at(-1)?.reason).toBe('the budget is used up: $2.10 spent of $2.00');
    expect(await typesOf(rig, 'r')).toContain('run.budget_exceeded');
  });

  it('DI-181: with drain what runs may finish; with stop it is stopped', async () => {
    for (const on_exceed of ['drain', 'stop'] as const) {
      const executor = new ScriptedExecutor((intent) =>
        intent.itemId === 'dear' ? done(cost(5)) : undefined,
      );
      const rig = await start(executor, { concurrency: 2 });
      const plan = {
        budget: { cost_usd: 1, on_exceed },
        items: [command('long'), command('dear'), command('never')],
      };
      await rig.ops.call(submitPlan, { run_id: on_exceed, plan });
      if (on_exceed === 'drain') {
        await expect.poll(() => statesOf(rig, 'drain')).toMatchObject({ dear: 'done' });
        expect(await statesOf(rig, 'drain')).toMatchObject({ long: 'running', never: 'ready' });
        executor.open.get('long#1')?.end(done(cost(0)));
      }
      expect(await rig.ended(on_exceed)).toBe('budget_exceeded');
      expect(await statesOf(rig, on_exceed)).toEqual({
        long: on_exceed === 'drain' ? 'done' : 'canceled',
        dear: 'done',
        never: 'canceled',
      });
    }
  });

  it('FF-171: attempts side by side never set aside more than there is', async () => {
    let atWork = 0;
    let most = 0;
    const executor = new ScriptedExecutor(async () => {
      most = Math.max(most, ++atWork);
      await new Promise((resolve) => setTimeout(resolve, 5));
      atWork--;
      return done(cost(0.25));
    });
    const rig = await start(executor);
    const plan = { budget: { cost_usd: 1.25 }, items: items(10, { max_cost_usd: 0.4 }) };
    await rig.ops.call(submitPlan, { run_id: 'r', plan });
    expect(await rig.ended('r')).toBe('budget_exceeded');
    expect(most).toBe(3);
    const run = await viewOf(rig, 'r');
    expect(run.spent?.cost_usd).toBe(1);
    expect(run.reason).toBe(
      'the budget is used up: $1.00 spent of $1.25, and the next attempt may cost $0.40',
    );
  });

  it('FF-173: an unknown cost is said, is charged at what the attempt may cost, or lets nothing more start', async () => {
    const executor = new ScriptedExecutor(() => done());
    const rig = await start(executor, { concurrency: 1 });
    const run = async (run_id: string, plan: object) => {
      await rig.ops.call(submitPlan, { run_id, plan });
      await rig.ended(run_id);
      return viewOf(rig, run_id);
    };
    expect(await run('allowed', { budget: { cost_usd: 1 }, items: items(2) })).toMatchObject({
      state: 'completed',
      spent: { cost_usd: 0, unknown_cost: 2 },
      warnings: ['the cost of 2 attempts is unknown and not counted in the budget'],
    });
    expect(
      await run('worst-case', { budget: { cost_usd: 1 }, items: items(3, { max_cost_usd: 0.5 }) }),
    ).toMatchObject({ state: 'budget_exceeded', spent: { cost_usd: 1, unknown_cost: 0 } });
    expect(
      await run('refused', { budget: { cost_usd: 1, unknown: 'refuse' }, items: items(3) }),
    ).toMatchObject({
      state: 'budget_exceeded',
      counts: { done: 1, canceled: 2 },
      reason: 'the budget takes no unknown costs: 1 attempt reported none',
    });
    expect(
      await run('free', { budget: { cost_usd: 1, unknown: 'refuse' }, items: items(2, { max_cost_usd: 0 }) }),
    ).toMatchObject({ state: 'completed', spent: { cost_usd: 0, unknown_cost: 0 } });
  });

  it('DI-181: an item with a budget of its own gets no further attempt once it is used up, and the others go on', async () => {
    const executor = new ScriptedExecutor((intent) =>
      intent.itemId === 'dear' ? failed(cost(0.3, { input_tokens: 40, output_tokens: 20 })) : done(),
    );
    const rig = await start(executor);
    const retry = { max_attempts: 9, backoff_ms: 0 };
    const plan = {
      items: [command('dear', { retry, budget: { tokens: 100 } }), command('other')],
    };
    await rig.ops.call(submitPlan, { run_id: 'r', plan });
    expect(await rig.ended('r')).toBe('failed');
    expect(executor.items.filter((item) => item === 'dear')).toHaveLength(2);
    const [dear] = (await rig.ops.call(getRun, { run: 'r' })).items;
    expect(dear).toMatchObject({
      state: 'failed',
      code: 'budget_exceeded',
      reason: 'the budget is used up: 120 tokens spent of 100 tokens',
    });
    expect(await statesOf(rig, 'r')).toMatchObject({ other: 'done' });
  });

  it('DI-181: attempts and running time are limits as well', async () => {
    let clock = Date.now();
    const database = await open({ migrations, wallClock: () => clock });
    const executor = new ScriptedExecutor(() => {
      clock += 40_000;
      return done();
    });
    const rig = await start(executor, { database, concurrency: 1, leaseMs: 3_600_000 });
    await rig.ops.call(submitPlan, { run_id: 'n', plan: { budget: { attempts: 2 }, items: items(3) } });
    expect(await rig.ended('n')).toBe('budget_exceeded');
    expect((await viewOf(rig, 'n')).reason).toBe('the budget is used up: 2 attempts spent of 2 attempts');
    await rig.ops.call(submitPlan, { run_id: 't', plan: { budget: { seconds: 60 }, items: items(4) } });
    expect(await rig.ended('t')).toBe('budget_exceeded');
    expect((await viewOf(rig, 't')).counts).toMatchObject({ done: 2, canceled: 2 });
    await rig.ops.call(submitPlan, { run_id: 'all', plan: { budget: { attempts: 2 }, items: items(2) } });
    expect(await rig.ended('all')).toBe('completed');
  });

  it('DI-181: a raised budget lets a run that drains go on, and one that has ended stays as it is', async () => {
    const executor = new ScriptedExecutor((intent) => (intent.itemId === 'i0' ? undefined : done(cost(1))));
    const rig = await start(executor, { concurrency: 2 });
    await rig.ops.call(submitPlan, { run_id: 'r', plan: { budget: { cost_usd: 1 }, items: items(4) } });
    await expect.poll(() => statesOf(rig, 'r')).toMatchObject({ i1: 'done' });
    await expect.poll(() => executor.items).toEqual(['i0', 'i1']);
    const answer = await rig.ops.call(setBudget, { run: 'r', cost_usd: 3 }, { actor: 'human:ada' });
    expect(answer).toMatchObject({ run_id: 'r', budget: { cost_micro_usd: 3_000_000 } });
    await expect.poll(() => executor.items).toEqual(['i0', 'i1', 'i2', 'i3']);
    executor.open.get('i0#1')?.end(done(cost(1)));
    expect(await rig.ended('r')).toBe('completed');
    const { data } = await rig.ops.call(listEvents, { run: 'r' });
    expect(data.find(({ type }) => type === 'run.budget_set')?.data).toMatchObject({ actor: 'human:ada' });
    await expect(rig.ops.call(setBudget, { run: 'r', cost_usd: 9 })).rejects.toMatchObject({
      code: 'invalid_state',
    });
    await expect(rig.ops.call(setBudget, { run: 'r' })).rejects.toMatchObject({ code: 'invalid_input' });
  });

  it('DI-181 FF-173: after a crash everything is counted once, and what is under way is still set aside', async () => {
    const database = await open({ migrations });
    const first = new ScriptedExecutor((intent) => (intent.itemId === 'i0' ? failed(cost(0.3)) : undefined));
    const one = await start(first, { database, concurrency: 3 });
    const plan = {
      budget: { cost_usd: 1.5 },
      items: items(6, { max_cost_usd: 0.4, retry: { backoff_ms: 300_000 } }),
    };
    await one.ops.call(submitPlan, { run_id: 'r', plan });
    await expect.poll(async () => (await viewOf(one, 'r')).spent?.cost_usd).toBe(0.3);
    await expect.poll(() => first.open.size).toBe(3);
    await one.stop();

    const second = new ScriptedExecutor(() => done(cost(0.4)));
    second.found = (intent) =>
      intent.itemId === 'i1'
        ? { how: 'adopted', end: done(cost(0.2)) }
        : intent.itemId === 'i2'
          ? { how: 'lost', end: LOST }
          : { how: 'reattached' };
    const two = await start(second, { database, concurrency: 3 });
    // 0.3 and 0.2 and, for the lost one, what it may have cost: 0.9; the one that goes on holds 0.4.
    await expect.poll(async () => (await viewOf(two, 'r')).spent?.cost_usd).toBe(0.9);
    expect(second.items).toEqual([]);
    second.open.get('i3#1')?.end(done(cost(0.1)));
    await expect.poll(() => second.items.length).toBe(1);
    expect(await two.ended('r')).toBe('budget_exceeded');
    expect((await viewOf(two, 'r')).spent).toMatchObject({ cost_usd: 1.4, attempts: 5 });
  });

  it('DI-181: a run without a budget tells what it cost, and pausing or canceling takes nothing from the account', async () => {
    const executor = new ScriptedExecutor((intent) => (intent.itemId === 'i1' ? undefined : done(cost(0.1))));
    const rig = await start(executor, { concurrency: 2 });
    await rig.ops.call(submitPlan, { run_id: 'r', plan: { items: items(3) } });
    await expect.poll(() => executor.open.size).toBe(1);
    await expect.poll(async () => (await viewOf(rig, 'r')).cost_usd).toBe(0.2);
    await rig.ops.call(pauseRun, { run: 'r' });
    await rig.ops.call(resumeRun, { run: 'r' });
    await rig.ops.call(cancelRun, { run: 'r' });
    expect(await rig.ended('r')).toBe('canceled');
    expect(await viewOf(rig, 'r')).toMatchObject({ cost_usd: 0.2, spent: { attempts: 3, unknown_cost: 1 } });
  });

  it('DI-181: what agents claim to have used, however much, breaks neither the account nor what is added up', async () => {
    const database = await open({ migrations });
    const much = cost(1e300, { input_tokens: 2 ** 52, output_tokens: 2 ** 52 });
    const one = await start(
      new ScriptedExecutor((intent) => (intent.itemId === 'i2' ? undefined : done(much))),
      {
        database,
      },
    );
    await one.ops.call(submitPlan, { run_id: 'r', plan: { items: items(3) } });
    await expect.poll(() => statesOf(one, 'r')).toEqual({ i0: 'done', i1: 'done', i2: 'running' });
    await one.stop();
    const second = new ScriptedExecutor();
    second.found = () => ({ how: 'adopted', end: done(much) });
    const two = await start(second, { database });
    expect(await two.ended('r')).toBe('completed');
    expect((await viewOf(two, 'r')).spent).toMatchObject({ cost_usd: 3e6, tokens: 3e12 });
    expect((await two.ops.call(getUsage, {})).total).toMatchObject({ cost_usd: 3e6 });
  });

  it('DI-163: an attempt that may cost more than its item is refused with its place', async () => {
    const rig = await start(new ScriptedExecutor());
    const plan = { items: [command('a', { budget: { cost_usd: 1 }, max_cost_usd: 2 })] };
    await expect(rig.ops.call(submitPlan, { plan })).rejects.toMatchObject({
      code: 'invalid_plan',
      issues: [{ path: 'items[0].max_cost_usd' }],
    });
  });
});
