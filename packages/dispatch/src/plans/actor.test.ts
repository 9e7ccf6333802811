import { cancelRun, getRun, listEvents, submitPlan } from '@palisade/contracts';
import { eachDatabase } from '@palisade/kernel/testing';
import { expect, it } from 'vitest';
import { command, engineStarter, ScriptedExecutor } from '../../test/engine-rig.ts';

eachDatabase('who asks', (open) => {
  const start = engineStarter(open);

  it('DI-003: is recorded, and allows and forbids nothing; what is allowed is the operator’s word', async () => {
    const rig = await start(new ScriptedExecutor(() => undefined));
    const plan = { items: [command('a')] };
    await rig.ops.call(submitPlan, { run_id: 'r', plan }, { actor: 'human:ada' });
    const wish = rig.ops.call(cancelRun, { run: 'r' }, { actor: 'nobody:at-all' });
    expect(await wish).toMatchObject({ accepted: true });
    await rig.ended('r');
    expect((await rig.ops.call(getRun, { run: 'r' })).run.actor).toBe('human:ada');
    const { data } = await rig.ops.call(listEvents, { run: 'r' });
    expect(
      data
        .filter(({ data: { actor } }) => actor !== undefined)
        .map(({ type, data: { actor } }) => [type, actor]),
    ).toEqual([
      ['run.submitted', 'human:ada'],
      ['run.cancel_requested', 'nobody:at-all'],
    ]);
    const online = { items: [command('a', { sandbox: { network: true } })] };
    for (const actor of ['root', 'system:admin']) {
      const refused = rig.ops.call(submitPlan, { run_id: actor, plan: online }, { actor });
      await expect(refused).rejects.toMatchObject({ code: 'invalid_plan' });
    }
    const allowed = { run_id: 'allowed', plan: online, allow_network: true };
    expect(await rig.ops.call(submitPlan, allowed, { actor: 'nobody' })).toMatchObject({ created: true });
  });
});
