import { globSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Writable } from 'node:stream';
import { type Authorizer, contentHash, rotateKey, type Signer } from '@palisade/contracts';
import { open, printResults, type RunResult, type Shape, type Work } from '@palisade/embed';
import { ed25519Signer, generateEd25519, verifyBundle } from '@palisade/evidence';
import { expect, test } from 'vitest';
import { sqliteBlobs } from '../../examples/bring-your-own-blobs/src/index.ts';
import { functionExecutor } from '../../examples/bring-your-own-executor/src/index.ts';
import { eachInstallationDatabase } from '../support/installation-database.ts';
import { libraryProject } from '../support/library-project.ts';

eachInstallationDatabase('the seams of the library', (makeDatabase) => {
  const library = libraryProject(makeDatabase);
  const { project, openHere } = library;

  test('DI-085: sinks get results of their own once the end is recorded, and nothing they do changes a verdict', async () => {
    await project();
    const lines: string[] = [];
    const collected: RunResult[] = [];
    const stream = new Writable({
      write: (chunk, _encoding, done) => {
        lines.push(String(chunk));
        done();
      },
    });
    const faults: unknown[] = [];
    const vandal = (result: RunResult): void => {
      Object.assign(result, { state: 'completed', ok: true });
      Object.assign(result.items[0] ?? {}, { state: 'done', ok: true });
      throw new Error('I am not well');
    };
    const sinks = [
      printResults({ stream }),
      { name: 'vandal', collect: vandal },
      { name: 'deaf', collect: () => new Promise<void>(() => {}) },
      { name: 'books', collect: (result: RunResult) => void collected.push(result) },
    ];
    const palisade = await openHere({ sinks, onFault: (error) => faults.push(error) });
    const bad = await palisade.dispatch({ command: 'exit 7', retry: { max_attempts: 1 } });
    expect(bad).toMatchObject({ ok: false, exitCode: 7 });
    const good = await palisade.dispatch({ command: 'echo \'{"n":1}\' > outputs/result.json' });
    await expect
      .poll(() => collected.map(({ id }) => id), { timeout: 10_000 })
      .toEqual([bad.run.id, good.run.id]);
    expect(collected[0]).toMatchObject({ state: 'failed', ok: false, items: [{ exitCode: 7 }] });
    expect(await collected[1]?.item('work').result()).toEqual({ n: 1 });
    await expect.poll(() => lines.length, { timeout: 10_000 }).toBe(2);
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { run: bad.run.id, state: 'failed', items: [{ id: 'work', exit_code: 7, outputs: [] }] },
      { run: good.run.id, ok: true, items: [{ outputs: [{ path: 'result.json' }] }] },
    ]);
    expect(String(faults[0])).toContain('I am not well');
    expect((await palisade.dispatch.describe(bad.run.id)).run.state).toBe('failed');
  });

  test('DI-085: a program that ends before its sink was told is told by the next that opens the sink', async () => {
    await project();
    const first = await openHere({ sinks: [{ name: 'books', collect: () => {} }] });
    const run = await first.dispatch.fire({ command: 'sleep 0.5; echo done > outputs/x' });
    await first.close();
    const told: RunResult[] = [];
    const second = await openHere({
      sinks: [{ name: 'books', collect: (result) => void told.push(result) }],
    });
    await (await second.runs.get(run.id)).result();
    await second.close();
    expect(told).toMatchObject([{ id: run.id, ok: true, items: [{ outputs: [{ path: 'x' }] }] }]);
  });

  test('DI-085: a sink that looks for an item the run does not have is told of the run again', async () => {
    await project();
    const told: string[] = [];
    const faults: string[] = [];
    const collect = (result: RunResult): void => {
      told.push(result.id);
      if (told.length === 1) result.item('review');
    };
    const palisade = await openHere({
      sinks: [{ name: 'books', collect }],
      onFault: (error, about) => faults.push(`${about}: ${String(error)}`),
    });
    const { run } = await palisade.dispatch({ command: 'true' });
    await expect.poll(() => told, { timeout: 10_000 }).toEqual([run.id, run.id]);
    expect(faults).toEqual([`sink books: PalisadeError: run ${run.id} has no item review`]);
  });

  test("DI-190: an engine without an item's executor leaves the run to one that has it", async () => {
    await project();
    const echo = functionExecutor('functions', {
      echo: async ({ prompt, output }) => output('said', prompt ?? ''),
    });
    // It accepts the run, and closes before it can carry it out.
    const accepts = await openHere({ engine: 'none', executors: [echo] });
    const fired = await accepts.dispatch.fire({
      executor: 'functions',
      run: { harness: 'command', command: ['echo'] },
      prompt: 'here',
      sandbox_provider: 'process',
    });
    const lacks = await openHere();
    const other = await lacks.dispatch({ command: 'true' });
    expect(other.ok).toBe(true);
    const { run } = await lacks.dispatch.describe(fired.id);
    expect(run).toMatchObject({ state: 'queued', owned: false });
    await openHere({ executors: [echo] });
    const { items } = await (await lacks.runs.get(fired.id)).result();
    expect(items[0]).toMatchObject({ ok: true, attempts: 1 });
    expect(String(await items[0]?.output('said'))).toBe('here');
    await expect(lacks.dispatch({ executor: 'functions', command: 'true' })).rejects.toMatchObject({
      issues: [{ path: 'items[0].executor' }],
    });
  });

  test('DI-190: an executor that is a module works in an engine of its own process', async () => {
    await project();
    const module = resolve(import.meta.dirname, '../../examples/bring-your-own-executor/src/module.ts');
    const palisade = await openHere({ engine: 'detached', executorModules: [module] });
    const run = await palisade.plans.submit(
      {
        items: [
          { id: 'write', command: 'echo one two > outputs/text' },
          {
            id: 'count',
            executor: 'functions',
            run: { harness: 'command', command: ['count'] },
            needs: { text: { from: 'write', select: { kind: 'output', path: 'text' } } },
          },
        ],
      },
      { sandbox_provider: 'process' },
    );
    const count = (await run.result()).item('count');
    expect(count).toMatchObject({ ok: true, summary: '2 words' });
    // Whoever was promised a sandbox does not get a function instead.
    const promised = await palisade.dispatch({
      executor: 'functions',
      run: { harness: 'command', command: ['count'] },
      sandbox_provider: 'bubblewrap',
      retry: { max_attempts: 1 },
    });
    expect(promised).toMatchObject({ ok: false, failure: { code: 'requirements_unmet' } });
    await expect(openHere({ executorModules: ['module.ts'] })).rejects.toMatchObject({
      code: 'requirements_unmet',
      why: 'the path is not absolute',
    });
  });

  test('DI-002: a signer, a blob store and a clock of somebody else take the places of ours', async () => {
    await project();
    const key = generateEd25519();
    const signed: number[] = [];
    const own = ed25519Signer(key.privateKeyPkcs8Der, 'key-of-the-house');
    const signer: Signer = {
      ...own,
      sign: (bytes) => {
        signed.push(bytes.length);
        return own.sign(bytes);
      },
    };
    const blobs = sqliteBlobs(join(library.root, '.git', 'content'));
    const start = Date.UTC(2031, 0, 1);
    const began = performance.now();
    const clock = (): number => Math.round(start + performance.now() - began);
    const palisade = await openHere({ signer, blobs, clock });
    const work = await palisade.dispatch({ command: 'echo kept > outputs/it' });
    expect(String(await work.output('it'))).toBe('kept\n');
    expect(await blobs.has(contentHash('kept\n'))).toBe(true);
    expect(globSync(join(library.root, '.palisade/planes/*/blobs/*'))).toEqual([]);
    const evidence = await work.run.evidence();
    expect(evidence.seal.signatures.map(({ keyid }) => keyid)).toEqual(['key-of-the-house']);
    expect(signed.length).toBeGreaterThan(0);
    expect(evidence.entries[0]?.at).toBeGreaterThanOrEqual(start);
    expect(verifyBundle(evidence, await palisade.trustRoot()).intact).toBe(true);
    await expect(palisade.call(rotateKey, {})).rejects.toMatchObject({ code: 'requirements_unmet' });
  });

  test('DI-194 DI-002: an authorizer of the program decides at submit and at every fire, and the decisions are evidence', async () => {
    await project();
    const asked: string[] = [];
    const authorizer: Authorizer = {
      authorize: ({ phase, itemId, actor }) => {
        asked.push(`${phase} ${itemId} ${actor}`);
        return itemId === 'never'
          ? { verdict: 'deny', principal: actor, reason: 'never means never' }
          : { verdict: 'allow', principal: actor };
      },
    };
    const palisade = await openHere({ authorizer });
    await expect(palisade.plans.submit({ items: [{ id: 'never', command: 'true' }] })).rejects.toMatchObject({
      code: 'policy_denied',
      message: 'items[0]: never means never',
    });
    const run = await palisade.plans.submit({ items: [{ id: 'a', command: 'true' }] });
    expect((await run.result()).ok).toBe(true);
    expect(asked).toEqual(['submit never service:test', 'submit a service:test', 'fire a service:test']);
    const report = verifyBundle(await run.evidence(), await palisade.trustRoot());
    expect([report.intact, report.authz_tier]).toEqual([true, 'recorded']);
    await expect(open({ directory: library.root, authorizer, engine: 'detached' })).rejects.toMatchObject({
      code: 'invalid_input',
    });
    await expect(open({ directory: library.root, authorizer, policy: '/p.json' })).rejects.toMatchObject({
      code: 'invalid_input',
    });
  });

  test('DI-194 DI-260: a policy file holds in the program and in a detached engine alike', async () => {
    await project();
    const policy = join(library.root, '.git', 'policy.json');
    const rules = (phase: string) =>
      writeFileSync(
        policy,
        JSON.stringify({ schema_version: 1, deny: [{ name: 'no-test', phase, actor: 'service:test' }] }),
        {
          mode: 0o600,
        },
      );
    rules('submit');
    const palisade = await openHere({ policy, engine: 'detached' });
    const plan = { items: [{ id: 'a', command: 'true' }] };
    await expect(palisade.plans.submit(plan)).rejects.toMatchObject({
      code: 'policy_denied',
      message: 'items[0]: rule no-test of the policy denies it',
    });
    rules('fire');
    const run = await palisade.plans.submit(plan);
    const result = await run.result();
    expect(result.items.map(({ state }) => state)).toEqual(['denied']);
  });

  test('DI-193 DI-002: shapes of the program hold its work to them, the structured result included', async () => {
    await project();
    const score: Shape = {
      id: 'house.score',
      effect: 'pure',
      permissions: { network: false, model: false, patch: false, outputs: true },
      result: { type: 'object', properties: { score: { type: 'integer' } }, required: ['score'] },
    };
    const palisade = await openHere({ packs: [[score]] });
    const work = (json: string): Work => ({
      shape: 'house.score',
      command: `printf '${json}' > outputs/result.json`,
      retry: { max_attempts: 1 },
    });
    const good = await palisade.dispatch(work('{"score": 3}'));
    expect([good.ok, await good.result()]).toEqual([true, { score: 3 }]);
    const bad = await palisade.dispatch(work('{"score": "high"}'));
    expect(bad.failure).toEqual({
      code: 'shape_violated',
      detail: 'its result.json does not fit at /score: must be integer: it has the shape house.score',
    });
    const misspelt: Shape = { ...score, id: 'house.other', result: { type: 'object', reqired: ['score'] } };
    const wrong = [
      { packs: [[score], [score]] },
      { packs: [[misspelt]] },
      { packs: [[score]], engine: 'detached' as const },
    ];
    for (const options of wrong)
      await expect(open({ directory: library.root, ...library.database, ...options })).rejects.toMatchObject({
        code: 'invalid_input',
      });
  });
});
