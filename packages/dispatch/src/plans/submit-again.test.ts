import { PalisadeError, submitPlan } from '@palisade/contracts';
import { eachDatabase } from '@palisade/kernel/testing';
import { expect, it } from 'vitest';
import { command, engineStarter, migrations, ScriptedExecutor } from '../../test/engine-rig.ts';

const PLAN = { items: [command('a')] };
const gone = (what: string) => () => Promise.reject(new PalisadeError('not_found', `${what} is gone`));

eachDatabase('a submission that is repeated', (open) => {
  const start = engineStarter(open);

  it('DI-164: is answered from the run there is, also when nothing it was made from is there any more', async () => {
    const database = await open({ migrations });
    const first = await start(new ScriptedExecutor(() => undefined), { database });
    const calls = [
      [{ plan: PLAN, run_id: 'r', repository: '/repository' }, {}],
      [{ plan: PLAN, repository: '/repository' }, { idempotencyKey: 'k' }],
    ] as const;
    const answers = [];
    for (const [input, context] of calls) answers.push(await first.ops.call(submitPlan, input, context));
    const deps = {
      resolveBase: gone('the repository'),
      chooseSandbox: async () => ({ name: 'other', isolation: 'sandboxed' as const, warnings: [] }),
    };
    const later = await start(new ScriptedExecutor(() => undefined), { database, deps, isIdle: true });
    for (const [i, [input, context]] of calls.entries())
      expect(await later.ops.call(submitPlan, input, context)).toEqual({ ...answers[i], created: false });
  });

  it('DI-164: of an id that stands in the plan is refused on another commit, by a key answered as before', async () => {
    const database = await open({ migrations });
    let commit = '1'.repeat(40);
    const deps = {
      resolveBase: async () => ({
        base: { kind: 'git' as const, topLevel: '/r', gitDir: '/r/.git', commit },
        warnings: [],
      }),
    };
    const rig = await start(new ScriptedExecutor(() => undefined), { database, deps });
    const gate = { plan: { ...PLAN, id: 'gate' }, repository: '/r' };
    const keyed = [{ plan: PLAN, repository: '/r' }, { idempotencyKey: 'k' }] as const;
    const first = await rig.ops.call(submitPlan, ...keyed);
    expect(await rig.ops.call(submitPlan, gate)).toMatchObject({ created: true });
    expect(await rig.ops.call(submitPlan, { ...gate, base: 'HEAD' })).toMatchObject({ created: false });
    commit = '2'.repeat(40);
    // A command line sends a key of its own with every call.
    for (const context of [{}, { idempotencyKey: 'another' }])
      await expect(rig.ops.call(submitPlan, gate, context)).rejects.toMatchObject({
        code: 'already_exists',
        why: 'it started from 111111111111; HEAD is 222222222222 now',
      });
    expect(await rig.ops.call(submitPlan, ...keyed)).toMatchObject({ run_id: first.run_id, created: false });
  });

  it('DI-164 EX-204: with other wishes it is another request', async () => {
    const rig = await start(new ScriptedExecutor(() => undefined));
    await rig.ops.call(submitPlan, { plan: PLAN, run_id: 'r' });
    for (const wish of [{ require_isolation: true }, { title: 'another' }, { allow_network: true }])
      await expect(rig.ops.call(submitPlan, { plan: PLAN, run_id: 'r', ...wish })).rejects.toMatchObject({
        code: 'already_exists',
      });
  });
});
