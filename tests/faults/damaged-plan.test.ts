import { getRun, submitPlan } from '@palisade/contracts';
import type { ControlPlane } from '@palisade/server';
import { afterEach, expect, it } from 'vitest';
import {
  attemptsOf,
  ended,
  makeRepository,
  openAt,
  palisade,
  removeInstallation,
  startEngine,
  until,
  verified,
} from '../support/installation.ts';
import { eachInstallationDatabase, type InstallationDatabase } from '../support/installation-database.ts';
import { enginesOf, running, uniqueSeconds, workersOf } from '../support/processes.ts';

let root = '';
let plane: ControlPlane;
afterEach(async () => {
  await plane.close();
  removeInstallation(root);
});

eachInstallationDatabase('a damaged plan document', (makeDatabase) => {
  /** A run at work whose engine died and whose plan was damaged then. */
  async function damaged(agent: string): Promise<InstallationDatabase> {
    root = makeRepository({ 'a.txt': 'zero\n' });
    const database = await makeDatabase();
    plane = await database.within(() => openAt(root));
    const items = [
      { id: 'done', command: 'echo one > one.txt' },
      {
        id: 'live',
        command: `echo two > two.txt; sleep ${agent}`,
        depends_on: ['done'],
        resourceLocks: ['k'],
      },
      { id: 'later', command: 'true', depends_on: ['live'] },
    ];
    await plane.call(submitPlan, { plan: { items }, run_id: 'hurt', repository: root });
    await database.within(() => startEngine(plane));
    await until('the agent to run', async () => running(agent).length > 0);
    for (const { pid } of enginesOf(root)) process.kill(pid, 'SIGKILL');
    await until('the engine to be gone', async () => !(await plane.engineLives()));
    const sql = "UPDATE documents SET body = '{}' WHERE ref = (SELECT plan_ref FROM runs WHERE id = 'hurt')";
    expect(await database.tamper(root, sql)).toBe(1);
    return database;
  }

  async function nothingLeft(agent: string): Promise<void> {
    expect(running(agent)).toEqual([]);
    await until('no worker and no attempt', async () => {
      return workersOf(root).length === 0 && attemptsOf(root).length === 0;
    });
  }

  it('DI-178 DI-226: fails its run, stops what runs, frees the lock, and the evidence of what was there is whole', {
    timeout: 120_000,
  }, async () => {
    const agent = uniqueSeconds();
    const database = await damaged(agent);
    const plan = { items: [{ id: 'b', command: 'true', resourceLocks: ['k'] }] };
    await plane.call(submitPlan, { plan, run_id: 'next', repository: root });
    await database.within(() => startEngine(plane));
    const { run, items } = await ended(plane, 'hurt');
    expect(run).toMatchObject({ state: 'failed', reason: expect.stringContaining('is damaged') });
    expect(items.map((item) => [item.id, item.state])).toEqual([
      ['done', 'done'],
      ['live', 'canceled'],
      ['later', 'canceled'],
    ]);
    // What was there is kept, also of the attempt that was stopped.
    expect(items.slice(0, 2).map((item) => item.product?.result_ref)).not.toContain(undefined);
    expect((await ended(plane, 'next')).run.state).toBe('completed');
    expect((await verified(plane, 'hurt')).report.intact).toBe(true);
    await nothingLeft(agent);
    const shown = await palisade(root, ['show', 'hurt'], database.env);
    expect(shown.stdout).toContain('the stored plan of run hurt is damaged');
    const applied = await palisade(root, ['apply', 'hurt'], database.env);
    expect([applied.code, applied.stderr]).toEqual([1, expect.stringContaining('integrity_mismatch')]);
    const diff = await palisade(root, ['artifact', 'get', items[0]?.product?.result_ref ?? ''], database.env);
    expect(diff.stdout).toContain('+one');
  });

  it('DI-176: and its run can be canceled', { timeout: 120_000 }, async () => {
    const agent = uniqueSeconds();
    const database = await damaged(agent);
    const said = await palisade(root, ['cancel', 'hurt', '--reason', 'not needed'], database.env);
    expect(said, said.stderr).toMatchObject({ code: 0 });
    await until('the run to end', async () => (await plane.call(getRun, { run: 'hurt' })).run.sealed);
    expect((await plane.call(getRun, { run: 'hurt' })).run).toMatchObject({
      state: 'canceled',
      reason: 'not needed',
    });
    await nothingLeft(agent);
  });
});
