import { cancelRun, extendRun, getRun, listEvents, type ProductFacts, submitPlan } from '@palisade/contracts';
import { eachDatabase } from '@palisade/kernel/testing';
import { expect, it } from 'vitest';
import {
  command,
  done,
  type EngineRig,
  engineStarter,
  failed,
  migrations,
  ScriptedExecutor,
  statesOf,
} from '../../test/engine-rig.ts';

const PATCH = `sha256:${'a'.repeat(64)}` as const;
const patch: ProductFacts = { result_ref: PATCH, patch: { files: 1, added: 1, deleted: 0, bytes: 9 } };
const red: ProductFacts = { verify: { passed: false } };
const gate = {
  ...command('gate', { verify: { command: 'false' } }),
  needs: { work: { from: 'code', select: { kind: 'patch' }, apply: true } },
  inputs: {
    gate: { onRed: 'spawn-fix', subject: 'code', fixTemplate: { command: 'true' }, maxFixAttempts: 2 },
  },
};

const eventsOf = async (rig: EngineRig, run: string, type: string) =>
  (await rig.ops.call(listEvents, { run, limit: 1_000 })).data.filter((event) => event.type === type);

eachDatabase('a run that grows from within', (open) => {
  const start = engineStarter(open);

  it('DI-175 DI-201: goes back from a red gate to a fix, and ends well with the last round', async () => {
    let rounds = 0;
    const executor = new ScriptedExecutor(({ itemId }) => {
      if (itemId === 'code' || itemId.startsWith('code-fix')) return done({ product: patch });
      return done({ product: itemId.startsWith('gate') && rounds++ === 0 ? red : {} });
    });
    const rig = await start(executor);
    const plan = { items: [command('code'), gate, command('ship', { depends_on: ['gate'] })] };
    const { run_id } = await rig.ops.call(submitPlan, { plan });
    expect(await rig.ended(run_id)).toBe('completed');
    expect(await statesOf(rig, run_id)).toEqual({
      code: 'done',
      gate: 'done',
      ship: 'skipped',
      'gate-fix-1': 'done',
      'gate~2': 'done',
      'ship~2': 'done',
    });
    const { items } = await rig.ops.call(getRun, { run: run_id });
    expect(
      items.filter((item) => item.settled_by !== undefined).map(({ id, settled_by }) => [id, settled_by]),
    ).toEqual([
      ['gate', 'gate~2'],
      ['ship', 'ship~2'],
    ]);
    expect(executor.items).not.toContain('ship');
  });

  it('DI-201: fails when the gate is red to the end, although every item but what it keeps back is done', async () => {
    const executor = new ScriptedExecutor(({ itemId }) =>
      done({ product: itemId.startsWith('gate~') || itemId === 'gate' ? red : patch }),
    );
    const rig = await start(executor);
    const { run_id } = await rig.ops.call(submitPlan, { plan: { items: [command('code'), gate] } });
    expect(await rig.ended(run_id)).toBe('failed');
    expect(Object.keys(await statesOf(rig, run_id))).toEqual([
      'code',
      'gate',
      'gate-fix-1',
      'gate~2',
      'gate-fix-2',
      'gate~3',
    ]);
  });

  it('DI-202: maps every output and reduces what succeeded, when the plan is content with that', async () => {
    const executor = new ScriptedExecutor(({ itemId }) => {
      const ref = PATCH;
      if (itemId === 'split')
        return done({ product: { outputs: ['a', 'b', 'c'].map((path) => ({ path, ref, size: 1 })) } });
      if (itemId === 'map-b') return failed({ retryable: false });
      return done({ product: { outputs: [{ path: 'result', ref, size: 1 }] } });
    });
    const rig = await start(executor);
    const map = { command: 'true' };
    const split = (more: object) => ({
      items: [{ ...command('split'), inputs: { mapReduce: { map, reduce: { command: 'true' }, ...more } } }],
    });
    const partial = await rig.ops.call(submitPlan, { plan: split({ minDone: 2 }) });
    expect(await rig.ended(partial.run_id)).toBe('completed');
    expect(await statesOf(rig, partial.run_id)).toEqual({
      split: 'done',
      'map-a': 'done',
      'map-b': 'failed',
      'map-c': 'done',
      reduce: 'done',
    });
    const whole = await rig.ops.call(submitPlan, { plan: split({}) });
    expect(await rig.ended(whole.run_id)).toBe('failed');
    expect(await statesOf(rig, whole.run_id)).toMatchObject({ 'map-b': 'failed', reduce: 'skipped' });
  });

  it('DI-203: commits with enough approvals, and asks again after a fix', async () => {
    let round = 1;
    const executor = new ScriptedExecutor(({ itemId }) => {
      if (itemId.includes('-fix-')) round = 2;
      if (itemId.includes('::rev-'))
        return done({ product: round === 1 ? red : { verify: { passed: true } } });
      return done({ product: patch });
    });
    const rig = await start(executor);
    const template = { command: 'true' };
    const quorum = {
      reviewers: [template, template, template],
      threshold: 2,
      commit: template,
      onReject: 'spawn-fix',
      fixTemplate: template,
    };
    const plan = { items: [{ ...command('work'), inputs: { quorum } }] };
    const { run_id } = await rig.ops.call(submitPlan, { plan });
    expect(await rig.ended(run_id)).toBe('completed');
    const states = await statesOf(rig, run_id);
    expect(Object.keys(states).filter((id) => id.endsWith('::commit'))).toHaveLength(1);
  });

  it('DI-204: has a fuse, and says so when it blows', async () => {
    const executor = new ScriptedExecutor(() =>
      done({
        product: { outputs: Array.from({ length: 9 }, (_, i) => ({ path: `p${i}`, ref: PATCH, size: 1 })) },
      }),
    );
    const rig = await start(executor);
    const items = [{ ...command('split'), inputs: { mapReduce: { map: { command: 'true' } } } }];
    const { run_id } = await rig.ops.call(submitPlan, { plan: { items, max_items: 5 } });
    expect(await rig.ended(run_id)).toBe('failed');
    const view = await rig.ops.call(getRun, { run: run_id });
    expect(view.run.reason).toContain('may have 5');
    expect(view.items).toHaveLength(1);
    expect(await eventsOf(rig, run_id, 'item.growth_refused')).toHaveLength(1);
  });

  it('does not grow while it is being canceled', async () => {
    const executor = new ScriptedExecutor(({ itemId }) =>
      itemId === 'code' ? done({ product: patch }) : undefined,
    );
    const rig = await start(executor);
    const { run_id } = await rig.ops.call(submitPlan, { plan: { items: [command('code'), gate] } });
    await expect.poll(() => executor.items).toContain('gate');
    await rig.ops.call(cancelRun, { run: run_id });
    expect(await rig.ended(run_id)).toBe('canceled');
    expect(Object.keys(await statesOf(rig, run_id))).toEqual(['code', 'gate']);
  });

  it('starts an item whatever became of what it waits for, when the plan says so', async () => {
    const rig = await start(
      new ScriptedExecutor(({ itemId }) => (itemId === 'bad' ? failed({ retryable: false }) : done())),
    );
    const after = { depends_on: ['bad', 'good', 'behind'], start_when: 'dependencies_ended' };
    const items = [
      command('bad'),
      command('good'),
      command('behind', { depends_on: ['bad'] }),
      command('always', after),
      command('some', { ...after, at_least_done: 1 }),
      command('most', { ...after, at_least_done: 2 }),
    ];
    const { run_id } = await rig.ops.call(submitPlan, { plan: { items } });
    expect(await rig.ended(run_id)).toBe('failed');
    expect(await statesOf(rig, run_id)).toEqual({
      bad: 'failed',
      good: 'done',
      behind: 'skipped',
      always: 'done',
      some: 'done',
      most: 'failed',
    });
  });
});

eachDatabase('an open-ended run', (open) => {
  const start = engineStarter(open);
  const opened = { open_ended: true, items: [command('first')] };

  it('DI-205: takes what is added in the order of the answers, and ends when it is closed', async () => {
    const executor = new ScriptedExecutor();
    const rig = await start(executor);
    const { run_id: run } = await rig.ops.call(submitPlan, { plan: opened });
    for (let i = 1; i <= 20; i++) {
      const depends_on = [i === 1 ? 'first' : `n${i - 1}`];
      const answer = await rig.ops.call(extendRun, { run, items: [command(`n${i}`, { depends_on })] });
      expect(answer).toEqual({ run_id: run, added: [`n${i}`], already: [], items: i + 1, closed: false });
    }
    const again = await rig.ops.call(extendRun, { run, items: [command('n3', { depends_on: ['n2'] })] });
    expect(again).toMatchObject({ added: [], already: ['n3'], items: 21 });
    await expect(rig.ops.call(extendRun, { run, items: [command('n3')] })).rejects.toMatchObject({
      code: 'already_exists',
    });
    expect(await rig.ops.call(extendRun, { run, close: true })).toMatchObject({ closed: true, items: 21 });
    expect(await rig.ended(run)).toBe('completed');
    expect(executor.items).toEqual(['first', ...Array.from({ length: 20 }, (_, i) => `n${i + 1}`)]);
    await expect(rig.ops.call(extendRun, { run, items: [command('late')] })).rejects.toMatchObject({
      code: 'invalid_state',
      message: expect.stringContaining('has already ended'),
    });
  });

  it('DI-205: loses nothing of what it was answered for, however many add while it may end', async () => {
    const executor = new ScriptedExecutor();
    const database = await open({ migrations });
    const rig = await start(executor, { database });
    const other = await start(new ScriptedExecutor(), { database, isIdle: true });
    const { run_id: run } = await rig.ops.call(submitPlan, { plan: opened });
    const added: string[] = [];
    const refused: string[] = [];
    await Promise.all(
      Array.from({ length: 40 }, async (_, i) => {
        const { ops } = i % 2 === 0 ? rig : other;
        const close = i === 25;
        try {
          added.push(...(await ops.call(extendRun, { run, items: [command(`p${i}`)], close })).added);
        } catch (error) {
          expect(error).toMatchObject({ code: 'invalid_state' });
          refused.push(`p${i}`);
        }
      }),
    );
    expect(await rig.ended(run)).toBe('completed');
    const states = await statesOf(rig, run);
    expect(Object.keys(states).sort()).toEqual(['first', ...added].sort());
    expect(new Set(Object.values(states))).toEqual(new Set(['done']));
    expect(added.length + refused.length).toBe(40);
  });

  it('DI-205: takes what is added before anybody owns it, and behind what failed', async () => {
    const database = await open({ migrations });
    const idle = await start(new ScriptedExecutor(), { database, isIdle: true });
    const { run_id: run } = await idle.ops.call(submitPlan, { plan: opened });
    await idle.ops.call(extendRun, { run, items: [command('second', { depends_on: ['first'] })] });
    const rig = await start(
      new ScriptedExecutor(({ itemId }) => (itemId === 'second' ? failed({ retryable: false }) : done())),
      { database },
    );
    await expect.poll(() => statesOf(rig, run)).toEqual({ first: 'done', second: 'failed' });
    await rig.ops.call(extendRun, {
      run,
      items: [command('third', { depends_on: ['second'] })],
      close: true,
    });
    expect(await rig.ended(run)).toBe('failed');
    expect(await statesOf(rig, run)).toMatchObject({ third: 'skipped' });
  });

  it('DI-176 DI-205: goes on when an item is canceled that its owner has not seen yet', async () => {
    const database = await open({ migrations });
    const idle = await start(new ScriptedExecutor(), { database, isIdle: true });
    const executor = new ScriptedExecutor(() => undefined);
    const rig = await start(executor, { database });
    const { run_id: run } = await rig.ops.call(submitPlan, { plan: opened });
    await expect.poll(() => executor.items).toEqual(['first']);
    await Promise.all([
      idle.ops
        .call(extendRun, { run, items: [command('x')] })
        .then(() => idle.ops.call(cancelRun, { run, item: 'x' })),
      idle.ops.call(extendRun, { run, items: [command('y')], close: false }),
    ]);
    executor.open.get('first#1')?.end(done());
    await expect.poll(() => executor.items.includes('y')).toBe(true);
    executor.open.get('y#1')?.end(done());
    executor.open.get('x#1')?.end(done());
    await rig.ops.call(extendRun, { run, close: true });
    expect(['failed', 'completed']).toContain(await rig.ended(run));
    expect(await statesOf(rig, run)).toMatchObject({ first: 'done', y: 'done' });
  });

  it('DI-204: grows by nothing that an extension took the name of, and says so', async () => {
    const executor = new ScriptedExecutor(({ itemId }) =>
      itemId === 'gate' ? undefined : done({ product: patch }),
    );
    const database = await open({ migrations });
    const idle = await start(new ScriptedExecutor(), { database, isIdle: true });
    const rig = await start(executor, { database });
    const plan = { open_ended: true, items: [command('code'), gate] };
    const { run_id: run } = await rig.ops.call(submitPlan, { plan });
    await expect.poll(() => executor.open.has('gate#1')).toBe(true);
    await idle.ops.call(extendRun, { run, items: [command('gate~2')], close: true });
    executor.open.get('gate#1')?.end(done({ product: red }));
    expect(await rig.ended(run)).toMatch(/completed|failed/);
  });

  it('DI-205: that is canceled takes nothing more, also when all it had is done', async () => {
    const rig = await start(new ScriptedExecutor());
    const { run_id: run } = await rig.ops.call(submitPlan, { plan: opened });
    await expect.poll(() => statesOf(rig, run)).toEqual({ first: 'done' });
    await rig.ops.call(cancelRun, { run });
    expect(await rig.ended(run)).toBe('canceled');
  });

  it('DI-164 DI-205: refuses what no plan could say, and what a plan that is all there is would be given', async () => {
    const rig = await start(new ScriptedExecutor(() => undefined));
    const { run_id: run } = await rig.ops.call(submitPlan, { plan: { ...opened, max_items: 3 } });
    const extend = (...items: object[]) => rig.ops.call(extendRun, { run, items });
    await expect(extend(command('x', { depends_on: ['nobody'] }))).rejects.toMatchObject({
      code: 'invalid_plan',
    });
    await expect(
      extend(command('x', { depends_on: ['y'] }), command('y', { depends_on: ['x'] })),
    ).rejects.toMatchObject({ code: 'invalid_plan' });
    await expect(extend(command('x', { executor: 'elsewhere' }))).rejects.toMatchObject({
      code: 'invalid_plan',
    });
    await expect(extend(command('x'), command('y'), command('z'))).rejects.toMatchObject({
      code: 'too_large',
    });
    await expect(extend(command('first', { depends_on: ['first'] }))).rejects.toMatchObject({
      code: expect.stringMatching(/invalid_plan|already_exists/),
    });
    expect(await rig.ops.call(extendRun, { run, items: [command('x')], dry_run: true })).toMatchObject({
      added: ['x'],
    });
    expect(Object.keys(await statesOf(rig, run))).toEqual(['first']);
    const fixed = await rig.ops.call(submitPlan, { plan: { items: [command('only')] } });
    await expect(rig.ops.call(extendRun, { run: fixed.run_id, items: [command('x')] })).rejects.toMatchObject(
      { code: 'invalid_state' },
    );
    const keyed = { idempotencyKey: 'once' };
    const first = await rig.ops.call(extendRun, { run, items: [command('x')] }, keyed);
    expect(await rig.ops.call(extendRun, { run, items: [command('x')] }, keyed)).toEqual(first);
  });
});
