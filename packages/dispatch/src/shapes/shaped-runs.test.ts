import { contentHash, getRun, PalisadeError, submitPlan, validatePlan } from '@palisade/contracts';
import { eachDatabase } from '@palisade/kernel/testing';
import { expect, it } from 'vitest';
import { command, done, engineStarter, ScriptedExecutor } from '../../test/engine-rig.ts';
import { heldToResult } from './held-to-result.ts';
import { ShapeCatalogue } from './shape-catalogue.ts';

const ref = contentHash('{"score":"high"}');

const SCORE = {
  id: 'house.score',
  effect: 'pure',
  permissions: { network: false, model: false, patch: false, outputs: true },
  result: { type: 'object', properties: { score: { type: 'integer' } }, required: ['score'] },
};

eachDatabase('shapes of items', (open) => {
  const start = engineStarter(open);

  it('DI-193: a plan can name shapes of packs that were brought along, and their result is held against their schema', async () => {
    const shapes = await ShapeCatalogue.of([[SCORE]]);
    const read = { get: async () => Buffer.from('{"score":"high"}') };
    const executor = new ScriptedExecutor(() =>
      done({ product: { outputs: [{ path: 'result.json', ref, size: 16 }] } }),
    );
    const rig = await start(executor, {
      deps: { shapes },
      judge: (item, end) => heldToResult(read, item.shape, end),
    });
    const item = command('a', { shape: 'house.score', retry: { max_attempts: 2, backoff_ms: 0 } });
    const misspelt = { items: [{ ...item, shape: 'house.scor' }] };
    const { issues } = await rig.ops.call(validatePlan, { plan: misspelt });
    expect(issues[0]?.message).toBe('unknown shape "house.scor" (did you mean "house.score"?)');
    const plan = { items: [item, command('b', { depends_on: ['a'] })] };
    await rig.ops.call(submitPlan, { run_id: 'r', plan }, { actor: 'human:ann' });
    expect(await rig.ended('r')).toBe('failed');
    expect(executor.started.map(({ attempt }) => attempt)).toEqual([1, 2]);
    expect(executor.started[0]?.neededOutputs).toEqual(['result.json']);
    const { items } = await rig.ops.call(getRun, { run: 'r' });
    expect(items[0]).toMatchObject({ state: 'failed', code: 'shape_violated' });
    expect(items[0]?.reason).toContain('does not fit at /score: must be integer');
    expect(items[0]?.product?.outputs).toHaveLength(1);
    expect(items[1]?.state).toBe('skipped');
  });

  it('DI-193: a store that does not answer for a while makes no attempt fail that did well', async () => {
    const shapes = await ShapeCatalogue.of([[SCORE]]);
    let asked = 0;
    const read = {
      get: async () => {
        if (++asked < 3) throw new PalisadeError('upstream_failed', 'the store is away');
        return Buffer.from('{"score":1}');
      },
    };
    const executor = new ScriptedExecutor(() =>
      done({ product: { outputs: [{ path: 'result.json', ref, size: 11 }] } }),
    );
    const rig = await start(executor, {
      deps: { shapes },
      judge: (item, end) => heldToResult(read, item.shape, end),
    });
    const plan = { items: [command('a', { shape: 'house.score' })] };
    await rig.ops.call(submitPlan, { run_id: 'r', plan }, { actor: 'human:ann' });
    expect(await rig.ended('r')).toBe('completed');
    expect(executor.started).toHaveLength(1);
    expect(rig.faults.map(String)).toContain('PalisadeError: the store is away');
  });
});
