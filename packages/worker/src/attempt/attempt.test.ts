import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  AttemptResult,
  canonicalBytes,
  contentHash,
  encodeBundle,
  limits,
  NO_NETWORK,
  type PipelineBlock,
} from '@palisade/contracts';
import { describe, expect, test } from 'vitest';
import {
  attemptDir,
  available,
  logOf,
  makeSpec,
  printed,
  providers,
  repository,
  scratch,
  type SpecChanges,
} from '../../test/attempt-fixture.ts';
import { runAttempt } from './attempt.ts';

async function run(
  changes: SpecChanges,
  secrets: Record<string, string> = {},
): Promise<{ dir: string; result: AttemptResult }> {
  const dir = attemptDir(makeSpec({ ...changes, secret_names: Object.keys(secrets) }));
  const result = AttemptResult.parse(await runAttempt({ attemptDir: dir, sandboxes: providers, secrets }));
  return { dir, result };
}

const command = (text: string): SpecChanges => ({ agent: { run: { harness: 'command', command: text } } });
const statuses = (result: AttemptResult): string[] =>
  result.blocks.map(({ kind, status }) => `${kind} ${status}`);

describe.each(['process', 'bubblewrap'])('runAttempt in %s', (provider) => {
  const isHere = available.includes(provider);

  test.skipIf(!isHere)('DI-113, DI-115: a command changes a file and its patch is the result', async () => {
    const repo = repository({ 'a.txt': 'one\n', 'keep.txt': 'kept\n' });
    const { dir, result } = await run({
      workspace: { kind: 'git', git_dir: repo.gitDir, commit: repo.commit },
      agent: { run: { harness: 'command', command: 'echo two >> a.txt; echo hello; echo oops >&2' } },
      sandbox: { provider },
    });
    expect(result).toMatchObject({ outcome: 'succeeded', exit_code: 0, retryable: false });
    const patch = readFileSync(join(dir, 'products/patch'));
    expect(result.product.result_ref).toBe(contentHash(patch));
    expect(result.product.patch).toEqual({ files: 1, added: 1, deleted: 0, bytes: patch.length });
    expect(result.files).toEqual([{ file: 'patch', ref: contentHash(patch), size: patch.length }]);
    expect(printed(dir)).toBe('hello');
    expect(printed(dir, 'stderr')).toBe('oops');
    execFileSync('git', ['apply', join(dir, 'products/patch')], { cwd: repo.directory });
    expect(readFileSync(join(repo.directory, 'a.txt'), 'utf8')).toBe('one\ntwo\n');
    expect(result.posture.length).toBeGreaterThan(0);
    const phases = logOf(dir).flatMap((line) => (line.kind === 'phase' ? [line.phase] : []));
    expect(phases).toEqual([
      'workspace',
      'overlay',
      'sandbox',
      'baseline',
      'agent',
      'capture',
      'capture',
      'finished',
    ]);
    expect(result.product.log_ref).toBe(contentHash(readFileSync(join(dir, 'output.log'))));
  });

  test.skipIf(!isHere)(
    'DI-132, DI-135: prompt on stdin, contract variables and files, private home',
    async () => {
      const { dir, result } = await run({
        prompt: 'Do it\nfor "me" $HOME',
        model: 'm-1',
        input: { n: [1] },
        agent: {
          system_prompt: 'You are careful.',
          run: {
            harness: 'command',
            command: [
              'echo "in=$(cat)"; echo "file=$(cat "$PALISADE_PROMPT_FILE")"; echo "input=$(cat "$PALISADE_INPUT")"',
              'echo "$PALISADE_MODEL $PALISADE_ITEM_ID $PALISADE_ATTEMPT"; [ "$PWD" = "$PALISADE_WORKSPACE" ] && echo there',
              'echo x > "$HOME/mine" && echo y > "$TMPDIR/mine" && [ -d "$PALISADE_OUTPUTS" ] && echo private',
              'echo "It works." > "$PALISADE_SUMMARY_FILE"; echo \'{"models":["m-1"],"input_tokens":7}\' > "$PALISADE_USAGE_FILE"',
              'env | grep -c "^GITHUB_TOKEN=" || true',
            ].join('\n'),
          },
        },
        sandbox: { provider },
      });
      const whole = 'You are careful.\n\nDo it\nfor "me" $HOME';
      expect(printed(dir)).toBe(`in=${whole}\nfile=${whole}\ninput={"n":[1]}\nm-1 item 1\nthere\nprivate\n0`);
      expect(result.product.summary).toBe('It works.');
      expect(result.usage).toEqual({ models: ['m-1'], input_tokens: 7 });
      // Nothing the contract puts into the workspace is part of the product.
      expect(result.product.result_ref).toBeUndefined();
    },
  );
});

describe('the command harness', () => {
  test('DI-135: an array is a program with its arguments, without a shell', async () => {
    const { dir } = await run({
      agent: { run: { harness: 'command', command: ['printf', '%s|', 'a b', '$HOME', '*'] } },
    });
    expect(printed(dir)).toBe('a b|$HOME|*|');
  });

  test('DI-123: a program that does not exist is start_failed', async () => {
    const { result } = await run({ agent: { run: { harness: 'command', command: ['/no/such/program'] } } });
    expect(result).toMatchObject({ outcome: 'failed', code: 'start_failed', retryable: false });
  });

  test('FF-077: without a prompt stdin is at its end at once', async () => {
    const { dir } = await run(command('cat; echo end'));
    expect(printed(dir)).toBe('end');
  });
});

describe('the end of an attempt', () => {
  test('DI-114: a failing agent fails the attempt with its status and keeps what it did', async () => {
    const { dir, result } = await run({
      ...command('echo half > half.txt; exit 7'),
      verify: { command: 'true' },
    });
    expect(result).toMatchObject({ outcome: 'failed', exit_code: 7, retryable: true });
    expect(result.code).toBeUndefined();
    expect(readFileSync(join(dir, 'products/patch'), 'utf8')).toContain('+half');
    expect(result.product.result_ref).toMatch(/^sha256:/);
    expect(result.product.verify).toBeUndefined();
    expect(statuses(result)).toEqual(['agent failed', 'verify skipped', 'capture ok', 'capture ok']);
  });

  test('DI-114: the product says how every block went, without words about it', async () => {
    const { result } = await run({
      ...command('true'),
      pipeline: [
        { kind: 'agent' },
        { kind: 'script', command: 'exit 3' },
        { kind: 'capture', what: 'outputs' },
      ],
    });
    expect(result.product.blocks).toEqual([
      { kind: 'agent', ordinal: 0, status: 'ok', exit_code: 0, duration_ms: expect.any(Number) },
      { kind: 'script', ordinal: 1, status: 'failed', exit_code: 3, duration_ms: expect.any(Number) },
      { kind: 'capture', ordinal: 2, status: 'ok', duration_ms: expect.any(Number) },
    ]);
    expect(result.blocks[1]?.detail).toContain('gate 1');
  });

  test('FF-012: changes on top of overlaid files are kept where the product names them', async () => {
    const bundle = encodeBundle('skill', [
      { path: 'a.txt', bytes: Buffer.from('overlaid\n'), executable: false },
    ]);
    const path = join(scratch(), 'bundle');
    writeFileSync(path, bundle);
    const repo = repository({ 'a.txt': 'one\n' });
    const { dir, result } = await run({
      ...command('echo mine > a.txt'),
      workspace: { kind: 'git', git_dir: repo.gitDir, commit: repo.commit },
      capabilities: [{ name: 'skill', hash: contentHash(bundle), path }],
    });
    const kept = readFileSync(join(dir, 'products/patch.conflicts'));
    expect(kept.toString()).toContain('+mine');
    expect(result.product.conflicts_ref).toBe(contentHash(kept));
    expect(result.files.map(({ ref }) => ref)).toContain(contentHash(kept));
  });

  test('DI-114: a failing gate stops the pipeline, a failing self-check does not', async () => {
    const pipeline: PipelineBlock[] = [
      { kind: 'agent' },
      { kind: 'script', command: 'echo checked; false', lens: 'verify' },
      { kind: 'script', command: 'exit 3' },
      { kind: 'agent' },
      { kind: 'capture', what: 'patch' },
    ];
    const { result } = await run({ ...command('echo x >> x'), pipeline });
    expect(result).toMatchObject({ outcome: 'failed', exit_code: 3 });
    expect(result.reason).toContain('gate 2');
    expect(result.product.verify).toMatchObject({ passed: false });
    expect(result.product.verify?.report).toContain('checked');
    expect(result.product.patch).toMatchObject({ added: 1 });
    expect(statuses(result)).toEqual([
      'agent ok',
      'verify failed',
      'script failed',
      'agent skipped',
      'capture ok',
    ]);
  });

  test('DI-124: a red self-check does not fail the attempt and its report is bounded', async () => {
    const { result } = await run({
      ...command('true'),
      verify: { command: 'for i in $(seq 4000); do echo "a long line of output 🚀"; done; exit 4' },
    });
    expect(result).toMatchObject({ outcome: 'succeeded', product: { verify: { passed: false } } });
    const report = result.product.verify?.report ?? '';
    expect(report.length).toBeLessThanOrEqual(8000);
    expect(report.isWellFormed()).toBe(true);
    expect(report).toContain('exited with status 4');
  });

  describe('FF-143: a verdict is bound to command, patch and tests', () => {
    const files = {
      'src/a.js': 'a\n',
      'test/a.test.js': 'test a\n',
      'test/b.test.js': 'test b\n',
      'pkg/c_test.go': 'test c\n',
      'README.md': 'about tests\n',
    };
    const verdictOf = async (agent: string, changes: Partial<SpecChanges> = {}) => {
      const repo = repository(files);
      const { result } = await run({
        workspace: { kind: 'git', git_dir: repo.gitDir, commit: repo.commit },
        ...command(agent),
        verify: { command: 'test -f src/a.js' },
        ...changes,
      });
      return result;
    };

    test('it passes with every test of the base in place, changed, added or moved, and says what it is about', async () => {
      const change =
        'echo more >> src/a.js; echo new > test/d.spec.ts; echo x >> test/a.test.js; mkdir sub; mv pkg/c_test.go sub';
      const { product } = await verdictOf(change);
      expect(product.verify).toMatchObject({
        passed: true,
        about: {
          command: contentHash('test -f src/a.js'),
          patch: product.result_ref,
          tests: { count: 4, gone: 0 },
        },
      });
      const other = await verdictOf(`${change}; echo y >> test/b.test.js`);
      expect(other.product.verify?.about?.tests?.hash).not.toBe(product.verify?.about?.tests?.hash);
      expect(other.product.verify?.about?.tests?.count).toBe(4);
    });

    test.each([
      ['deleted', 'rm test/b.test.js', 'test/b.test.js'],
      ['emptied', ': > pkg/c_test.go', 'pkg/c_test.go'],
      ['replaced by a link', 'ln -sf /dev/null test/a.test.js', 'test/a.test.js'],
      ['renamed so that nobody finds it', 'mv test/a.test.js a.js.off', 'test/a.test.js'],
    ])('a test file that was %s is missed, whatever the command says', async (_, agent, path) => {
      const { outcome, product } = await verdictOf(`echo fixed > src/a.js; ${agent}`);
      expect(outcome).toBe('succeeded');
      expect(product.verify).toMatchObject({ passed: false, about: { tests: { gone: 1 } } });
      const why = `not counted as passed: a test file of the base is gone or empty: "${path}"`;
      expect(product.verify?.report).toContain(why);
      expect(product.warnings?.join()).toContain(path);
    });

    test('one about another patch than the product is none about the product', async () => {
      const verify = { kind: 'script' as const, command: 'true', lens: 'verify' as const };
      const patch = { kind: 'capture' as const, what: 'patch' as const };
      const agent = { kind: 'agent' as const };
      for (const pipeline of [
        [agent, verify, patch],
        [agent, patch, verify, agent, patch],
        [agent, patch, { ...verify, command: 'echo changed > src/a.js' }, patch],
      ]) {
        const { product } = await verdictOf('echo x >> src/a.js', { pipeline });
        expect(product.verify, JSON.stringify(pipeline)).toMatchObject({ passed: false });
        expect(product.verify?.report).toContain('not about the patch that is the product');
      }
      const { product } = await verdictOf('echo x >> src/a.js', { pipeline: [agent, patch, verify, patch] });
      expect(product.verify?.passed).toBe(true);
    });
  });

  test.skipIf(!available.includes('bubblewrap'))(
    'FF-136: a program that met a rule of the sandbox is explained, one that failed for itself is not',
    async () => {
      const sandbox = { provider: 'bubblewrap' };
      const refused = await run({ ...command('touch /usr/x'), sandbox });
      expect(refused.result).toMatchObject({ outcome: 'failed' });
      expect(refused.result.product.warnings?.join()).toContain(
        'the agent may have met a rule of the sandbox: this path is read-only in the sandbox',
      );
      const own = await run({ ...command('echo broken; exit 1'), sandbox });
      expect(own.result.product.warnings).toBeUndefined();
      const checked = await run({
        ...command('true'),
        sandbox,
        verify: { command: 'echo "curl: (6) Could not resolve host: x" >&2; exit 6' },
      });
      expect(checked.result.product.warnings?.join()).toContain(
        `the self-check may have met a rule of the sandbox: ${NO_NETWORK}`,
      );
    },
  );

  test('FF-062: a limit that ends the agent is named', async () => {
    const { result } = await run({
      ...command('head -c 3000000 /dev/zero > big'),
      sandbox: { file_bytes: 1_000_000 },
    });
    expect(result).toMatchObject({ outcome: 'failed' });
    expect(`${result.reason}`).toMatch(/file-size limit|status 153|status 1|SIGXFSZ/);
  });

  test('DI-114: a capture that fails fails the attempt', async () => {
    const repo = repository({ 'a.txt': 'one\n' });
    const { result } = await run({
      workspace: { kind: 'git', git_dir: repo.gitDir, commit: repo.commit },
      // The state the capture compares with is gone: no patch can be trusted.
      ...command('rm -rf "$PWD/../state/capture.git"'),
    });
    expect(result).toMatchObject({ outcome: 'failed', code: 'capture_failed' });
    expect(result.product.result_ref).toBeUndefined();
  });

  test('an unknown provider, a missing secret and a broken spec end with a code', async () => {
    const unknown = await run({ sandbox: { provider: 'moon' } });
    expect(unknown.result).toMatchObject({ outcome: 'failed', code: 'requirements_unmet' });
    const dir = attemptDir(makeSpec({ secret_names: ['TOKEN'] }));
    const missing = await runAttempt({ attemptDir: dir, sandboxes: providers, secrets: {} });
    expect(missing).toMatchObject({ outcome: 'failed', code: 'secret_missing' });
    expect(missing.reason).toContain('TOKEN');
    const gone = await runAttempt({ attemptDir: join(dir, 'nowhere'), sandboxes: providers, secrets: {} });
    expect(AttemptResult.parse(gone)).toMatchObject({
      outcome: 'failed',
      code: 'invalid_input',
      attempt_id: 'nowhere',
    });
  });

  test('EX-204: an attempt that was promised a boundary does not start without one', async () => {
    const { result, dir } = await run({ ...command('echo ran'), sandbox: { isolation: 'sandboxed' } });
    expect(result).toMatchObject({ outcome: 'failed', code: 'requirements_unmet', retryable: false });
    expect(printed(dir)).toBe('');
  });

  test('DI-118: dependency evidence counts only when it was there at setup and at the end', async () => {
    const { result } = await run(command('echo "[1]" > .palisade/deps.json'));
    expect(result.product.deps).toBeUndefined();
  });

  test('DI-117: files an agent leaves about itself are data: malformed, huge or linked ones are ignored and told', async () => {
    const { result } = await run(
      command(
        [
          'echo "{\\"input_tokens\\":-1}" > .palisade/usage.json',
          'ln -s /etc/passwd .palisade/summary.md',
          'head -c 70000 /dev/zero > .palisade/deps.json',
        ].join('; '),
      ),
    );
    expect(result.outcome).toBe('succeeded');
    expect(result.usage).toBeUndefined();
    expect(result.product.summary).toBeUndefined();
    expect(result.product.warnings?.join('\n')).toContain('usage.json is not a usage report');
    const linked = await run(
      command('rm -rf .palisade; ln -s /etc .palisade; ln -s x .palisade/summary.md 2>/dev/null; true'),
    );
    expect(linked.result.product.summary).toBeUndefined();
  });
});

describe('outputs', () => {
  test('DI-116: regular files under outputs/ are products with their own address, what is left out is told', async () => {
    const { dir, result } = await run(
      command(
        'mkdir -p outputs/sub; echo b > outputs/sub/b; echo a > outputs/a; ln -s /etc/passwd outputs/link',
      ),
    );
    expect(result.product.outputs).toEqual([
      { path: 'a', ref: contentHash('a\n'), size: 2 },
      { path: 'sub/b', ref: contentHash('b\n'), size: 2 },
    ]);
    expect(result.files.map(({ ref }) => ref)).toEqual([contentHash('a\n'), contentHash('b\n')]);
    for (const { file, ref } of result.files)
      expect(contentHash(readFileSync(join(dir, 'products', file)))).toBe(ref);
    expect(result.product.warnings?.join()).toContain('symlink');
    expect(result.product.result_ref).toBeUndefined();
  });

  test('DI-116: outputs are told in full, also when their names would not fit in the record', async () => {
    const names = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(230)).join('/');
    const { result } = await run(
      command(
        `for i in $(seq 100 355); do mkdir -p "outputs/$i/${names}"; echo $i > "outputs/$i/${names}/f"; done`,
      ),
    );
    expect(result.outcome).toBe('succeeded');
    expect(canonicalBytes(result.product).byteLength).toBeGreaterThan(limits.productBytes);
    expect(result.product.outputs).toHaveLength(256);
    expect(result.files).toHaveLength(256);
  });

  test('DI-114: a failing agent keeps its outputs', async () => {
    const { result } = await run(command('echo partial > "$PALISADE_OUTPUTS/report"; exit 1'));
    expect(result).toMatchObject({ outcome: 'failed', exit_code: 1 });
    expect(result.product.outputs).toMatchObject([{ path: 'report' }]);
  });
});

describe('the scripted harness', () => {
  test('DI-135: its steps write, edit, run, speak and report, always the same way', async () => {
    const steps = [
      { do: 'write', path: 'src/a.sh', text: '#!/bin/sh\necho $0 ran\n', executable: true },
      { do: 'append', path: 'src/a.sh', text: 'echo again\n' },
      { do: 'replace', path: 'src/a.sh', find: 'again', with: '"$(id -u) once"' },
      { do: 'write', path: "odd ' name\\$(x).txt".replace('\\', ''), text: '€\n' },
      { do: 'write', path: 'gone.txt', text: 'x' },
      { do: 'delete', path: 'gone.txt' },
      { do: 'run', command: './src/a.sh' },
      { do: 'sleep', ms: 20 },
      { do: 'usage', input_tokens: 3, cost_usd: 0.5, model: 'a' },
      { do: 'usage', input_tokens: 4, model: 'b' },
      { do: 'say', text: 'done' },
    ] as const;
    const once = await run({ agent: { run: { harness: 'scripted', steps: [...steps] } } });
    const twice = await run({ agent: { run: { harness: 'scripted', steps: [...steps] } } });
    expect(once.result.outcome).toBe('succeeded');
    expect(once.result.product.result_ref).toBe(twice.result.product.result_ref);
    expect(printed(once.dir)).toMatch(/^\.\/src\/a\.sh ran\n\d+ once$/);
    expect(once.result.product.summary).toBe('done');
    expect(once.result.usage).toEqual({ models: ['a', 'b'], input_tokens: 7, cost_usd: 0.5 });
    const patch = readFileSync(join(once.dir, 'products/patch'), 'utf8');
    expect(patch).toContain('new file mode 100755');
    expect(patch).toContain("odd ' name$(x).txt");
    expect(patch).not.toContain('gone.txt');
  });

  test('DI-135: the first step that fails ends it, exit ends it with its code', async () => {
    const failing = await run({
      agent: {
        run: {
          harness: 'scripted',
          steps: [
            { do: 'replace', path: 'none', find: 'a', with: 'b' },
            { do: 'write', path: 'after', text: '' },
          ],
        },
      },
    });
    expect(failing.result).toMatchObject({ outcome: 'failed', exit_code: 1 });
    expect(existsSync(join(failing.dir, 'workspace/after'))).toBe(false);
    const exiting = await run({
      agent: {
        run: {
          harness: 'scripted',
          steps: [
            { do: 'exit', code: 9 },
            { do: 'write', path: 'after', text: '' },
          ],
        },
      },
    });
    expect(exiting.result).toMatchObject({ outcome: 'failed', exit_code: 9 });
  });

  test.each(['../out', '/tmp/palisade-out', '.git/hooks/pre-commit', 'link/out', 'link2'])(
    'DI-042: no step writes to %s',
    async (path) => {
      const { dir, result } = await run({
        agent: {
          run: {
            harness: 'scripted',
            steps: [
              { do: 'run', command: 'ln -s .. link; ln -s ../out link2' },
              { do: 'write', path, text: 'x' },
            ],
          },
        },
      });
      expect(result).toMatchObject({ outcome: 'failed', exit_code: 1 });
      expect(existsSync(join(dir, 'out'))).toBe(false);
      expect(existsSync('/tmp/palisade-out')).toBe(false);
    },
  );
});
