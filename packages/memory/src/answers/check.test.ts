import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { livingWith } from '@palisade/contracts/testing';
import { describe, expect, it } from 'vitest';
import { TestRepository } from '../../test/history.ts';
import { check, plannedChecks, review, typed } from '../index.ts';
import { runCommand } from '../verification/run-command.ts';

const options = { timeoutMs: 20_000, signal: new AbortController().signal };

function project(scripts: Readonly<Record<string, string>>): TestRepository {
  const repository = new TestRepository();
  repository.commit({
    files: {
      'package.json': JSON.stringify({ scripts }),
      'package-lock.json': '{}',
      'a.ts': '',
      'a.test.ts': "import './a.ts';",
    },
  });
  return repository;
}

describe('checks', () => {
  it('L-10: nothing is run without an index, or without a command of the tier', async () => {
    using repository = project({ test: 'touch ran' });
    {
      using memory = await repository.memory();
      await expect(check(memory, 'fast', options)).rejects.toMatchObject({
        code: 'requirements_unmet',
        next: 'pal repo index',
      });
    }
    expect(existsSync(join(repository.directory, 'ran'))).toBe(false);
    using bare = new TestRepository();
    bare.commit({ files: { 'a.txt': '' } });
    await bare.index();
    using memory = await bare.memory();
    await expect(check(memory, 'full', options)).rejects.toThrow(
      'no command of the project is known for "full"',
    );
  });

  it('D-04, WM-041: every command of a tier is run, its own exit code counts, and each is kept with the commit', async () => {
    using repository = project({ test: 'echo tested; exit 3', lint: 'echo linted >&2', build: 'echo built' });
    await repository.index();
    using memory = await repository.memory({ create: true });
    const { outcome, runs } = await check(memory, 'full', options);
    expect(outcome).toBe('failed');
    expect(runs.map(({ command, exit_code: code, outcome: each }) => [command, code, each])).toEqual([
      ['npm run -s test -- a.test.ts', 3, 'failed'],
      ['npm run -s test', 3, 'failed'],
      ['npm run -s lint', 0, 'passed'],
      ['npm run -s build', 0, 'passed'],
    ]);
    expect(runs.map(({ output }) => output.trim())).toEqual(['tested', 'tested', 'linted', 'built']);
    const { verification_history: history } = await review(memory, undefined);
    expect(history.map(({ command }) => command)[0]).toBe('npm run -s build');
    expect(history[0]?.commit).toBe(repository.git('rev-parse', 'HEAD'));
  });

  it('L-09: an old failure says nothing after a pass', async () => {
    using repository = project({ test: 'test -f fixed && :' });
    await repository.index();
    using memory = await repository.memory({ create: true });
    const said = async () => (await review(memory, undefined)).summary;
    expect((await check(memory, 'fast', options)).outcome).toBe('failed');
    expect(await said()).toContain('the newest verification failed');
    repository.write({ fixed: '' });
    expect((await check(memory, 'fast', options)).outcome).toBe('passed');
    expect(await said()).not.toContain('the newest verification failed');
  });

  it('WM-040, L-06: what is proposed can be run: packages are of Go files, tests of their own ecosystem', async () => {
    using repository = new TestRepository();
    repository.commit({
      files: {
        'go.mod': 'module x\n',
        'docs/guide.md': '',
        'store/store.go': 'package store\n',
        'store/store_test.go': 'package store\n',
        'py/pyproject.toml': '[tool.pytest.ini_options]\n[tool.mypy]\n',
        'py/shop/a.py': '',
        'py/shop/test_a.py': 'import a\n',
        'ruby/Gemfile': "gem 'rspec'\n",
        'ruby/spec/a_spec.rb': '',
        "it's/Makefile": 'test:\n\ttrue\nlint :\n\ttrue\nX := 1\n',
        "it's/x.txt": '',
      },
    });
    await repository.index();
    const commandsFor = async (path: string, tier: 'fast' | 'full') => {
      repository.write({ [path]: 'changed\n' });
      using memory = await repository.memory();
      // The one commit holds everything; only what the work tree changes is of interest here.
      const { changed_files: files } = await review(memory, 'HEAD');
      repository.git('checkout', '--quiet', '--', '.');
      expect(files.map((file) => file.path)).toEqual([path]);
      return (await plannedChecks(memory, tier, 'HEAD')).commands.map(typed);
    };
    expect(await commandsFor('store/store.go', 'fast')).toEqual(['go test ./store']);
    expect(await commandsFor('py/shop/a.py', 'full')).toEqual([
      '(cd py && pytest shop/test_a.py)',
      '(cd py && pytest shop)',
      '(cd py && pytest)',
      '(cd py && mypy .)',
    ]);
    expect(await commandsFor('ruby/spec/a_spec.rb', 'fast')).toEqual([
      '(cd ruby && bundle exec rspec spec/a_spec.rb)',
    ]);
    expect(await commandsFor("it's/x.txt", 'full')).toEqual([
      "(cd 'it'\\''s' && make test)",
      "(cd 'it'\\''s' && make lint)",
    ]);
    await expect(commandsFor('docs/guide.md', 'fast')).rejects.toMatchObject({ code: 'requirements_unmet' });
  });

  it.each([
    ['pnpm-lock.yaml', 'pnpm run test:unit a.test.ts'],
    ['yarn.lock', 'yarn run test:unit a.test.ts'],
    ['bun.lock', 'bun run test:unit a.test.ts'],
    ['package-lock.json', 'npm run -s test:unit -- a.test.ts'],
  ])('WM-040: %s decides who runs scripts, and each tier holds those before it', async (lock, fast) => {
    using repository = new TestRepository();
    const scripts = { 'test:unit': 'x', test: 'x', lint: 'x', typecheck: 'x', check: 'x', build: 'x' };
    repository.commit({
      files: {
        [lock]: '',
        'package.json': JSON.stringify({ scripts }),
        Makefile: 'test:\n\ttrue\n',
        'a.ts': '',
        'a.test.ts': "import './a.ts';",
      },
    });
    await repository.index();
    using memory = await repository.memory();
    const tiers = await Promise.all(
      (['fast', 'safe', 'full'] as const).map(async (tier) =>
        (await plannedChecks(memory, tier)).commands.map(typed),
      ),
    );
    const run = fast.replace(/test:unit.*$/, '');
    const whole = ['test:unit', 'test'].map((script) => `${run}${script}`);
    const rest = ['lint', 'typecheck', 'check', 'build'].map((script) => `${run}${script}`);
    expect(tiers.map((tier) => tier.toSorted())).toEqual(
      [[fast], [fast, ...whole, 'make test'], [fast, ...whole, 'make test', ...rest]].map((each) =>
        each.toSorted(),
      ),
    );
  });

  it('WM-040: Python and Go by what the project is configured for', async () => {
    using repository = new TestRepository();
    repository.commit({
      files: {
        'p/pyproject.toml': '[tool.pytest.ini_options]\n[tool.ruff]\n',
        'p/tox.ini': '',
        'p/pyrightconfig.json': '{}',
        'p/a.py': '',
        'p/test_a.py': 'import a\n',
        'g/go.mod': 'module g\n',
        'g/x/x.go': 'package x\n',
      },
    });
    await repository.index();
    using memory = await repository.memory();
    const commands = async (tier: 'fast' | 'full') => (await plannedChecks(memory, tier)).commands.map(typed);
    expect((await commands('fast')).toSorted()).toEqual([
      '(cd g && go test ./x)',
      '(cd p && pytest test_a.py)',
    ]);
    expect((await commands('full')).toSorted()).toEqual(
      [
        ...['go test ./x', 'go test ./...', 'go vet ./...'].map((each) => `(cd g && ${each})`),
        ...['pytest test_a.py', 'pytest .', 'ruff check .', 'tox', 'pyright'].map(
          (each) => `(cd p && ${each})`,
        ),
      ].toSorted(),
    );
  });

  it('every project that is changed is checked by its own commands, and a name is never a flag', async () => {
    using repository = new TestRepository();
    const scripts = '{"scripts":{"test":"x"}}';
    repository.commit({
      files: {
        'p1/package.json': scripts,
        'p1/a.ts': '',
        'p1/--import=a.test.ts': "import './a.ts';",
        'p2/package.json': scripts,
        'p2/b.ts': '',
        'p2/b.test.ts': "import './b.ts';",
        'm1/go.mod': 'module m1\n',
        'm1/x.go': 'package m1\n',
        'm2/go.mod': 'module m2\n',
        'm2/y.go': 'package m2\n',
      },
    });
    await repository.index();
    using memory = await repository.memory();
    const commands = (await plannedChecks(memory, 'fast')).commands.map(typed);
    expect(commands.toSorted()).toEqual([
      '(cd m1 && go test ./)',
      '(cd m2 && go test ./)',
      '(cd p1 && npm run -s test -- ./--import=a.test.ts)',
      '(cd p2 && npm run -s test -- b.test.ts)',
    ]);
  });

  it('no token of ours reaches what is run, and a very long time limit is none', async () => {
    process.env['PALISADE_TOKEN'] = 'pal_secret';
    const { output, outcome } = await runCommand({
      argv: ['env'],
      cwd: '/',
      ...options,
      timeoutMs: 3e9,
    }).finally(() => delete process.env['PALISADE_TOKEN']);
    expect([output.includes('pal_secret'), outcome]).toEqual([false, 'passed']);
  });

  it('FF-063: out of time, everything a command started is gone, also what left its session', async () => {
    const token = `5${Math.random().toString().slice(2, 11)}`;
    const script = `trap '' TERM; setsid -f sleep ${token}; sleep ${token}`;
    const result = await runCommand({ argv: ['sh', '-c', script], cwd: '/', ...options, timeoutMs: 300 });
    expect([result.outcome, result.exitCode]).toEqual(['timed_out', null]);
    expect(livingWith(token)).toEqual([]);
  });

  it('what it leaves behind at its end is gone too, and does not keep it waiting', async () => {
    const token = `5${Math.random().toString().slice(2, 11)}`;
    const result = await runCommand({
      argv: ['sh', '-c', `sleep ${token} & echo done`],
      cwd: '/',
      ...options,
    });
    expect([result.outcome, result.output]).toEqual(['passed', 'done\n']);
    expect(livingWith(token)).toEqual([]);
  });

  it('FF-071: much output is kept at its end, cut between characters; no program is no crash', async () => {
    const much = await runCommand({
      argv: ['sh', '-c', `yes '😀é' | head -c 3000000; echo; echo end`],
      cwd: '/',
      ...options,
    });
    expect(much.bytes).toBeGreaterThan(3_000_000);
    expect(much.output.length).toBeLessThanOrEqual(64 * 1024);
    expect([much.output.endsWith('end\n'), much.output.isWellFormed(), much.outcome]).toEqual([
      true,
      true,
      'passed',
    ]);
    const none = await runCommand({ argv: ['no-such-program-here'], cwd: '/', ...options });
    expect([none.outcome, none.exitCode, none.output]).toEqual([
      'not_started',
      null,
      'no-such-program-here could not be started',
    ]);
  });

  it('is stopped on request, and nothing of it is kept', async () => {
    using repository = project({ test: 'sleep 60 && :' });
    await repository.index();
    using memory = await repository.memory({ create: true });
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 500);
    await expect(check(memory, 'fast', { ...options, signal: stop.signal })).rejects.toMatchObject({
      code: 'canceled',
    });
    expect((await review(memory, undefined)).verification_history).toEqual([]);
  });
});
