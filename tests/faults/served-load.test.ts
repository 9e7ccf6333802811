import { remoteCaller } from '@palisade/client';
import { listEvents, listRuns, type OperationCaller, submitPlan } from '@palisade/contracts';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { ended, makeRepository, palisade, removeInstallation, verified } from '../support/installation.ts';
import {
  type Dialect,
  eachInstallationDatabase,
  type MakeDatabase,
} from '../support/installation-database.ts';
import { RoundRobinProxy } from '../support/round-robin-proxy.ts';
import { type Served, served } from '../support/served.ts';

const LEASE_MS = '1500';
const CLIENTS = 3;
const PLANS = 4;
/** What `pal serve` gives requests under way when it is told to end, and what ending takes besides. */
const DRAIN_MS = 10_000;

interface Cluster {
  readonly replicas: (Served | undefined)[];
  readonly caller: OperationCaller;
  readonly start: (at: number) => Promise<void>;
}

/** Replicas of one control plane behind a proxy: one on SQLite, three on PostgreSQL. */
async function cluster(make: MakeDatabase, dialect: Dialect): Promise<Cluster> {
  const database = await make();
  const root = makeRepository({ 'a.txt': 'one\n' });
  onTestFinished(() => removeInstallation(root));
  const env = { ...database.env, PALISADE_LEASE_MS: LEASE_MS };
  const replicas: (Served | undefined)[] = [];
  const start = async (at: number): Promise<void> => {
    replicas[at] = await served(root, env);
  };
  // One after another: the first sets the control plane up.
  for (let at = 0; at < (dialect === 'sqlite' ? 1 : 3); at++) await start(at);
  const proxy = await RoundRobinProxy.over(() =>
    replicas.flatMap((each) => (each === undefined ? [] : [each.url])),
  );
  onTestFinished(() => proxy.close());
  const issued = await palisade(root, ['principal', 'create', 'load', '--json'], env);
  const { token } = JSON.parse(issued.stdout) as { token: string };
  return { replicas, start, caller: remoteCaller({ origin: proxy.url, token, patienceMs: 60_000 }) };
}

/** Submits small plans from several clients at once; gives the runs that were acknowledged, in no order. */
async function load(caller: OperationCaller, name: string): Promise<readonly string[]> {
  const acknowledged: string[] = [];
  const client = async (n: number): Promise<void> => {
    for (let i = 0; i < PLANS; i++) {
      const plan = { items: [{ id: 'a', command: 'true' }] };
      const { run_id: id } = await caller.call(submitPlan, { plan, title: `${name} ${n} ${i}` });
      acknowledged.push(id);
      await delay(100);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, n) => client(n)));
  return acknowledged;
}

/** Every acknowledged run is there once, ends once, and its evidence verifies; and no other run is there. */
async function assertKept(caller: OperationCaller, acknowledged: readonly string[]): Promise<void> {
  const { data } = await caller.call(listRuns, { limit: 1_000 });
  expect(data.map(({ id }) => id).toSorted()).toEqual([...acknowledged].toSorted());
  for (const run of acknowledged) {
    expect((await ended(caller, run, 60_000)).run.state).toBe('completed');
    const events = await caller.call(listEvents, { run, limit: 1_000 });
    expect(events.data.filter(({ type }) => type === 'run.completed')).toHaveLength(1);
    expect((await verified(caller, run)).report).toMatchObject({ intact: true });
  }
}

eachInstallationDatabase('a served control plane under load', (make, dialect) => {
  it('FF-085: keeps every submission that it acknowledged while each of its processes is killed in turn', {
    timeout: 180_000,
  }, async () => {
    const { replicas, caller, start } = await cluster(make, dialect);
    const loaded = load(caller, 'killed');
    for (let at = 0; at < replicas.length; at++) {
      await delay(400);
      const killed = replicas[at];
      replicas[at] = undefined;
      killed?.child.kill('SIGKILL');
      await killed?.exit;
      await start(at);
    }
    await assertKept(caller, await loaded);
  });

  it('answers what is under way and ends by itself when it is told to', { timeout: 180_000 }, async () => {
    const { replicas, caller, start } = await cluster(make, dialect);
    const loaded = load(caller, 'told');
    for (let at = 0; at < replicas.length; at++) {
      await delay(400);
      const told = replicas[at];
      const began = performance.now();
      told?.child.kill('SIGTERM');
      expect(await told?.exit).toBe(0);
      expect(performance.now() - began).toBeLessThan(DRAIN_MS);
      expect(told?.log()).not.toContain('"event":"fault"');
      await start(at);
    }
    await assertKept(caller, await loaded);
  });
});
