import { contentHash, Manifest, submitPlan } from '@palisade/contracts';
import { eachDatabase } from '@palisade/kernel/testing';
import { getDocument, listChildRuns } from '@palisade/runs';
import { expect, it } from 'vitest';
import { done, engineStarter, failed, LOST, migrations, ScriptedExecutor } from '../../test/engine-rig.ts';

eachDatabase('a retry of a coding agent', (open) => {
  const start = engineStarter(open);
  const [state, patch] = [contentHash('session'), contentHash('patch')];
  const left = {
    result_ref: patch,
    agent_session: { harness: 'codex', id: 'session-1', state_ref: state },
  };

  it.each([
    ['goes on with the attempt before it', { resume: true }, [undefined, 1, 1, undefined]],
    ['begins anew where nobody asked for more', {}, [undefined, undefined, undefined, undefined]],
  ] as const)('%s', async (_name, settings, expected) => {
    const database = await open({ migrations });
    const resumed: Manifest['resumes'][] = [];
    const executor = new ScriptedExecutor(async (intent) => {
      const child = await database.read(async (tx) => (await listChildRuns(tx, 'r')).at(-1));
      const text = await database.read((tx) => getDocument(tx, 'r', child?.manifestRef as never));
      resumed.push(Manifest.parse(JSON.parse(text)).resumes);
      // The second vanishes, and leaves nothing to go on with; the third leaves nothing by its own choice.
      return [failed({ product: left }), LOST, failed()][intent.attempt - 1] ?? done();
    });
    const rig = await start(executor, { database });
    const run = { harness: 'codex', ...settings };
    const retry = { max_attempts: 3, backoff_ms: 1 };
    await rig.ops.call(submitPlan, { run_id: 'r', plan: { items: [{ id: 'a', prompt: 'x', run, retry }] } });
    expect(await rig.ended('r')).toBe('completed');
    expect(resumed.map((each) => each?.attempt)).toEqual(expected);
    expect(resumed.filter((each) => each !== undefined)).toEqual(
      expected.filter(Boolean).map((attempt) => ({ attempt, session: state, patch })),
    );
  });
});
