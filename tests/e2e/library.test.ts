import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { contentHash, type EventView } from '@palisade/contracts';
import { open, type Work } from '@palisade/embed';
import { verifyBundle } from '@palisade/evidence';
import { describe, expect, onTestFinished, test } from 'vitest';
import { eachInstallationDatabase } from '../support/installation-database.ts';
import { libraryProject } from '../support/library-project.ts';
import { git, processesOf, until } from '../support/installation.ts';

eachInstallationDatabase('the library', (makeDatabase) => {
  const library = libraryProject(makeDatabase);
  const { project, openHere } = library;

  test('DI-001, DI-071: one unit of work is registered, dispatched and awaited, and everything it left is read', async () => {
    const repository = await project();
    const palisade = await openHere();
    await palisade.capabilities.register({
      name: 'style',
      files: { 'STYLE.md': 'Two decimals.\n', 'look.sh': { content: 'cat STYLE.md', executable: true } },
    });
    await palisade.environments.register({ name: 'currency', values: { CURRENCY: 'EUR' } });
    const script = [
      'cat; echo; ./look.sh; echo trouble >&2',
      'printf "3.00 %s\\n" "$CURRENCY" > price.txt',
      'echo "{\\"input\\":$(cat "$PALISADE_INPUT")}" > outputs/result.json',
      'echo "All prices have cents." > "$PALISADE_SUMMARY_FILE"',
      'echo \'{"input_tokens":7,"cost_usd":0.25}\' > "$PALISADE_USAGE_FILE"',
    ].join('\n');
    const registered = await palisade.agents.register({
      name: 'pricer',
      run: { harness: 'command', command: script },
      capabilities: ['style'],
      verify: { command: 'grep -q 3.00 price.txt' },
    });
    expect(registered).toMatchObject({ revision: 1, created: true });
    expect((await palisade.agents.list()).map(({ name }) => name)).toEqual(['pricer']);

    const work = await palisade.dispatch({
      agent: 'pricer',
      prompt: 'Print cents.',
      env: 'currency',
      input: { prices: 1 },
      repository,
    });

    expect(work).toMatchObject({ ok: true, state: 'done', exitCode: 0, failure: null, attempts: 1 });
    expect(String(await work.patch())).toContain('-3 EUR\n+3.00 EUR\n');
    expect(git(repository, 'status', '--porcelain')).toBe('');
    expect(await work.result()).toEqual({ input: { prices: 1 } });
    expect(String(await work.output('result.json'))).toBe('{"input":{"prices":1}}\n');
    await expect(work.output('nothing')).rejects.toMatchObject({ code: 'not_found' });
    expect(work.usage).toEqual({ input_tokens: 7, cost_usd: 0.25 });
    expect(work.summary).toBe('All prices have cents.');
    expect(work.product.verify?.passed).toBe(true);
    expect(await work.stdout()).toBe('Print cents.\nTwo decimals.\n');
    expect(await work.stderr()).toBe('trouble\n');

    const evidence = await work.run.evidence();
    const report = verifyBundle(evidence, await palisade.trustRoot());
    expect(report).toMatchObject({ intact: true, claim: 'tamper-detecting' });
    const { run } = await palisade.dispatch.describe(work.run.id);
    expect(run).toMatchObject({ state: 'completed', actor: 'service:test' });
    expect((await palisade.runs.list()).data.map(({ id }) => id)).toEqual([work.run.id]);
  });

  test('DI-062 DI-191: the model is that of the work, else of the agent, else the default of the program, and an empty one is none', async () => {
    await project();
    const palisade = await openHere({ defaultModel: 'fast' });
    const command = 'printf "%s" "$PALISADE_MODEL" > outputs/model';
    await palisade.agents.register({ name: 'own', model: 'its-own', run: { harness: 'command', command } });
    // What the program was told is what its manifest says.
    const asked = async (work: Work): Promise<string> => {
      const ended = await palisade.dispatch(work);
      const told = String(await ended.output('model'));
      const { manifests } = await ended.run.evidence();
      expect(manifests[0]).toMatchObject({ model: told, secret_refs: [] });
      return told;
    };
    expect(await asked({ agent: 'own', model: 'of-the-work' })).toBe('of-the-work');
    expect(await asked({ agent: 'own', model: '' })).toBe('its-own');
    expect(await asked({ command })).toBe('fast');
    const plain = await openHere({ engine: 'none', defaultModel: '' });
    expect(String(await (await plain.dispatch({ command })).output('model'))).toBe('');
    // Secrets come by environments of the operator's; no plan brings its own.
    const items = [{ id: 'a', command, secrets: { TOKEN: { inline: 'x' } } }];
    expect(await palisade.plans.validate({ items })).toMatchObject([{ path: 'items[0]' }]);
  });

  test('DI-077: work that fails is a result: its own exit status has no failure, everything else names one', async () => {
    await project();
    const palisade = await openHere();
    const failed = await palisade.dispatch({ command: 'exit 7', retry: { max_attempts: 1 } });
    expect(failed).toMatchObject({ ok: false, state: 'failed', exitCode: 7, failure: null });
    const late = await palisade.dispatch({ command: 'sleep 100', timeout_seconds: 1 });
    expect(late).toMatchObject({ ok: false, failure: { code: 'timed_out' } });
    await expect(palisade.dispatch({ agent: 'nobody' })).rejects.toMatchObject({
      code: 'invalid_plan',
      issues: [{ path: 'items[0].agent', message: expect.stringContaining('nobody') }],
    });
    const wrong = { command: 'true', entrypoint: '/bin/sh' };
    await expect(palisade.dispatch(wrong)).rejects.toMatchObject({
      code: 'invalid_input',
      issues: [{ path: 'entrypoint' }],
    });
  });

  test('DI-070: the same id with the same work is the same run, with other work it is refused', async () => {
    await project();
    const palisade = await openHere();
    const work = { id: 'nightly-7', command: 'date +%N > outputs/at' };
    const first = await palisade.dispatch(work);
    const again = await palisade.dispatch(work);
    expect(again.run.id).toBe('nightly-7');
    expect(await again.output('at')).toEqual(await first.output('at'));
    await expect(palisade.dispatch({ ...work, command: 'true' })).rejects.toMatchObject({
      code: 'already_exists',
    });
  });

  test('DI-070, DI-073: secrets of the work alone win over its environments, and are in nothing that is kept', async () => {
    await project();
    const palisade = await openHere();
    await palisade.environments.register({
      name: 'house',
      secrets: { KEY: { inline: 'canary-of-the-house' }, OTHER: { inline: 'canary-of-another' } },
    });
    const work = await palisade.dispatch({
      id: 'with-secrets',
      command: 'printf "%s %s" "$KEY" "$OTHER" | sha256sum > outputs/seen; echo "the key is $KEY"',
      env: 'house',
      secrets: { KEY: { inline: 'canary-of-the-work' } },
    });
    const seen = contentHash('canary-of-the-work canary-of-another').slice('sha256:'.length);
    expect(String(await work.output('seen'))).toBe(`${seen}  -\n`);
    expect(await work.stdout()).toBe('the key is <redacted:secret>\n');
    expect(JSON.stringify(await work.run.evidence())).not.toContain('canary');
    expect((await palisade.environments.list()).map(({ name }) => name)).toEqual(['house']);
    const [row] = (await palisade.secrets.list()).filter(({ expires_at }) => expires_at !== undefined);
    expect(row?.expires_at).toBeGreaterThan(Date.now() + 23 * 3_600_000);
  });

  test('DI-076: an abort cancels the work: the promise resolves when nothing of it runs any more', async () => {
    await project();
    const palisade = await openHere();
    const abort = new AbortController();
    const working = palisade.dispatch({ id: 'long', command: 'sleep 98765' }, { signal: abort.signal });
    await until('the program', async () => processesOf('98765').length > 0);
    abort.abort();
    expect(await working).toMatchObject({ state: 'canceled', failure: { code: 'canceled' } });
    expect(processesOf('98765')).toEqual([]);
    expect(await palisade.dispatch.cancel('long')).toBe(false);
    await expect(
      palisade.dispatch({ command: 'true' }, { signal: AbortSignal.abort() }),
    ).rejects.toMatchObject({ code: 'canceled' });
  });

  test('DI-121: an agent is sent messages while it runs, by any process, and who asks is told what came to it', async () => {
    await project();
    const palisade = await openHere();
    const command =
      'for i in $(seq 300); do [ "$(wc -l < "$PALISADE_INBOX_FILE")" = 2 ] && break; sleep 0.1; done; cat "$PALISADE_INBOX_FILE"';
    const run = await palisade.dispatch.fire({ id: 'told', command, channel: true });
    expect(await run.send('work', 'mind the tests')).toMatchObject({ seq: 1, bytes: 14 });
    const other = await openHere({ engine: 'none' });
    expect(await (await other.runs.get('told')).send('work', 'and these')).toMatchObject({ seq: 2 });
    const { ok, items } = await run.result();
    expect(ok).toBe(true);
    expect(await items[0]?.stdout()).toMatch(
      /"seq":1,"body":"mind the tests".*\n.*"seq":2,"body":"and these"/,
    );
    expect((await run.messages('work')).map(({ body, delivered }) => [body, delivered.length])).toEqual([
      ['mind the tests', 1],
      ['and these', 1],
    ]);
    await expect(run.send('work', 'late')).rejects.toMatchObject({ code: 'invalid_state' });
  });

  test('DI-081: what one process fired and left is taken up by its id: described, followed, canceled', async () => {
    await project();
    const asks = await openHere({ engine: 'none' });
    const fired = await asks.dispatch.fire({ id: 'left', command: 'sleep 98766' });
    expect((await asks.dispatch.describe(fired.id)).run).toMatchObject({ state: 'queued', owned: false });
    await asks.close();
    await expect(asks.dispatch.describe(fired.id)).rejects.toMatchObject({ code: 'invalid_state' });

    const works = await openHere();
    const reads = await openHere({ engine: 'none' });
    const run = await reads.runs.get('left');
    await until('the attempt', async () => (await run.describe()).items[0]?.state === 'running');
    const waiting = run.result();
    expect(await reads.dispatch.cancel('left', 'not needed')).toBe(true);
    expect(await waiting).toMatchObject({ ok: false, state: 'canceled' });
    expect((await works.dispatch.describe('left')).run.state).toBe('canceled');
    await expect(works.runs.get('never-was')).rejects.toMatchObject({ code: 'not_found' });
  });

  test('DI-177: events go on behind the last one that was seen, without a gap or a repeat, in another process', async () => {
    await project();
    const palisade = await openHere();
    const run = await palisade.plans.submit({
      items: [
        { id: 'a', command: 'true' },
        { id: 'b', command: 'true', depends_on: ['a'] },
      ],
    });
    const seen: EventView[] = [];
    for await (const event of run.events()) {
      seen.push(event);
      if (event.type === 'item.started') break;
    }
    const other = await openHere({ engine: 'none' });
    for await (const event of (await other.runs.get(run.id)).events({ after: seen.at(-1)?.seq ?? -1 }))
      seen.push(event);
    expect(seen.map(({ seq }) => seq)).toEqual(seen.map((_, i) => i));
    expect(seen.at(-1)?.type).toBe('run.completed');
    const result = await run.result();
    expect(result.items.map(({ id, ok }) => [id, ok])).toEqual([
      ['a', true],
      ['b', true],
    ]);
    expect(() => result.item('c')).toThrow('has no item c');
    const stop = AbortSignal.abort(new Error('enough'));
    await expect(run.result({ signal: stop })).rejects.toThrow('enough');
  });

  test('FF-060 DI-213: closing leaves a run to whoever opens next: the attempt under way goes on and is adopted', async () => {
    await project();
    const first = await openHere();
    const gate = join(mkdtempSync(join(tmpdir(), 'palisade-gate-')), 'open');
    const command = `until test -e ${gate}; do sleep 0.1; done; echo through > outputs/it`;
    const run = await first.dispatch.fire({ command, sandbox_provider: 'process' });
    await until('the program', async () => processesOf(`test -e ${gate}`).length > 0);
    const waiting = run.result();
    waiting.catch(() => {});
    await first.close();
    await expect(waiting).rejects.toMatchObject({ code: 'invalid_state' });
    writeFileSync(gate, '');

    const second = await openHere();
    const { items } = await (await second.runs.get(run.id)).result();
    expect(items[0]).toMatchObject({ ok: true, attempts: 1 });
    expect(String(await items[0]?.output('it'))).toBe('through\n');
  });

  test('FF-060: a process that is killed while its work runs leaves it to the next', async () => {
    await project();
    const gate = join(library.root, '.git', 'gate');
    const program = join(library.root, '.git', 'program.ts');
    const door = resolve(import.meta.dirname, '../../packages/embed/src/index.ts');
    const command = `until test -e ${gate}; do sleep 0.1; done; echo through > outputs/it`;
    writeFileSync(
      program,
      `import { open } from ${JSON.stringify(door)};
       const palisade = await open(${JSON.stringify({ directory: library.root, ...library.database })});
       await palisade.dispatch(${JSON.stringify({ id: 'orphan', command, sandbox_provider: 'process' })});`,
    );
    const child = spawn(process.execPath, [program], { stdio: 'inherit' });
    const reads = await openHere({ engine: 'none' });
    const run = await until('the run', () => reads.runs.get('orphan').catch(() => null));
    await until('the program', async () => processesOf(`test -e ${gate}`).length > 0);
    child.kill('SIGKILL');
    await once(child, 'exit');
    writeFileSync(gate, '');
    await openHere();
    const { items } = await run.result();
    expect(items[0]).toMatchObject({ ok: true, attempts: 1 });
  });

  test('a detached engine outlives the program that asked for it', async () => {
    await project();
    const palisade = await openHere({ engine: 'detached' });
    const run = await palisade.dispatch.fire({ command: 'sleep 1; echo done > outputs/it' });
    await palisade.close();
    const reads = await openHere({ engine: 'none' });
    const { items } = await (await reads.runs.get(run.id)).result();
    expect(items[0]).toMatchObject({ ok: true, attempts: 1 });
    const evidence = await (await reads.runs.get(run.id)).evidence();
    expect(verifyBundle(evidence, await reads.trustRoot()).intact).toBe(true);
  });
});

describe('opening', () => {
  test('a directory without a control plane is refused when none is to be made', async () => {
    const root = mkdtempSync(join(tmpdir(), 'palisade-library-'));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    await expect(open({ directory: root, create: false })).rejects.toMatchObject({ code: 'not_initialized' });
    await expect(open('')).rejects.toMatchObject({ code: 'invalid_input' });
    await expect(open({ directory: root, database: 'file.db' })).rejects.toMatchObject({
      code: 'invalid_input',
    });
    await expect(open({ directory: root, engine: 'detached', clock: () => 0 })).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('clock'),
    });
  });
});
