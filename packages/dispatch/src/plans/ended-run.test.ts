import { cancelRun, extendRun, pauseRun, resumeRun, setBudget, submitPlan } from '@palisade/contracts';
import { eachDatabase } from '@palisade/kernel/testing';
import { expect, it } from 'vitest';
import { command, engineStarter, ScriptedExecutor } from '../../test/engine-rig.ts';

eachDatabase('a run that has ended', (open) => {
  const start = engineStarter(open);

  it('DI-261: what cannot be done to it any more is refused with what can', async () => {
    const rig = await start(new ScriptedExecutor());
    const plan = { open_ended: true, items: [command('a')] };
    await rig.ops.call(submitPlan, { run_id: 'r', plan });
    await rig.ops.call(extendRun, { run: 'r', close: true });
    await rig.ended('r');
    const refused = [
      () => rig.ops.call(cancelRun, { run: 'r' }),
      () => rig.ops.call(cancelRun, { run: 'r', item: 'a' }),
      () => rig.ops.call(pauseRun, { run: 'r' }),
      () => rig.ops.call(resumeRun, { run: 'r' }),
      () => rig.ops.call(extendRun, { run: 'r', items: [command('b')] }),
      () => rig.ops.call(setBudget, { run: 'r', attempts: 5 }),
    ];
    for (const call of refused)
      await expect(call(), String(call)).rejects.toMatchObject({
        code: 'invalid_state',
        next: expect.stringMatching(/^palisade (show|rerun) r/),
      });
  });
});
