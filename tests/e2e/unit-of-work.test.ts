import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import {
  AttemptSpec,
  canonicalHash,
  contentHash,
  exportEvidence,
  getRun,
  type ItemView,
  Manifest,
  PRODUCT_VERSION,
  putSecret,
  readLog,
  registerAgent,
  registerCapability,
  registerEnvironment,
  removeEnvironment,
  submitPlan,
} from '@palisade/contracts';
import type { ControlPlane } from '@palisade/server';
import { nameProcess } from '@palisade/process';
import { afterEach, beforeEach, expect, it } from 'vitest';
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
import { eachInstallationDatabase, type InstallationDatabase } from '../support/installation-database.ts';
import { enginesOf, running, uniqueSeconds, workersOf } from '../support/processes.ts';

const CANARY = 'canary-4c1f7a90be';
const once = { retry: { max_attempts: 1 } };

eachInstallationDatabase('one unit of work', (makeDatabase) => {
  let root = '';
  let database: InstallationDatabase;
  let plane: ControlPlane;
  beforeEach(async () => {
    root = makeRepository({ 'a.txt': 'zero\n' });
    database = await makeDatabase();
    plane = await database.within(() => openAt(root));
  });
  afterEach(async () => {
    await plane.close();
    removeInstallation(root);
  });

  const submit = (run: string, items: readonly object[]) =>
    plane.call(submitPlan, { plan: { items }, run_id: run, repository: root, sandbox: 'bubblewrap' });
  const carryOut = (env: Readonly<Record<string, string>> = {}) =>
    database.within(() => startEngine(plane, env));
  const itemsOf = async (run: string): Promise<Record<string, ItemView>> =>
    Object.fromEntries((await ended(plane, run)).items.map((item) => [item.id, item]));
  const printed = async (run: string, item: string): Promise<string[]> =>
    (await plane.call(readLog, { run, item })).lines.flatMap((line) => {
      const { kind, text } = line as { kind: string; text?: string };
      return kind === 'stdout' && text !== undefined ? [text] : [];
    });
  const manifestsOf = async (run: string): Promise<Manifest[]> =>
    (await plane.call(exportEvidence, { run })).manifests.map((manifest) => Manifest.parse(manifest));
  const eventsOf = async (run: string) => (await plane.call(exportEvidence, { run })).entries;
  const register = async (name: string, text: string) => {
    const files = [{ path: `${name}.txt`, base64: Buffer.from(text).toString('base64') }];
    return (await plane.call(registerCapability, { name, files })).hash;
  };
  /** The worker, standing still where the environment told it to. */
  const stillWorker = () =>
    until('the worker to stand still', async () => running(root).find(({ state }) => state === 'T'));

  it('DI-040 DI-070 DI-220 EX-201: all that an item states reaches its agent and its manifest, with the content its names had at submission', async () => {
    const [base, extra] = [await register('base', 'base-1\n'), await register('extra', 'extra-1\n')];
    const command =
      'cat base.txt extra.txt; echo "A=$A B=$B"; cat "$PALISADE_INPUT"; echo "$PALISADE_MODEL"; cat; sha256sum < inputs/data | cut -c1-64';
    const agent = await plane.call(registerAgent, {
      name: 'coder',
      run: { harness: 'command', command },
      capabilities: ['base'],
      model: 'of-the-agent',
      prompt_template: 'Do {{task}}.',
    });
    const one = await plane.call(registerEnvironment, { name: 'one', values: { A: '1', B: '1' } });
    const two = await plane.call(registerEnvironment, { name: 'two', values: { B: '2' } });
    const item = {
      id: 'all',
      agent: 'coder',
      model: 'm-9',
      prompt: 'Quickly',
      inputs: {
        env: ['one', 'two'],
        workerInput: { task: 'it' },
        addCapabilities: ['extra'],
        inputRefs: { data: extra },
      },
      resourceLocks: ['db'],
      verify: { command: 'test -e base.txt' },
      timeout_seconds: 77,
      sandbox: { memory_mb: 512, processes: 99 },
      ...once,
    };
    await submit('first', [item]);
    // Every name gets other content before anything of the run has started.
    const newer = await register('base', 'base-2\n');
    await register('extra', 'extra-2\n');
    await plane.call(registerEnvironment, { name: 'one', values: { A: '9' } });
    expect(await plane.call(removeEnvironment, { name: 'two' })).toMatchObject({ removed: true });
    await plane.call(registerAgent, { name: 'coder', run: { harness: 'command', command: 'echo other' } });
    await carryOut();
    expect((await itemsOf('first'))['all']).toMatchObject({
      state: 'done',
      product: { verify: { passed: true } },
    });
    const said = ['base-1', 'extra-1', 'A=1 B=2', '{"task":"it"}', 'm-9', 'Do it.', '', 'Quickly'];
    expect((await printed('first', 'all')).join('\n')).toBe(`${said.join('\n')}${extra.slice(7)}`);

    const [manifest] = await manifestsOf('first');
    expect(manifest).toMatchObject({
      run_id: 'first',
      item_id: 'all',
      attempt: 1,
      executor: 'local',
      agent: { name: 'coder', hash: agent.hash, definition: { run: { harness: 'command', command } } },
      capabilities: [
        { name: 'base', hash: base },
        { name: 'extra', hash: extra },
      ],
      environments: [
        { name: 'one', hash: one.hash },
        { name: 'two', hash: two.hash },
      ],
      harness: { name: 'command', version: PRODUCT_VERSION },
      inputs: [{ key: 'data', ref: extra, applied: false }],
      prompt_hash: contentHash('Quickly'),
      input_hash: canonicalHash({ task: 'it' }),
      env_names: ['A', 'B'],
      model: 'm-9',
      verify: { command: 'test -e base.txt' },
      sandbox: { provider: 'bubblewrap', network: false, memory_bytes: 512 * 1024 * 1024, processes: 99 },
      holds: ['db'],
    });
    expect(manifest?.actor).toMatch(/^human:/);
    expect((manifest?.deadline_at ?? 0) - (manifest?.fired_at ?? 0)).toBe(77_000);

    // An address means the old content for ever; the name means what is newest.
    const pinned = {
      id: 'old',
      agent: agent.hash,
      inputs: { env: two.hash, addCapabilities: [extra], inputRefs: { data: extra } },
    };
    const fresh = { id: 'new', agent: 'coder', inputs: { capabilities: ['base'] } };
    await submit('second', [pinned, fresh]);
    await carryOut();
    await ended(plane, 'second');
    expect(await printed('second', 'old')).toEqual(expect.arrayContaining(['base-1', 'extra-1', 'A= B=2']));
    expect(await printed('second', 'new')).toEqual(['other']);
    const manifests = await manifestsOf('second');
    expect(manifests.find(({ item_id }) => item_id === 'new')?.capabilities).toEqual([
      { name: 'base', hash: newer },
    ]);
    await expect(submit('third', [{ id: 'x', agent: base }])).rejects.toMatchObject({ code: 'invalid_plan' });
  }, 180_000);

  it('DI-074 DI-075: the worker is told everything by address, nothing secret, and uses no byte that misses its address', async () => {
    const bundle = await register('skill', 'skill text\n');
    await plane.call(registerEnvironment, {
      name: 'keys',
      values: { MODE: 'fast' },
      secrets: { TOKEN: { inline: CANARY } },
    });
    const item = {
      id: 'told',
      command: 'echo ran',
      prompt: 'Do it',
      inputs: { env: 'keys', capabilities: ['skill'], inputRefs: { data: bundle }, workerInput: [1] },
      timeout_seconds: 90,
      ...once,
    };
    await submit('told', [item]);
    await carryOut({ PALISADE_FAULT: 'stop:worker.claimed' });
    const worker = await stillWorker();
    const [attempt = ''] = attemptsOf(root);
    const text = readFileSync(join(attempt, 'spec.json'), 'utf8');
    const spec = AttemptSpec.parse(JSON.parse(text));
    const [manifest] = await plane
      .call(getRun, { run: 'told' })
      .then(({ items }) => items.map((view) => view.manifest_ref));
    expect(manifest).toMatch(/^sha256:/);
    expect(spec).toMatchObject({
      attempt_id: basename(attempt),
      root_run_id: 'told',
      item_id: 'told',
      attempt: 1,
      workspace: { kind: 'git' },
      agent: { run: { harness: 'command', command: 'echo ran' } },
      prompt: 'Do it',
      input: [1],
      capabilities: [{ name: 'skill', hash: bundle }],
      inputs: [{ key: 'data', ref: bundle }],
      env_values: { MODE: 'fast' },
      secret_names: ['TOKEN'],
      sandbox: { provider: 'bubblewrap', network: false },
    });
    for (const { path } of [...spec.capabilities, ...spec.inputs])
      expect(contentHash(readFileSync(path))).toBe(bundle);
    expect(text + worker.command + worker.environment).not.toContain(CANARY);
    const ours = worker.environment.split('\n').filter((line) => /^(PALISADE|PANGOLIN)_/.test(line));
    expect(ours).toEqual(['PALISADE_FAULT=stop:worker.claimed']);

    const path = spec.capabilities[0]?.path ?? '';
    chmodSync(path, 0o600);
    writeFileSync(path, readFileSync(path, 'latin1').replace('skill text', 'other text'), 'latin1');
    process.kill(worker.pid, 'SIGCONT');
    const { told } = await itemsOf('told');
    expect(told).toMatchObject({ state: 'failed', outcome: 'failed', code: 'integrity_mismatch' });
    expect(told?.exit_code).toBeUndefined();
    expect(await printed('told', 'told')).toEqual([]);
  }, 180_000);

  it('DI-072 DI-073: the intent is committed first, secrets are resolved when an attempt starts, and without them nothing starts', async () => {
    await plane.call(putSecret, { name: 'token', value: 'value-at-submission' });
    await plane.call(registerEnvironment, { name: 'keys', secrets: { TOKEN: { ref: 'secret:token' } } });
    await plane.call(registerEnvironment, { name: 'plain', values: { TOKEN: 'plain-value' } });
    await plane.call(registerEnvironment, {
      name: 'gone',
      secrets: { TOKEN: { inline: CANARY, ttl_ms: 0 } },
    });
    const is = (value: string) => `test "$TOKEN" = ${value}`;
    await submit('secrets', [
      { id: 'rotated', command: is('value-at-start'), inputs: { env: 'keys' }, ...once },
      { id: 'secret-last', command: is('value-at-start'), inputs: { env: ['plain', 'keys'] }, ...once },
      { id: 'plain-last', command: is('plain-value'), inputs: { env: ['keys', 'plain'] }, ...once },
      { id: 'expired', command: 'echo ran', inputs: { env: 'gone' }, retry: { max_attempts: 3 } },
    ]);
    await plane.call(putSecret, { name: 'token', value: 'value-at-start' });
    await carryOut();
    const items = await itemsOf('secrets');
    for (const id of ['rotated', 'secret-last', 'plain-last']) expect(items[id]?.state, id).toBe('done');
    expect(items['expired']).toMatchObject({ state: 'failed', code: 'secret_expired', attempt: 1 });
    expect(items['expired']?.reason).toContain('secret:env:gone:TOKEN');
    const entries = await eventsOf('secrets');
    const story = entries.filter((entry) => entry.data['item'] === 'expired').map((entry) => entry.type);
    expect(story).toEqual(['item.fired', 'item.reconciled']);
    const manifests = await manifestsOf('secrets');
    expect(manifests.map((manifest) => canonicalHash(manifest))).toEqual(
      entries.filter((entry) => entry.type === 'item.fired').map((entry) => entry.data['manifest_ref']),
    );
    expect(manifests.find(({ item_id }) => item_id === 'expired')?.secret_refs).toMatchObject([
      { name: 'TOKEN' },
    ]);
    expect(JSON.stringify([entries, manifests])).not.toContain(CANARY);
  }, 180_000);

  it('DI-076 DI-077 DI-102: what a program did and what went wrong around it are different facts, and time running out is an end like another', async () => {
    await submit('ends', [
      { id: 'well', command: 'true', ...once },
      { id: 'status', command: 'echo half > half.txt; exit 3', ...once },
      { id: 'late', command: 'echo half > half.txt; sleep 60', timeout_seconds: 9, ...once },
      { id: 'missing', run: { harness: 'command', command: ['/nosuch/program'] }, ...once },
      {
        id: 'needy',
        command: 'true',
        needs: { x: { from: 'well', select: { kind: 'output', path: 'x' } } },
        ...once,
      },
    ]);
    await carryOut();
    const items = await itemsOf('ends');
    const facts = Object.values(items).map(({ id, state, outcome, exit_code, code }) => [
      id,
      state,
      outcome,
      exit_code,
      code,
    ]);
    expect(facts).toEqual([
      ['well', 'done', 'succeeded', 0, undefined],
      ['status', 'failed', 'failed', 3, undefined],
      ['late', 'failed', 'timed_out', undefined, 'timed_out'],
      ['missing', 'failed', 'failed', undefined, 'start_failed'],
      ['needy', 'failed', undefined, undefined, 'requirements_unmet'],
    ]);
    // Whatever ended it, what it had done is kept.
    for (const id of ['status', 'late']) expect(items[id]?.product?.patch, id).toMatchObject({ added: 1 });
    const late = items['late'];
    expect((late?.finished_at ?? 0) - (late?.started_at ?? 0)).toBeLessThan(45_000);
  }, 180_000);

  it('DI-071 DI-081: started without waiting, described and stopped from other processes, also when the engine is gone', async () => {
    const agent = uniqueSeconds();
    writeFileSync(
      join(root, '.palisade/plan.json'),
      JSON.stringify({ items: [{ id: 'a', command: `sleep ${agent}` }] }),
    );
    const pal = (...args: string[]) => palisade(root, args, database.env);
    const fired = await pal('run', '.palisade/plan.json', '--run-id', 'fire', '--detach');
    expect([fired.code, fired.stdout]).toEqual([0, 'fire\n']);
    const describe = async () =>
      (JSON.parse((await pal('show', 'fire', '--json')).stdout) as { items: ItemView[] }).items[0];
    const worker = await until('the worker to be known', async () => (await describe())?.worker);
    // A program that a worker starts looks like the worker until it is loaded.
    const workers = () => workersOf(root).map(({ pid }) => nameProcess(pid));
    await expect.poll(workers, { timeout: 10_000 }).toEqual([worker]);
    await until('the agent to run', async () => running(agent).length > 0);
    for (const { pid } of enginesOf(root)) process.kill(pid, 'SIGKILL');
    expect(await describe()).toMatchObject({ state: 'running', attempt: 1, worker });
    const cancels = await Promise.all([pal('cancel', 'fire', '--reason', 'enough'), pal('cancel', 'fire')]);
    // Whoever comes when it has ended already is told so.
    const codes = cancels.map(({ code }) => code);
    expect(codes).toContain(0);
    expect([0, 5]).toEqual(expect.arrayContaining(codes));
    await ended(plane, 'fire');
    expect(await describe()).toMatchObject({ state: 'canceled', outcome: 'canceled', code: 'canceled' });
    expect((await describe())?.worker).toBeUndefined();
    expect([...running(agent), ...workersOf(root)]).toEqual([]);
    const wishes = (await eventsOf('fire')).filter((entry) => entry.type === 'run.cancel_requested');
    expect(wishes).toHaveLength(1);
    expect((await pal('cancel', 'fire')).code).toBe(5);
  }, 180_000);
});
