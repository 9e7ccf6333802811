import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AttemptClaim } from '@palisade/contracts';
import { verdictOn } from '@palisade/process';
import { describe, expect, test } from 'vitest';
import { attemptDir, available, logOf, makeSpec, printed, providers } from '../test/attempt-fixture.ts';
import { processesWith, resultOf, startWorker, until } from '../test/worker-process.ts';

const command = (text: string): { run: { harness: 'command'; command: string } } => ({
  run: { harness: 'command', command: text },
});

/** A command that no polite signal ends, with a child that left its group and session. */
const stubborn = (marker: string): string =>
  [
    `trap '' TERM INT HUP`,
    `echo partial > partial.txt`,
    `(trap '' TERM; setsid sh -c 'trap "" TERM; while :; do sleep 1; done' ${marker} &)`,
    `echo started`,
    `while :; do sleep 1; done # ${marker}`,
  ].join('\n');

describe('workerMain', () => {
  test('DI-101, DI-111: a worker reads its secrets, takes the claim, leaves a result and exits 0', async () => {
    const dir = attemptDir(makeSpec({ agent: command('echo "${#TOKEN}"'), secret_names: ['TOKEN'] }));
    const { ended, child } = startWorker(dir, { secrets: { TOKEN: 'canary-secret-value' } });
    expect(await ended).toEqual({ code: 0, signal: null, stderr: '' });
    expect(resultOf(dir)).toMatchObject({ outcome: 'succeeded' });
    expect(printed(dir)).toBe('19');
    const claim = AttemptClaim.parse(JSON.parse(readFileSync(join(dir, 'claim.json'), 'utf8')));
    const named = claim.by === 'worker' ? claim.process : '';
    expect(named).toContain(`_${child.pid}_`);
    expect(verdictOn(named)).toBe('dead');
  });

  test('an attempt that is claimed already is left alone', async () => {
    const dir = attemptDir(makeSpec());
    writeFileSync(join(dir, 'claim.json'), JSON.stringify({ by: 'engine' }));
    expect(await startWorker(dir).ended).toMatchObject({ code: 0, stderr: '' });
    expect(existsSync(join(dir, 'result.json'))).toBe(false);
    expect(existsSync(join(dir, 'output.log'))).toBe(false);
    expect(existsSync(join(dir, 'workspace'))).toBe(false);
  });

  test('of several workers of one attempt exactly one carries it out', async () => {
    const dir = attemptDir(makeSpec({ agent: command('echo once') }));
    const workers = [1, 2, 3].map(() => startWorker(dir));
    for (const { ended } of workers) expect(await ended).toMatchObject({ code: 0 });
    expect(printed(dir)).toBe('once');
  });

  test('DI-111, DI-177: a worker whose engine died while handing over the secrets leaves no claim and no effect', async () => {
    const dir = attemptDir(makeSpec());
    expect(await startWorker(dir, { secrets: '{"TOKEN": "canary-secret-va' }).ended).toMatchObject({
      code: 0,
    });
    for (const file of ['claim.json', 'result.json', 'output.log', 'workspace'])
      expect(existsSync(join(dir, file)), file).toBe(false);
  });

  test('DI-100: a worker that cannot start says so in a result that quotes nothing, runs nothing and exits 1', async () => {
    const ran = { agent: command('echo ran') };
    const started = async (dir: string, secrets?: string) => {
      expect(await startWorker(dir, secrets === undefined ? {} : { secrets }).ended).toMatchObject({
        code: 1,
      });
      const result = resultOf(dir);
      expect(JSON.stringify(result) + printed(dir)).not.toMatch(/canary|ran/);
      expect(existsSync(join(dir, 'workspace'))).toBe(false);
      return result;
    };
    const unreadable = await started(attemptDir(makeSpec(ran)), '{"TOKEN": "canary-secret-value"\n');
    expect(unreadable).toMatchObject({ outcome: 'failed', code: 'invalid_input', retryable: false });
    const { attempt_id: _, ...nameless } = makeSpec(ran);
    for (const text of ['', '{"canary', '"canary"', JSON.stringify({ ...nameless, canary: 1 })]) {
      const dir = attemptDir(makeSpec(ran));
      writeFileSync(join(dir, 'spec.json'), text);
      expect(await started(dir), text).toMatchObject({ outcome: 'failed', code: 'invalid_input' });
    }
    const gone = attemptDir(makeSpec(ran));
    rmSync(join(gone, 'spec.json'));
    expect(await started(gone)).toMatchObject({ outcome: 'failed', code: 'invalid_input' });
    const missing = await started(attemptDir(makeSpec({ ...ran, secret_names: ['TOKEN'] })));
    expect(missing).toMatchObject({ code: 'secret_missing', reason: expect.stringContaining('TOKEN') });
  });

  test.each(['is asked by a file', 'finds its directory removed'])(
    'FF-046: a worker that no signal reaches and that %s stops its agent',
    async (way) => {
      const marker = `marker-sign-${process.pid}-${way.length}`;
      const dir = attemptDir(makeSpec({ agent: command(stubborn(marker)), kill_grace_ms: 100 }));
      const { ended } = startWorker(dir);
      await until('the agent runs', () => printed(dir) === 'started');
      const shown = statSync(join(dir, 'claim.json')).mtimeMs;
      await until('a sign of life', () => statSync(join(dir, 'claim.json')).mtimeMs > shown);
      if (way.endsWith('file')) writeFileSync(join(dir, 'stop'), '');
      else rmSync(dir, { recursive: true, maxRetries: 3 });
      const { code } = await ended;
      expect(processesWith(marker)).toEqual([]);
      if (way.endsWith('file')) expect(resultOf(dir)).toMatchObject({ outcome: 'canceled' });
      else expect([code, existsSync(dir)]).toEqual([1, false]);
    },
  );

  test('FF-170: a specification with another system’s paths is refused and nothing is made of them', async () => {
    for (const path of ['C:\\repo', 'c:/repo', '\\\\server\\repo', 'repo']) {
      const dir = attemptDir(makeSpec({ workspace: { kind: 'git', git_dir: path, commit: '0'.repeat(40) } }));
      const before = readdirSync('.');
      await startWorker(dir).ended;
      expect(resultOf(dir), path).toMatchObject({ outcome: 'failed', code: 'invalid_input' });
      expect(readdirSync(dir).sort()).toEqual(['claim.json', 'result.json', 'spec.json']);
      expect(readdirSync('.')).toEqual(before);
    }
  });

  test('DI-103: the exit status is the agent’s own, 124 for its time, 0 for an end that was asked for, else 1', async () => {
    const ends = [
      [makeSpec({ agent: command('true') }), 0],
      [makeSpec({ agent: command('exit 7') }), 7],
      [makeSpec({ pipeline: [{ kind: 'agent' }, { kind: 'script', command: 'exit 9' }] }), 9],
      [makeSpec({ agent: command('kill -9 $$') }), 1],
      [makeSpec({ agent: { run: { harness: 'command', command: ['/no/such/program'] } } }), 1],
      [makeSpec({ deadline_at: Date.now() - 1 }), 124],
    ] as const;
    for (const [spec, code] of ends) {
      const dir = attemptDir(spec);
      expect(await startWorker(dir).ended, JSON.stringify(spec.agent.run)).toMatchObject({ code });
      expect(resultOf(dir).attempt_id).toBe(spec.attempt_id);
    }
    const dir = attemptDir(makeSpec());
    mkdirSync(join(dir, 'result.json/in-the-way'), { recursive: true });
    expect(await startWorker(dir).ended).toMatchObject({ code: 1 });
  });

  describe.each(['process', 'bubblewrap'])('in %s', (provider) => {
    const isHere = available.includes(provider);

    test.skipIf(!isHere)(
      'DI-122, FF-063: SIGTERM ends a stubborn tree, keeps what it did and says canceled',
      async () => {
        const marker = `marker-${provider}-${process.pid}-term`;
        const dir = attemptDir(
          makeSpec({ agent: command(stubborn(marker)), sandbox: { provider }, kill_grace_ms: 300 }),
        );
        const { child, ended } = startWorker(dir);
        await until('the agent runs', () => printed(dir) === 'started');
        child.kill('SIGTERM');
        expect(await ended).toMatchObject({ code: 0 });
        const result = resultOf(dir);
        expect(result).toMatchObject({ outcome: 'canceled', code: 'canceled', retryable: false });
        expect(readFileSync(join(dir, 'products/patch'), 'utf8')).toContain('+partial');
        expect(result.blocks.map(({ kind, status }) => `${kind} ${status}`)).toEqual([
          'agent canceled',
          'capture ok',
          'capture ok',
        ]);
        expect(processesWith(marker)).toEqual([]);
      },
    );

    test.skipIf(!isHere)('FF-063: SIGKILL of the worker leaves nothing that reap does not end', async () => {
      const marker = `marker-${provider}-${process.pid}-kill`;
      const spec = makeSpec({ agent: command(stubborn(marker)), sandbox: { provider } });
      const dir = attemptDir(spec);
      const { child, ended } = startWorker(dir);
      await until('the agent runs', () => printed(dir) === 'started');
      expect(processesWith(marker).length).toBeGreaterThan(0);
      child.kill('SIGKILL');
      await ended;
      if (provider === 'bubblewrap')
        await until('the sandbox died with it', () => processesWith(marker).length === 0);
      await providers.find(({ name }) => name === provider)?.reap(spec.attempt_id, join(dir, 'state'));
      expect(processesWith(marker)).toEqual([]);
      expect(existsSync(join(dir, 'result.json'))).toBe(false);
    });
  });

  test('DI-174, DI-134: the deadline ends everything in every sandbox, keeps the partial product and says timed_out', async () => {
    // All at once: the deadline leaves a busy machine time to start them.
    const deadline_at = Date.now() + 12_000;
    const ends = available.map(async (provider) => {
      const marker = `marker-${provider}-${process.pid}-deadline`;
      const agent = command(stubborn(marker));
      const dir = attemptDir(makeSpec({ agent, sandbox: { provider }, kill_grace_ms: 200, deadline_at }));
      expect(await startWorker(dir).ended, provider).toMatchObject({ code: 124 });
      const result = resultOf(dir);
      expect(result, provider).toMatchObject({ outcome: 'timed_out', code: 'timed_out' });
      expect(result.reason).toContain('deadline');
      expect(readFileSync(join(dir, 'products/patch'), 'utf8')).toContain('+partial');
      expect(processesWith(marker)).toEqual([]);
    });
    await Promise.all(ends);
  });

  test('an attempt whose deadline has passed before it starts runs nothing', async () => {
    const dir = attemptDir(makeSpec({ agent: command('echo ran'), deadline_at: Date.now() - 1 }));
    await startWorker(dir).ended;
    expect(resultOf(dir)).toMatchObject({ outcome: 'timed_out' });
    expect(printed(dir)).toBe('');
  });

  test('the fault points of a worker lie in their order and each really ends it', async () => {
    const points = [
      'worker.claimed',
      'worker.workspace-ready',
      'worker.before-agent',
      'worker.after-agent',
      'worker.before-capture',
      'worker.after-capture',
      'worker.before-result',
      'worker.after-result',
    ];
    const reached: number[] = [];
    for (const point of points) {
      const dir = attemptDir(makeSpec({ agent: command('echo x > x') }));
      expect(await startWorker(dir, { env: { PALISADE_FAULT: point } }).ended).toMatchObject({
        signal: 'SIGKILL',
      });
      const phases = logOf(dir).flatMap((line) => (line.kind === 'phase' ? [line.phase] : []));
      reached.push(
        phases.length +
          (existsSync(join(dir, 'products/patch')) ? 0.5 : 0) +
          (existsSync(join(dir, 'result.json')) ? 1 : 0),
      );
    }
    expect(reached).toEqual([...reached].sort((a, b) => a - b));
    expect(reached[0]).toBe(0);
  });
});
