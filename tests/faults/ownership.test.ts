import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exportEvidence, getArtifact, getRun, listEvents, submitPlan } from '@palisade/contracts';
import type { ControlPlane } from '@palisade/server';
import { afterEach, describe, expect, it } from 'vitest';
import {
  attemptsOf,
  ended,
  makeRepository,
  openAt,
  removeInstallation,
  startEngine,
  until,
  verified,
} from '../support/installation.ts';
import { eachInstallationDatabase } from '../support/installation-database.ts';
import { enginesOf, processTable, running, uniqueSeconds, workersOf } from '../support/processes.ts';
import { product } from '../support/product.ts';

const ENGINE = product('engine-process.js');
const LEASE_MS = 1_500;

/** An engine beside an announced one, as a second machine or a start at the same moment makes it. */
function secondEngine(root: string, env: Readonly<Record<string, string>>): ChildProcess {
  return spawn(process.execPath, [ENGINE, root], {
    stdio: 'ignore',
    cwd: root,
    env: { ...process.env, PALISADE_LEASE_MS: String(LEASE_MS), ...env },
  });
}

/** Waits until both have ended by themselves; gives their exit codes. */
async function left(engines: readonly ChildProcess[]): Promise<readonly (number | null)[]> {
  await until(
    'the engines to leave',
    async () => engines.every((engine) => engine.exitCode !== null || engine.signalCode !== null),
    30_000,
  );
  return engines.map((engine) => engine.exitCode);
}

async function stopped(child: ChildProcess): Promise<void> {
  await until('the engine to stand still', async () =>
    processTable().some((entry) => entry.pid === child.pid && entry.state === 'T'),
  );
}

/** How often each item was fired, and what run.recovered says. */
async function history(plane: ControlPlane, run: string) {
  const { entries } = await plane.call(exportEvidence, { run });
  const of = (type: string) => entries.filter((entry) => entry.type === type).map((entry) => entry.data);
  return {
    fired: of('item.fired')
      .map((data) => String(data['item']))
      .sort(),
    recovered: of('run.recovered'),
    entries,
  };
}

async function recoveries(plane: ControlPlane, run: string): Promise<number> {
  const { data } = await plane.call(listEvents, { run, limit: 10_000 });
  return data.filter((event) => event.type === 'run.recovered').length;
}

async function patchOf(plane: ControlPlane, ref: string | undefined): Promise<string> {
  if (ref === undefined) throw new Error('there is no product');
  return Buffer.from(
    (await plane.call(getArtifact, { ref: ref as `sha256:${string}` })).base64,
    'base64',
  ).toString();
}

async function clean(root: string): Promise<void> {
  await until(
    'no worker and no attempt to be left',
    async () => workersOf(root).length === 0 && attemptsOf(root).length === 0,
    20_000,
  );
}

let root = '';
afterEach(() => removeInstallation(root));

eachInstallationDatabase('two engines', (makeDatabase) => {
  it('FF-046 FF-049: an engine that stood still past its lease changes nothing when it goes on', {
    timeout: 60_000,
  }, async () => {
    root = makeRepository({ 'a.txt': 'zero\n' });
    const database = await makeDatabase();
    const plane = await database.within(() => openAt(root));
    const effects = join(root, '.palisade/effects');
    writeFileSync(effects, '');
    try {
      const items = ['a', 'b', 'c'].map((id) => ({
        id,
        command: `echo ${id} >> '${effects}'; sleep 4; echo ${id} > ${id}.txt`,
      }));
      items.push({ id: 'last', command: `echo last >> '${effects}'`, depends_on: ['a', 'b', 'c'] } as never);
      await plane.call(submitPlan, { plan: { items }, run_id: 'two', repository: root, sandbox: 'process' });
      const slow = secondEngine(root, database.env);
      await until('the agents to run', async () => readFileSync(effects, 'utf8').length === 6);
      slow.kill('SIGSTOP');
      await stopped(slow);
      const quick = secondEngine(root, database.env);
      await until('a takeover', async () => {
        const { run } = await plane.call(getRun, { run: 'two' });
        return run.owned && enginesOf(root).length === 2 ? true : undefined;
      });
      const { run } = await ended(plane, 'two');
      expect(run.state).toBe('completed');
      const before = JSON.stringify(await plane.call(exportEvidence, { run: 'two' }));
      slow.kill('SIGCONT');
      // It has to look at its runs, lose them, and leave because it owns nothing.
      expect(await left([slow, quick])).toEqual([0, 0]);
      expect(JSON.stringify(await plane.call(exportEvidence, { run: 'two' }))).toBe(before);

      expect(readFileSync(effects, 'utf8').trim().split('\n').sort()).toEqual(['a', 'b', 'c', 'last']);
      const { fired, recovered } = await history(plane, 'two');
      expect(fired).toEqual(['a', 'b', 'c', 'last']);
      // On a busy machine a worker may have ended before the other engine came; none may be lost.
      expect(recovered).toMatchObject([{ lost: 0 }]);
      expect(Number(recovered[0]?.['adopted']) + Number(recovered[0]?.['reattached'])).toBe(3);
      const { report } = await verified(plane, 'two');
      expect(report.checks.filter((check) => check.ok === false)).toEqual([]);
      await clean(root);
    } finally {
      await plane.close();
    }
  });

  for (const point of [
    'fire.after-intent',
    'record.after-ingest',
    'seal.before-publish',
    'seal.before-checkpoint',
  ]) {
    it(`FF-046 FF-049: standing still at ${point} while another engine takes over`, {
      timeout: 60_000,
    }, async () => {
      root = makeRepository({ 'a.txt': 'zero\n' });
      const database = await makeDatabase();
      const plane = await database.within(() => openAt(root));
      const effects = join(root, '.palisade/effects');
      writeFileSync(effects, '');
      try {
        await plane.call(submitPlan, {
          plan: { items: [{ id: 'a', command: `echo a >> '${effects}'; echo one > a.txt` }] },
          run_id: 'two',
          repository: root,
          sandbox: 'process',
        });
        const slow = secondEngine(root, { ...database.env, PALISADE_FAULT: `stop:${point}` });
        await stopped(slow);
        const quick = secondEngine(root, database.env);
        const { items } = await ended(plane, 'two');
        expect(items.map((item) => item.state)).toEqual(['done']);
        const before = JSON.stringify(await plane.call(exportEvidence, { run: 'two' }));
        slow.kill('SIGCONT');
        expect(await left([slow, quick])).toEqual([0, 0]);
        await until('late workers to leave', async () => workersOf(root).length === 0);
        expect(JSON.stringify(await plane.call(exportEvidence, { run: 'two' }))).toBe(before);
        // The agent ran once, though at the first point two attempts were intended.
        expect(readFileSync(effects, 'utf8')).toBe('a\n');
        expect(await patchOf(plane, items[0]?.product?.result_ref)).toContain('+one');
        const { report } = await verified(plane, 'two');
        expect(report.checks.filter((check) => check.ok === false)).toEqual([]);
        await clean(root);
      } finally {
        await plane.close();
      }
    });
  }
});

/** In namespaces of its own, as in a container that shares the project's directory and the host's name. */
const ELSEWHERE = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc', '--'];
const canGoElsewhere = spawnSync(ELSEWHERE[0] ?? '', [...ELSEWHERE.slice(1), 'true']).status === 0;

describe.skipIf(!canGoElsewhere)('an engine in another container', () => {
  const LEASE = { PALISADE_LEASE_MS: '3000' };
  /** Long enough that an engine with nothing of its own to do would have left before it expires. */
  const LONG_LEASE = { PALISADE_LEASE_MS: '7000' };

  async function engineElsewhere(
    item: object,
    lease: Record<string, string> = LEASE,
  ): Promise<{ plane: ControlPlane; container: ChildProcess }> {
    root = makeRepository({ 'a.txt': 'zero\n' });
    const plane = await openAt(root);
    await plane.call(submitPlan, { plan: { items: [item] }, run_id: 'far', repository: root });
    const [unshare, ...args] = [...ELSEWHERE, process.execPath, ENGINE, root];
    const container = spawn(unshare, args, { stdio: 'ignore', cwd: root, env: { ...process.env, ...lease } });
    return { plane, container };
  }

  it('FF-038 FF-061: keeps its run while it lives, though nobody here can see its process', {
    timeout: 60_000,
  }, async () => {
    const marker = uniqueSeconds(8);
    const { plane, container } = await engineElsewhere({
      id: 'a',
      command: `sleep ${marker}; echo one > a.txt`,
    });
    try {
      await until('the agent to run', async () => running(`sleep ${marker}`).length > 0);
      // Another one is needed here: nothing is known of the announced one.
      expect(await plane.engineLives()).toBe(false);
      const here = secondEngine(root, LEASE);
      const { items } = await ended(plane, 'far');
      expect(items[0]).toMatchObject({ state: 'done', attempt: 1 });
      const { fired, recovered } = await history(plane, 'far');
      expect([fired, recovered]).toEqual([['a'], []]);
      expect(await left([container, here])).toEqual([0, 0]);
      await clean(root);
    } finally {
      await plane.close();
    }
  });

  it('FF-041 FF-046: ended with its container, it loses its run when the lease expires, and its attempt when that shows no life', {
    timeout: 60_000,
  }, async () => {
    const marker = uniqueSeconds();
    const command = `if [ "$PALISADE_ATTEMPT" = 1 ]; then sleep ${marker}; fi; echo "$PALISADE_ATTEMPT" > a.txt`;
    const { plane, container } = await engineElsewhere({ id: 'a', command }, LONG_LEASE);
    try {
      await until('the agent to run', async () => running(`sleep ${marker}`).length > 0);
      container.kill('SIGKILL');
      await until('the container to be gone', async () => running(`sleep ${marker}`).length === 0);
      await startEngine(plane, LONG_LEASE);
      const { items } = await ended(plane, 'far');
      expect(items[0]).toMatchObject({ state: 'done', attempt: 2 });
      expect((await history(plane, 'far')).recovered).toMatchObject([{ reattached: 1, lost: 0 }]);
      expect(await patchOf(plane, items[0]?.product?.result_ref)).toContain('+2');
      await clean(root);
    } finally {
      await plane.close();
    }
  });
});

describe('killed processes', () => {
  it('FF-067: an engine killed three times under load: work goes on, no item starts twice, one worker per live item', {
    timeout: 90_000,
  }, async () => {
    root = makeRepository({ 'a.txt': 'zero\n' });
    const plane = await openAt(root);
    try {
      const seconds = [6, 6, 6, 12, 12, 12].map((atLeast) => uniqueSeconds(atLeast));
      const items = seconds.map((s, i) => ({ id: `i${i}`, command: `sleep ${s}; echo ${i} > f${i}.txt` }));
      await plane.call(submitPlan, { plan: { concurrency: 6, items }, run_id: 'load', repository: root });
      await startEngine(plane);
      const agents = () => seconds.filter((s) => running(`sleep ${s}`).length > 0);
      await until('all agents to run', async () => agents().length === 6);
      const first = workersOf(root).map((entry) => entry.pid);
      expect(first).toHaveLength(6);
      for (let restart = 0; restart < 3; restart++) {
        const engine = enginesOf(root)[0];
        if (engine === undefined) throw new Error('there is no engine');
        process.kill(engine.pid, 'SIGKILL');
        await until('the engine to be gone', async () => !(await plane.engineLives()));
        await startEngine(plane);
        await until(
          'the run to be taken over',
          async () => (await recoveries(plane, 'load')) === restart + 1,
        );
        const workers = workersOf(root).map((entry) => entry.pid);
        const live = (await plane.call(getRun, { run: 'load' })).items.filter(
          (item) => item.state === 'running',
        );
        expect(workers.every((pid) => first.includes(pid))).toBe(true);
        expect(workers.length).toBeLessThanOrEqual(live.length);
        expect(enginesOf(root)).toHaveLength(1);
      }
      const { run, items: ends } = await ended(plane, 'load');
      expect(run.state).toBe('completed');
      for (const [i, item] of ends.entries())
        expect(await patchOf(plane, item.product?.result_ref)).toContain(`+${i}`);
      const { fired, recovered } = await history(plane, 'load');
      expect(fired).toEqual(items.map((item) => item.id));
      expect(recovered).toHaveLength(3);
      expect((await verified(plane, 'load')).report.intact).toBe(true);
      await clean(root);
    } finally {
      await plane.close();
    }
  });

  for (const sandbox of ['bubblewrap', 'process']) {
    it(`FF-046 FF-063 DI-177: a worker killed with its agent running (${sandbox}): ended, tried again, nothing left`, {
      timeout: 60_000,
    }, async () => {
      root = makeRepository({ 'a.txt': 'zero\n' });
      const plane = await openAt(root);
      try {
        const [inTree, daemon] = [uniqueSeconds(), uniqueSeconds()];
        const command = `if [ "$PALISADE_ATTEMPT" = 1 ]; then trap '' TERM; setsid sleep ${daemon} & sleep ${inTree}; else echo ok > ok.txt; fi`;
        await plane.call(submitPlan, {
          plan: { items: [{ id: 'a', command }] },
          run_id: 'worker',
          repository: root,
          sandbox,
        });
        await startEngine(plane);
        await until('the agent to run', async () => running(inTree).length > 0 && running(daemon).length > 0);
        const [worker] = workersOf(root);
        if (worker === undefined) throw new Error('there is no worker');
        process.kill(worker.pid, 'SIGKILL');
        const { items } = await ended(plane, 'worker');
        expect(items[0]).toMatchObject({ state: 'done', attempt: 2 });
        const { entries } = await history(plane, 'worker');
        const reconciled = entries
          .filter((entry) => entry.type === 'item.reconciled')
          .map((entry) => entry.data);
        expect(reconciled).toMatchObject([
          { attempt: 1, outcome: 'lost', status: 'retrying', code: 'worker_lost' },
          { attempt: 2, outcome: 'succeeded', status: 'done' },
        ]);
        expect([...running(inTree), ...running(daemon)]).toEqual([]);
        await clean(root);
      } finally {
        await plane.close();
      }
    });
  }
});
