import {
  contentHash,
  extendRun,
  getRun,
  limits,
  listEvents,
  listProducts,
  PalisadeError,
  submitPlan,
} from '@palisade/contracts';
import { eachDatabase } from '@palisade/kernel/testing';
import { expect, it } from 'vitest';
import {
  command,
  done,
  engineStarter,
  failed,
  migrations,
  ScriptedExecutor,
  statesOf,
} from '../../test/engine-rig.ts';
import { growthMaterial } from './growth-material.ts';

const ref = contentHash('a product');
const PATCH = { result_ref: ref };
const leaves = (...paths: string[]) => ({ outputs: paths.map((path) => ({ path, ref, size: 1 })) });
const red = { verify: { passed: false, report: 'two tests failed' } };
const work = { command: 'true' };
const patchOf = (from: string) => ({ work: { from, select: { kind: 'patch' }, apply: true } });

const circle = (max = 2) => [
  command('implement'),
  command('test', {
    needs: patchOf('implement'),
    inputs: { gate: { onRed: 'spawn-fix', subject: 'implement', fixTemplate: work, maxFixAttempts: max } },
  }),
  command('publish', { depends_on: ['test'] }),
];

eachDatabase('runs that grow', (open) => {
  const start = engineStarter(open);
  /** Items that end otherwise than done with a patch. */
  const executor = (special: Record<string, ReturnType<typeof done>>) =>
    new ScriptedExecutor(({ itemId }) => special[itemId] ?? done({ product: PATCH }));

  it('DI-201, DI-204: a red gate goes back, and the run ends well by its repetition', async () => {
    const rig = await start(executor({ test: done({ product: { ...PATCH, ...red } }) }));
    await rig.ops.call(submitPlan, { run_id: 'r', plan: { items: circle() } });
    expect(await rig.ended('r')).toBe('completed');
    expect(await statesOf(rig, 'r')).toEqual({
      implement: 'done',
      test: 'done',
      publish: 'skipped',
      'test-fix-1': 'done',
      'test~2': 'done',
      'publish~2': 'done',
    });
    const { data } = await rig.ops.call(listEvents, { run: 'r' });
    expect(data.filter(({ type }) => type === 'run.extended').map((event) => event.data)).toMatchObject([
      { cause: 'test', items: ['test-fix-1', 'test~2', 'publish~2'] },
    ]);
    expect(data.filter(({ type }) => type === 'item.settled').map((event) => event.data)).toEqual([
      { item: 'test', by: 'test~2' },
      { item: 'publish', by: 'publish~2' },
    ]);
    expect(rig.faults).toEqual([]);
  });

  it('DI-201: gates that are red in the same unit of work lead to one line of fixes, also for a new owner', async () => {
    const database = await open({ migrations });
    const first = executor({});
    first.behaviour = ({ itemId }) => (itemId === 'implement' ? done({ product: PATCH }) : undefined);
    const rig = await start(first, { database });
    const gate = (id: string) => ({ ...circle()[1], id });
    await rig.ops.call(submitPlan, {
      run_id: 'r',
      plan: {
        items: [
          command('implement'),
          gate('lint'),
          gate('test'),
          command('publish', { depends_on: ['lint', 'test'] }),
        ],
      },
    });
    await expect.poll(() => [...first.open.keys()].sort()).toEqual(['lint#1', 'test#1']);
    await rig.stop();
    // The next owner finds both ended, and records them in one step.
    const second = executor({});
    second.found = () => ({ how: 'adopted', end: done({ product: { ...PATCH, ...red } }) });
    const other = await start(second, { database });
    expect(await other.ended('r')).toBe('completed');
    const states = await statesOf(other, 'r');
    expect(
      Object.keys(states)
        .filter((id) => id.includes('-fix-'))
        .sort(),
    ).toEqual(['lint-fix-1']);
    expect(states).toMatchObject({ 'lint~2': 'done', 'test~2': 'done', 'publish~2': 'done' });
    expect(other.faults).toEqual([]);
  });

  it('DI-201: two gates about different subjects repeat what waits for both once more, in one unit of work too', async () => {
    const database = await open({ migrations });
    const first = new ScriptedExecutor(({ itemId }) =>
      itemId.startsWith('test') ? undefined : done({ product: PATCH }),
    );
    const rig = await start(first, { database });
    const gate = (of: string) =>
      command(`test-${of}`, {
        depends_on: [of],
        inputs: { gate: { onRed: 'spawn-fix', subject: of, fixTemplate: work } },
      });
    await rig.ops.call(submitPlan, {
      run_id: 'r',
      plan: {
        items: [
          command('a'),
          command('b'),
          gate('a'),
          gate('b'),
          command('publish', { depends_on: ['test-a', 'test-b'] }),
        ],
      },
    });
    await expect.poll(() => [...first.open.keys()].sort()).toEqual(['test-a#1', 'test-b#1']);
    await rig.stop();
    const second = executor({});
    second.found = () => ({ how: 'adopted', end: failed({ retryable: false }) });
    const other = await start(second, { database });
    expect(await other.ended('r')).toBe('completed');
    expect(await statesOf(other, 'r')).toMatchObject({ 'publish~2': 'skipped', 'publish~3': 'done' });
    expect(other.faults).toEqual([]);
  });

  it('DI-201, FF-143: what lies between subject and gate is done again and stands in for what was done', async () => {
    const rig = await start(executor({ test: failed({ retryable: false }) }));
    const [implement, test, publish] = circle();
    const build = command('build', { needs: patchOf('implement') });
    const items = [implement, build, { ...test, depends_on: ['build'] }, publish];
    await rig.ops.call(submitPlan, { run_id: 'r', plan: { items } });
    expect(await rig.ended('r')).toBe('completed');
    const { data } = await rig.ops.call(listProducts, { run: 'r' });
    expect(data.map(({ item, settled_by: by, base_patches: base }) => [item, by, base])).toEqual([
      ['implement', undefined, []],
      ['build', 'build~2', ['implement']],
      ['test-fix-1', undefined, ['implement']],
      ['test', 'test~2', ['implement']],
      ['build~2', undefined, ['test-fix-1']],
      ['publish', 'publish~2', []],
      ['test~2', undefined, ['test-fix-1']],
      ['publish~2', undefined, []],
    ]);
  });

  it('DI-201: without a green gate in the end the run fails', async () => {
    const rig = await start(
      new ScriptedExecutor(({ itemId }) =>
        itemId.startsWith('test~') || itemId === 'test'
          ? failed({ retryable: false })
          : done({ product: PATCH }),
      ),
    );
    await rig.ops.call(submitPlan, { run_id: 'r', plan: { items: circle() } });
    expect(await rig.ended('r')).toBe('failed');
    expect(Object.keys(await statesOf(rig, 'r')).filter((id) => id.includes('-fix-'))).toHaveLength(2);
  });

  it('DI-202: maps, a reduction of those that are done, and a run that ends well without one', async () => {
    const rig = await start(
      executor({
        split: done({ product: leaves('a', 'b', 'c') }),
        'map-a': done({ product: leaves('result') }),
        'map-b': failed({ retryable: false }),
        'map-c': done({ product: leaves('result') }),
      }),
    );
    const items = [
      command('split', { inputs: { mapReduce: { map: work, reduce: work, onFailure: 'reduce-done' } } }),
    ];
    await rig.ops.call(submitPlan, { run_id: 'r', plan: { items } });
    expect(await rig.ended('r')).toBe('completed');
    const { items: views } = await rig.ops.call(getRun, { run: 'r' });
    expect(views.map(({ id, state, settled_by: by }) => [id, state, by])).toEqual([
      ['split', 'done', undefined],
      ['map-a', 'done', undefined],
      ['map-b', 'failed', 'reduce'],
      ['map-c', 'done', undefined],
      ['reduce', 'done', undefined],
    ]);
  });

  it('DI-203: a quorum rejects, its fix is accepted, and the commit is made of the fix', async () => {
    const no = done({ product: red });
    const rig = await start(executor({ 'change::rev-1': no, 'change::rev-2': no }));
    const quorum = {
      reviewers: [work, work, work],
      threshold: 2,
      commit: work,
      onReject: 'spawn-fix',
      fixTemplate: work,
    };
    await rig.ops.call(submitPlan, {
      run_id: 'r',
      plan: { items: [command('change', { inputs: { quorum } })] },
    });
    expect(await rig.ended('r')).toBe('completed');
    expect(await statesOf(rig, 'r')).toMatchObject({
      'change-fix-1': 'done',
      'change-fix-1::commit': 'done',
    });
    await rig.ops.call(submitPlan, {
      run_id: 'blocked',
      plan: {
        items: [command('change', { inputs: { quorum: { reviewers: [work, work, work], threshold: 2 } } })],
      },
    });
    expect(await rig.ended('blocked')).toBe('failed');
    const { run } = await rig.ops.call(getRun, { run: 'blocked' });
    expect(run.reason).toContain('reviewers approved change, and 2 have to');
  });

  it('DI-200: a list of items is read from the output, and a wrong one fails the run with its reason', async () => {
    const lists: Record<string, string> = {
      good: '[{"id": "x"}, {"id": "y", "depends_on": ["x"]}]',
      bad: '{}',
    };
    const scripted = new ScriptedExecutor(({ itemId }) =>
      done({
        product:
          itemId === 'none'
            ? {}
            : { outputs: [{ path: 'items.json', ref, size: itemId === 'big' ? limits.spawnBytes + 1 : 9 }] },
      }),
    );
    let asked = 0;
    const get = async (list: string | undefined) => {
      // A store that does not answer for a while is no fault of the item.
      if (++asked === 1) throw new PalisadeError('upstream_failed', 'the store is away');
      if (list === undefined) throw new PalisadeError('not_found', 'there is no such blob');
      return Buffer.from(list);
    };
    const rig = await start(scripted, {
      material: (item, end) => growthMaterial({ get: () => get(lists[item.id]) }, item, end),
    });
    const spawn = { from: 'items.json', template: work, join: work };
    for (const id of ['good', 'bad', 'none', 'big', 'lost'])
      await rig.ops.call(submitPlan, {
        run_id: `r-${id}`,
        plan: { items: [command(id, { inputs: { spawn } })] },
      });
    expect(await rig.ended('r-good')).toBe('completed');
    expect(await statesOf(rig, 'r-good')).toEqual({
      good: 'done',
      'good::x': 'done',
      'good::y': 'done',
      'good::join': 'done',
    });
    const reasons: Record<string, string> = {
      bad: 'is not an array',
      none: 'it left no list',
      big: 'larger than',
      lost: 'could not be read',
    };
    for (const [id, reason] of Object.entries(reasons)) {
      expect(await rig.ended(`r-${id}`)).toBe('failed');
      const { run } = await rig.ops.call(getRun, { run: `r-${id}` });
      expect(run.reason).toContain(reason);
    }
  });

  it('DI-204: the fuse of the plan blows before anything is made, and the run fails', async () => {
    const rig = await start(executor({ split: done({ product: leaves('a', 'b', 'c') }) }));
    const items = [command('split', { inputs: { mapReduce: { map: work } } })];
    await rig.ops.call(submitPlan, { run_id: 'r', plan: { max_items: 3, items } });
    expect(await rig.ended('r')).toBe('failed');
    expect(await statesOf(rig, 'r')).toEqual({ split: 'done' });
  });

  it('DI-205: what is added cannot demand a boundary of a run that has none, nor can a template of it', async () => {
    const rig = await start(executor({}));
    await rig.ops.call(submitPlan, { run_id: 'r', plan: { open_ended: true, items: [command('a')] } });
    const isolated = { ...work, sandbox: { isolated: true } };
    const spawn = { from: 'l', template: isolated };
    for (const item of [{ id: 'b', ...isolated }, command('b', { inputs: { spawn } })])
      await expect(rig.ops.call(extendRun, { run: 'r', items: [item] })).rejects.toMatchObject({
        code: 'requirements_unmet',
      });
    await rig.ops.call(extendRun, { run: 'r', items: circle(), close: true });
    expect(await rig.ended('r')).toBe('completed');
  });

  it('DI-193: a pure item that changes files fails at its end, without another try', async () => {
    const scripted = executor({});
    const rig = await start(scripted);
    const items = [command('sum', { shape: 'data.aggregate', retry: { max_attempts: 3 } })];
    await rig.ops.call(submitPlan, { run_id: 'r', plan: { items } });
    expect(await rig.ended('r')).toBe('failed');
    const { items: views } = await rig.ops.call(getRun, { run: 'r' });
    expect(views[0]?.reason).toContain(
      'it changed files of the workspace and may not: it has the shape data.aggregate',
    );
    expect(scripted.items).toEqual(['sum']);
  });
});
