import {
  cancelRun,
  getQueue,
  getRun,
  listEvents,
  pauseQueue,
  pauseRun,
  resumeQueue,
  resumeRun,
  setQueue,
  submitPlan,
} from '@palisade/contracts';
import { eachDatabase } from '@palisade/kernel/testing';
import { hasWork } from '../requests/has-work.ts';
import { expect, it } from 'vitest';
import {
  command,
  done,
  engineStarter,
  type EngineRig,
  failed,
  migrations,
  ScriptedExecutor,
  statesOf,
} from '../../test/engine-rig.ts';

const stateOf = async (rig: EngineRig, run: string) => (await rig.ops.call(getRun, { run })).run.state;
const atRest = (rig: EngineRig, run: string) => expect.poll(() => stateOf(rig, run)).toBe('waiting');

eachDatabase('pause and resume', (open) => {
  const start = engineStarter(open);

  it('DI-181: a paused run lets what runs finish, starts nothing more, and goes on when it is resumed', async () => {
    const executor = new ScriptedExecutor((intent) => (intent.itemId === 'long' ? undefined : done()));
    const rig = await start(executor);
    await rig.ops.call(submitPlan, {
      run_id: 'r',
      plan: { items: [command('long'), command('after', { depends_on: ['long'] })] },
    });
    await expect.poll(() => executor.open.has('long#1')).toBe(true);
    const as = { actor: 'human:ada' };
    expect(await rig.ops.call(pauseRun, { run: 'r', reason: 'look first' }, as)).toMatchObject({
      run_id: 'r',
      accepted: true,
    });
    expect(await rig.ops.call(pauseRun, { run: 'r' })).toMatchObject({ accepted: false });
    executor.open.get('long#1')?.end(done());
    await atRest(rig, 'r');
    expect(executor.items).toEqual(['long']);
    const { run, items } = await rig.ops.call(getRun, { run: 'r' });
    expect(run.paused).toMatchObject({ by: 'human:ada', reason: 'look first' });
    expect(items.find(({ id }) => id === 'after')?.reason).toBe('the run was paused by human:ada');
    await expect.poll(() => rig.engine.owned).toBe(0);

    expect(await rig.ops.call(resumeRun, { run: 'r' }, as)).toMatchObject({ accepted: true });
    expect(await rig.ended('r')).toBe('completed');
    const { data } = await rig.ops.call(listEvents, { run: 'r' });
    const told = data.filter(({ type }) => type === 'run.paused' || type === 'run.resumed');
    expect(told.map(({ type, data }) => [type, data['actor']])).toEqual([
      ['run.paused', 'human:ada'],
      ['run.resumed', 'human:ada'],
    ]);
    await expect(rig.ops.call(resumeRun, { run: 'r' })).rejects.toMatchObject({ code: 'invalid_state' });
    await expect(rig.ops.call(pauseRun, { run: 'nothing' })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('DI-181: a pause outlives the engine, and no engine has work with a run at rest', async () => {
    const database = await open({ migrations });
    const first = new ScriptedExecutor(() => undefined);
    const one = await start(first, { database });
    const plan = { items: [command('a'), command('b', { depends_on: ['a'] })] };
    await one.ops.call(submitPlan, { run_id: 'r', plan });
    await expect.poll(() => first.open.size).toBe(1);
    await one.ops.call(pauseRun, { run: 'r' });
    await one.stop();

    const second = new ScriptedExecutor();
    second.found = () => ({ how: 'adopted', end: done() });
    const two = await start(second, { database });
    await atRest(two, 'r');
    expect(await statesOf(two, 'r')).toEqual({ a: 'done', b: 'ready' });
    expect(await database.read((tx) => hasWork(tx, Date.now()))).toBe(false);
    // It lets go of the run after the commit that says so.
    await expect.poll(() => two.engine.owned).toBe(0);
    await two.engine.scan();
    expect(two.engine.owned).toBe(0);
    await two.stop();

    const three = await start(new ScriptedExecutor(), { database });
    expect(await stateOf(three, 'r')).toBe('waiting');
    await three.ops.call(resumeRun, { run: 'r' });
    expect(await three.ended('r')).toBe('completed');
  });

  it('DI-181 DI-176: a paused run can be canceled, at rest and while something of it runs', async () => {
    const executor = new ScriptedExecutor(() => undefined);
    const rig = await start(executor);
    for (const run_id of ['busy', 'idle']) {
      const plan = { items: [command(`a-${run_id}`), command('b', { depends_on: [`a-${run_id}`] })] };
      await rig.ops.call(submitPlan, { run_id, plan });
      await expect.poll(() => executor.open.has(`a-${run_id}#1`)).toBe(true);
      await rig.ops.call(pauseRun, { run: run_id });
    }
    executor.open.get('a-idle#1')?.end(done());
    await atRest(rig, 'idle');
    await rig.ops.call(cancelRun, { run: 'idle' });
    await rig.ops.call(cancelRun, { run: 'busy' });
    expect(await rig.ended('idle')).toBe('canceled');
    expect(await rig.ended('busy')).toBe('canceled');
  });

  it('DI-181 DI-174: the deadline of a run at rest still ends it', async () => {
    let clock = Date.now();
    const database = await open({ migrations, wallClock: () => clock });
    const executor = new ScriptedExecutor(() => undefined);
    const rig = await start(executor, { database, leaseMs: 3_600_000 });
    const plan = { timeout_seconds: 60, items: [command('a'), command('b', { depends_on: ['a'] })] };
    await rig.ops.call(submitPlan, { run_id: 'r', plan });
    await expect.poll(() => executor.open.size).toBe(1);
    await rig.ops.call(pauseRun, { run: 'r' });
    executor.open.get('a#1')?.end(done());
    await atRest(rig, 'r');
    expect(await database.read((tx) => hasWork(tx, Date.now() + 3_600_000))).toBe(true);
    clock += 61_000;
    await rig.stop();
    const next = await start(new ScriptedExecutor(), { database });
    expect(await next.ended('r')).toBe('timed_out');
  });

  it('DI-181: a retry waits for the end of the pause as well', async () => {
    let isHealthy = false;
    const executor = new ScriptedExecutor((intent) =>
      isHealthy ? done() : intent.attempt === 1 ? undefined : failed(),
    );
    const rig = await start(executor);
    const plan = { items: [command('a', { retry: { max_attempts: 3, backoff_ms: 0 } })] };
    await rig.ops.call(submitPlan, { run_id: 'r', plan });
    await expect.poll(() => executor.open.size).toBe(1);
    await rig.ops.call(pauseRun, { run: 'r' });
    executor.open.get('a#1')?.end(failed());
    await atRest(rig, 'r');
    expect(executor.items).toEqual(['a']);
    isHealthy = true;
    await rig.ops.call(resumeRun, { run: 'r' });
    expect(await rig.ended('r')).toBe('completed');
    expect(executor.items).toEqual(['a', 'a']);
  });

  it('DI-181 DI-171: a paused run stands in nobody’s way at a lock', async () => {
    const executor = new ScriptedExecutor((intent) => (intent.itemId === 'holds' ? undefined : done()));
    const rig = await start(executor);
    const locked = (id: string) => command(id, { resourceLocks: ['db'] });
    await rig.ops.call(submitPlan, { run_id: 'holder', plan: { items: [locked('holds')] } });
    await expect.poll(() => executor.open.has('holds#1')).toBe(true);
    await rig.ops.call(submitPlan, { run_id: 'paused', plan: { items: [locked('first')] } });
    await rig.ops.call(submitPlan, { run_id: 'later', plan: { items: [locked('second')] } });
    await rig.ops.call(pauseRun, { run: 'paused' });
    await atRest(rig, 'paused');
    executor.open.get('holds#1')?.end(done());
    expect(await rig.ended('later')).toBe('completed');
    expect(executor.items).toEqual(['holds', 'second']);
    await rig.ops.call(resumeRun, { run: 'paused' });
    expect(await rig.ended('paused')).toBe('completed');
  });

  it('DI-181: a paused queue starts nothing of any of its runs, old or new, and other queues go on', async () => {
    const executor = new ScriptedExecutor((intent) => (intent.itemId === 'long' ? undefined : done()));
    const rig = await start(executor, { maxWaiting: 1 });
    await rig.ops.call(setQueue, { name: 'other', concurrency: 1 });
    const plan = { items: [command('long'), command('after', { depends_on: ['long'] })] };
    await rig.ops.call(submitPlan, { run_id: 'old', plan });
    await expect.poll(() => executor.open.size).toBe(1);
    const as = { actor: 'human:ada' };
    expect(await rig.ops.call(pauseQueue, { name: 'default', reason: 'deploy' }, as)).toMatchObject({
      accepted: true,
    });
    expect(await rig.ops.call(pauseQueue, { name: 'default' })).toMatchObject({ accepted: false });
    for (const run_id of ['new-1', 'new-2'])
      await rig.ops.call(submitPlan, { run_id, plan: { items: [command(run_id)] } });
    await rig.ops.call(submitPlan, { run_id: 'free', plan: { queue: 'other', items: [command('x')] } });
    expect(await rig.ended('free')).toBe('completed');
    executor.open.get('long#1')?.end(done());
    await atRest(rig, 'old');
    await expect.poll(() => rig.engine.owned).toBe(0);
    expect(await stateOf(rig, 'new-1')).toBe('queued');
    expect((await rig.ops.call(getQueue, { name: 'default' })).queue.paused).toMatchObject({
      by: 'human:ada',
      reason: 'deploy',
    });
    const { run, items } = await rig.ops.call(getRun, { run: 'new-2' });
    expect(run.paused).toMatchObject({ by: 'human:ada', queue: true });
    expect(items[0]?.reason).toBe('queue default was paused by human:ada');
    expect(executor.items).toEqual(['long', 'x']);
    await rig.ops.call(resumeQueue, { name: 'default' });
    expect(await rig.ops.call(resumeQueue, { name: 'default' })).toMatchObject({ accepted: false });
    for (const run_id of ['old', 'new-1', 'new-2']) expect(await rig.ended(run_id)).toBe('completed');
    await expect(rig.ops.call(pauseQueue, { name: 'none' })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('DI-181: an item of a paused run that nothing has started yet can be canceled, and the rest goes on later', async () => {
    const executor = new ScriptedExecutor();
    const rig = await start(executor);
    await rig.ops.call(pauseQueue, { name: 'default' });
    await rig.ops.call(submitPlan, { run_id: 'r', plan: { items: [command('a'), command('b')] } });
    await rig.ops.call(cancelRun, { run: 'r', item: 'a' });
    await expect.poll(() => statesOf(rig, 'r')).toEqual({ a: 'canceled', b: 'ready' });
    await rig.ops.call(resumeQueue, { name: 'default' });
    expect(await rig.ended('r')).toBe('failed');
    expect(executor.items).toEqual(['b']);
  });
});
