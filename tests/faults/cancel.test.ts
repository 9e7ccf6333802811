import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { getRun, submitPlan } from '@palisade/contracts';
import type { ControlPlane } from '@palisade/server';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  attemptsOf,
  ended,
  makeRepository,
  openAt,
  palisade,
  removeInstallation,
  startEngine,
  until,
} from '../support/installation.ts';
import { enginesOf, running, uniqueSeconds, workersOf } from '../support/processes.ts';

let root = '';
let plane: ControlPlane;
beforeEach(async () => {
  root = makeRepository({ 'a.txt': 'zero\n' });
  plane = await openAt(root);
});
afterEach(async () => {
  await plane.close();
  removeInstallation(root);
});

async function submit(run: string, items: readonly object[], sandbox = 'bubblewrap'): Promise<void> {
  await plane.call(submitPlan, { plan: { items }, run_id: run, repository: root, sandbox });
}

/** Asks for the end as a person at another terminal does, and waits for it. */
async function cancel(run: string): Promise<Awaited<ReturnType<typeof ended>>> {
  const said = await palisade(root, ['cancel', run, '--reason', 'not needed']);
  expect(said, said.stderr).toMatchObject({ code: 0, signal: null });
  return ended(plane, run);
}

/** No worker, no agent process with one of these texts, and no directory of an attempt. */
async function nothingLeft(...markers: string[]): Promise<void> {
  expect(markers.flatMap(running)).toEqual([]);
  await until(
    'no worker and no attempt to be left',
    async () => workersOf(root).length === 0 && attemptsOf(root).length === 0,
    20_000,
  );
  expect(markers.flatMap(running)).toEqual([]);
}

describe('cancel from another terminal', { timeout: 90_000 }, () => {
  for (const sandbox of ['bubblewrap', 'process']) {
    it(`DI-176 FF-063: while a stubborn tree runs (${sandbox})`, async () => {
      const [daemon, child, agent] = [uniqueSeconds(), uniqueSeconds(), uniqueSeconds()];
      const command = `trap '' TERM HUP INT; setsid sh -c "trap '' TERM; sleep ${daemon}" & (trap '' TERM; sleep ${child}) & echo kept > kept.txt; sleep ${agent}; sleep ${agent}`;
      await submit(
        'stubborn',
        [
          { id: 'a', command },
          { id: 'b', command: 'true', depends_on: ['a'] },
        ],
        sandbox,
      );
      await startEngine(plane);
      await until('the tree to run', async () => [daemon, child, agent].every((m) => running(m).length > 0));
      const { run, items } = await cancel('stubborn');
      expect(run).toMatchObject({ state: 'canceled', reason: 'not needed' });
      expect(items.map((item) => item.state)).toEqual(['canceled', 'canceled']);
      // What was there when it was stopped is kept.
      expect(items[0]?.product?.result_ref).toBeDefined();
      await nothingLeft(daemon, child, agent);
    });
  }

  it('DI-176: before any engine ever looked at it', async () => {
    await submit('early', [{ id: 'a', command: 'true' }]);
    const { run, items } = await cancel('early');
    expect(run.state).toBe('canceled');
    expect(items[0]).toMatchObject({ state: 'canceled', attempt: 0 });
    expect(attemptsOf(root)).toEqual([]);
  });

  it('DI-176 FF-063: with the engine dead and the agent running', async () => {
    const agent = uniqueSeconds();
    await submit('orphan', [{ id: 'a', command: `sleep ${agent}` }]);
    await startEngine(plane);
    await until('the agent to run', async () => running(agent).length > 0);
    for (const { pid } of enginesOf(root)) process.kill(pid, 'SIGKILL');
    await until('the engine to be gone', async () => !(await plane.engineLives()));
    expect(running(agent)).not.toEqual([]);
    const { run, items } = await cancel('orphan');
    expect(run.state).toBe('canceled');
    expect(items[0]).toMatchObject({ state: 'canceled', attempt: 1 });
    await nothingLeft(agent);
  });

  it('DI-176 FF-046: with the engine dead and the worker dead', async () => {
    const agent = uniqueSeconds();
    await submit('both', [{ id: 'a', command: `setsid sleep ${agent} & sleep ${agent}` }], 'process');
    await startEngine(plane);
    await until('the agent to run', async () => running(agent).length > 1);
    for (const { pid } of [...enginesOf(root), ...workersOf(root)]) process.kill(pid, 'SIGKILL');
    await until('the engine to be gone', async () => !(await plane.engineLives()));
    const { run } = await cancel('both');
    expect(run.state).toBe('canceled');
    await nothingLeft(agent);
  });

  it('DI-176: while the set-up of a capability runs', async () => {
    const setup = uniqueSeconds();
    mkdirSync(join(root, 'slow'));
    writeFileSync(join(root, 'slow/palisade-setup.sh'), `#!/bin/sh\nsleep ${setup}\n`, { mode: 0o755 });
    const registered = await palisade(root, ['capability', 'register', 'slow', 'slow']);
    expect(registered.code, registered.stderr).toBe(0);
    await submit('setup', [{ id: 'a', command: 'true', inputs: { capabilities: ['slow'] } }]);
    await startEngine(plane);
    await until('the set-up to run', async () => running(setup).length > 0);
    const { run } = await cancel('setup');
    expect(run.state).toBe('canceled');
    await nothingLeft(setup);
  });

  for (const point of ['worker.claimed', 'worker.before-capture', 'worker.after-capture']) {
    it(`DI-176: while the worker is at ${point}`, async () => {
      await submit('exact', [{ id: 'a', command: 'echo one > one.txt' }]);
      await startEngine(plane, { PALISADE_FAULT: `stop:${point}` });
      const still = await until('the worker to stand still', async () =>
        running(root).find(({ state }) => state === 'T'),
      );
      const said = await palisade(root, ['cancel', 'exact']);
      expect(said.code, said.stderr).toBe(0);
      await until(
        'the wish to be stored',
        async () => (await plane.call(getRun, { run: 'exact' })).run.cancel_requested,
      );
      await delay(300);
      process.kill(still.pid, 'SIGCONT');
      const { run, items } = await ended(plane, 'exact');
      // A product that was complete already is not thrown away.
      if (point !== 'worker.after-capture')
        expect([run.state, items[0]?.state]).toEqual(['canceled', 'canceled']);
      if (point !== 'worker.claimed') expect(items[0]?.product?.result_ref).toBeDefined();
      await nothingLeft();
    });
  }

  it('DI-176 FF-063: at any moment of its first second', async () => {
    const agent = uniqueSeconds();
    const runs = Array.from({ length: 8 }, (_, i) => `r${i}`);
    await startEngine(plane);
    await Promise.all(
      runs.map(async (run, i) => {
        await submit(run, [{ id: 'a', command: `sleep ${agent}` }]);
        await delay(i * 200);
        const { run: view } = await cancel(run);
        expect(view.state).toBe('canceled');
      }),
    );
    await nothingLeft(agent);
  });

  it('DI-176: an unknown run or item is an error, an ended run says so', async () => {
    await submit('short', [{ id: 'a', command: 'true' }]);
    expect(await palisade(root, ['cancel', 'nosuch'])).toMatchObject({ code: 2 });
    const item = await palisade(root, ['cancel', 'short/nosuch']);
    expect(item).toMatchObject({ code: 2, stderr: expect.stringContaining('has no item nosuch') });
    await startEngine(plane);
    await ended(plane, 'short');
    const again = await palisade(root, ['cancel', 'short']);
    expect(again).toMatchObject({ code: 5, stderr: expect.stringContaining('already ended') });
    expect((await plane.call(getRun, { run: 'short' })).run.state).toBe('completed');
  });
});
