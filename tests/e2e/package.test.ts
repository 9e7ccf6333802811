import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildCliPackage } from '../../scripts/build/cli-package.ts';
import { buildContractsPackage } from '../../scripts/build/contracts-package.ts';
import { sourceCommit } from '../../scripts/build/source-commit.ts';
import { oldNode } from '../support/old-node.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** Far from the checkout: nothing above this directory could be found by accident. */
let place = '';
let command = '';

beforeAll(async () => {
  place = mkdtempSync(join(tmpdir(), 'palisade-package-'));
  await buildCliPackage(join(place, 'built'));
  mkdirSync(join(place, 'app'));
  mkdirSync(join(place, 'empty'));
  writeFileSync(join(place, 'app/package.json'), '{"private":true}');
  const npm = (cwd: string, ...args: string[]) =>
    execFileSync('npm', args, { cwd: join(place, cwd), encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const [packed] = JSON.parse(npm('built', 'pack', '--json')) as { filename: string }[];
  // Offline, and without the optional Node: the package alone must be enough.
  npm(
    'app',
    'install',
    '--offline',
    '--omit=optional',
    '--no-audit',
    '--no-fund',
    join(place, 'built', packed?.filename ?? ''),
  );
  command = join(place, 'app/node_modules/.bin/palisade');
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

/** An environment that knows nothing of the checkout. */
function env(more: Readonly<Record<string, string>> = {}): Record<string, string> {
  return {
    PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin',
    HOME: place,
    LANG: 'C.UTF-8',
    PALISADE_ACTOR: 'human:ada',
    ...more,
  };
}

const palWith = (node: string, args: readonly string[], more: Readonly<Record<string, string>> = {}) =>
  spawnSync(node, [command, ...args], { encoding: 'utf8', cwd: join(place, 'empty'), env: env(more) });
const pal = (...args: string[]) => palWith(process.execPath, args);

describe('the published command', () => {
  it('holds no source, no test and no path of the machine that built it', () => {
    const home = join(place, 'app/node_modules/@palisade/cli');
    const entries = readdirSync(home, { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile())
      .map((entry) => relative(home, join(entry.parentPath, entry.name)));
    const expected =
      /^(?:[a-zA-Z-]+(?:-[\w-]{8}){0,2}\.(?:js|cjs|mjs|json|txt|md)|LICENSE|grammars\/(?:LICENSE|tree-sitter\.cjs|tree-sitter[a-z-]*\.wasm))$/;
    expect(files.filter((name) => !expected.test(name))).toEqual([]);
    for (const name of files) expect(readFileSync(join(home, name), 'utf8'), name).not.toContain(ROOT);
    const manifest = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as object;
    expect(manifest).not.toHaveProperty('dependencies');
    expect(manifest).not.toHaveProperty('scripts');
    expect(readFileSync(join(home, 'THIRD-PARTY-NOTICES.txt'), 'utf8')).toMatch(/^zod \d/m);
  });

  it('AO-003: says which commit it is of, where that is known', () => {
    const { stdout } = pal('version', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ palisade: expect.any(String) });
    expect((JSON.parse(stdout) as { source_commit?: string }).source_commit ?? null).toBe(sourceCommit(ROOT));
  });

  it.skipIf(oldNode === undefined)(
    'started by an old Node it goes on with the bundled one, or says what is needed',
    () => {
      const alone = palWith(oldNode ?? '', ['version']);
      expect(alone.status).toBe(3);
      expect(alone.stderr).toContain('code unsupported_runtime');
      expect(alone.stderr).toContain('next  install Node 24');
      const bundled = join(ROOT, 'node_modules', `node-${process.platform}-${process.arch}`);
      if (!existsSync(bundled)) return;
      symlinkSync(bundled, join(place, 'app/node_modules', `node-${process.platform}-${process.arch}`));
      const version = palWith(oldNode ?? '', ['version', '--json']);
      expect(version.stderr).toBe('');
      expect(JSON.parse(version.stdout)).toMatchObject({ node: expect.stringMatching(/^24\./) });
      expect(palWith(oldNode ?? '', ['nonsense']).status).toBe(2);
      // The other programs of the package have the same Node.
      for (const [name, word] of [
        ['palisade-verify', '--trust'],
        ['palisade-witness', '--listen'],
      ] as const) {
        const program = join(place, 'app/node_modules/.bin', name);
        const told = spawnSync(oldNode ?? '', [program, '--help'], { encoding: 'utf8', env: env() });
        expect(told, told.stderr).toMatchObject({ status: 0 });
        expect(told.stdout).toContain(word);
      }
    },
  );

  it('reads the sources of a repository in threads of its own', () => {
    const cwd = join(place, 'repository');
    mkdirSync(cwd);
    const names = Array.from({ length: 20 }, (_, at) => `part${at}`);
    for (const name of names) writeFileSync(join(cwd, `${name}.ts`), `export function ${name}() {}\n`);
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b', ...args], { cwd });
    git('init', '--quiet');
    git('add', '-A');
    git('commit', '--quiet', '-m', 'First');
    const run = (...args: string[]) =>
      spawnSync(process.execPath, [command, ...args], { encoding: 'utf8', cwd, env: env() });
    expect(run('repo', 'index', '--json')).toMatchObject({ status: 0, stderr: '' });
    const { text } = JSON.parse(run('repo', 'map', '--json').stdout) as { text: string };
    for (const name of names) expect(text).toMatch(new RegExp(`function ${name}|${name} `));
  });

  it('DI-131: starts a coding agent by the one file of its own that a sandbox sees', () => {
    const project = join(place, 'agents');
    mkdirSync(project);
    const write = (name: string, text: string, mode = 0o644): string => {
      writeFileSync(join(project, name), text, { mode });
      return join(project, name);
    };
    const stream = [
      { type: 'system', subtype: 'init', session_id: 'session-1' },
      { type: 'result', subtype: 'success', is_error: false, result: 'It is done.' },
    ].map((message) => JSON.stringify(message));
    const program = write('agent.sh', `#!/bin/sh\ncat > told\ncat <<'E'\n${stream.join('\n')}\nE\n`, 0o755);
    const run = { harness: 'claude-code', program, model_endpoint: 'm' };
    const agent = write('agent.json', JSON.stringify({ run }));
    const plan = write(
      'plan.json',
      JSON.stringify({ items: [{ id: 'a', agent: 'coder', prompt: 'Do it.' }] }),
    );
    const key = write('key', 'canary-of-the-published-command');
    const there = (...args: string[]): string => {
      const ended = pal('-C', project, ...args);
      expect(ended.status, ended.stdout + ended.stderr).toBe(0);
      return ended.stdout;
    };
    there('init');
    there('secret', 'put', 'k', '--file', key);
    there('model-endpoint', 'set', 'm', '--kind=anthropic', '--url=http://127.0.0.1:9', '--secret=secret:k');
    there('agent', 'register', 'coder', '--file', agent);
    there('run', plan, '--empty', '--sandbox', 'process', '--run-id', 'one');
    const { items } = JSON.parse(there('show', 'one', '--json')) as { items: { product: object }[] };
    // What it was told: the prompt, an empty line, and how it may ask.
    expect(items[0]?.product).toMatchObject({ summary: 'It is done.', patch: { files: 1, added: 3 } });
  });

  it('DI-253: runs the demo in an empty directory: it applies, exports, verifies, and catches one changed byte', () => {
    const demo = pal('demo', '--keep');
    expect(demo.stdout, demo.stderr).toContain('The change was found: exit 1.');
    expect(demo.stdout).toContain('Every test of the project passes now.');
    expect(demo.stdout).toMatch(/^retry +fix-greet /m);
    expect(demo.status).toBe(0);
    expect(readdirSync(join(place, 'empty'))).toEqual([]);

    // What --keep left is an ordinary project.
    const project = /the project stays in (.+)/.exec(demo.stdout)?.[1] ?? '';
    expect(existsSync(join(project, '.palisade'))).toBe(true);
    const there = (...args: string[]) => pal('-C', project, ...args);
    expect(there('verify', '-').stdout).toContain('own keys, which vouch for themselves');
    const unvouched = there('verify', 'evidence.json');
    expect(unvouched.status).toBe(6);
    expect(unvouched.stdout).toMatch(/^SIGNATURE NOT CHECKED .*without a trust root/);
    expect(unvouched.stdout).toMatch(/^n\/a +signature /m);
    expect(unvouched.stderr).toContain('next: pal verify evidence.json --trust ');
    expect(there('verify', 'tampered.json').status).toBe(1);
    const trustText = readFileSync(join(project, 'trust.json'), 'utf8');
    writeFileSync(join(project, 'other.json'), trustText.replaceAll(/"ed25519-[0-9a-f]+"/g, '"ops"'));
    const unknown = there('verify', 'evidence.json', '--trust', 'other.json');
    expect(unknown.status).toBe(1);
    expect(unknown.stdout).toMatch(/^SIGNED BY A KEY THAT IS NOT IN THE TRUST ROOT /);
    expect(unknown.stdout).not.toContain('TAMPERED');
    const mixedUp = there('verify', 'trust.json');
    expect(mixedUp.status).toBe(2);
    expect(mixedUp.stderr).toContain('trust.json is a trust root, not a bundle');
    expect(there('verify', 'evidence.json', '--trust', 'evidence.json').stderr).toContain(
      'evidence.json is a bundle, not a trust root',
    );
    expect(there('verify', 'nope.json').stderr).toContain('no such file: nope.json');
    const nowhere = pal('verify', 'nope.json');
    expect(nowhere.status).toBe(2);
    expect(nowhere.stderr).toContain('no such file: nope.json');
    const checks = JSON.parse(there('doctor', '--json').stdout) as {
      checks: { name: string; detail: string }[];
    };
    expect(checks.checks.find(({ name }) => name === 'sandbox')?.detail).toMatch(/bubblewrap|process/);
    // Everything is applied already: nothing more to suggest.
    expect(there('diff', '-', '--stat').stderr).not.toContain('pal apply');
    const trusted = there('verify', 'evidence.json', '--trust', 'trust.json');
    expect(trusted).toMatchObject({ status: 0 });
    expect(trusted.stdout).toMatch(/^TAMPER-DETECTING /);
    expect(trusted.stdout).toContain('more (--full)');
    expect(there('verify', 'evidence.json', '--trust', 'trust.json', '--full').stdout).not.toContain(
      '--full',
    );
    expect(there('verify', 'tampered.json', '--trust', 'trust.json').status).toBe(1);

    // The auditor's program of the package needs the two files and nothing else of anybody.
    const verifier = join(place, 'app/node_modules/.bin/palisade-verify');
    const audit = (bundle: string) =>
      spawnSync(process.execPath, [verifier, join(project, bundle), '--trust', join(project, 'trust.json')], {
        encoding: 'utf8',
        cwd: join(place, 'empty'),
        env: {},
      });
    expect(audit('evidence.json')).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^TAMPER-DETECTING /),
    });
    expect(audit('tampered.json').status).toBe(1);

    writeFileSync(join(project, 'taken'), 'mine');
    expect(there('evidence', 'export', '-', '-o', 'taken')).toMatchObject({ status: 2 });
    expect(readFileSync(join(project, 'taken'), 'utf8')).toBe('mine');
    expect(there('evidence', 'export', '-', '-o', 'taken', '--force').status).toBe(0);
    expect(
      there('evidence', 'export', '-', '-o', 'b.json', '--trust-root', './some-keys.json').stderr,
    ).toContain('next: pal verify b.json --trust ./some-keys.json');
    expect(readFileSync(join(project, 'taken'))).toEqual(readFileSync(join(project, 'evidence.json')));
    expect(there('evidence', 'export', '-', '--trust-root', 'keys').status).toBe(0);
    expect(readFileSync(join(project, 'keys'))).toEqual(readFileSync(join(project, 'trust.json')));

    expect(there('apply', '-', '--revert').status).toBe(0);
    expect(
      spawnSync('git', ['status', '--porcelain', 'src'], { cwd: project, encoding: 'utf8' }).stdout,
    ).toBe('');
    expect(there('artifact', 'get', '-/check:report.txt').stdout).toContain('ok   price');
    spawnSync('rm', ['-rf', project]);
    expect(pal('demo', '--sandbox', 'no-such-sandbox').status).toBe(6);
  }, 240_000);
});

describe('the published contracts', () => {
  it('are enough to type-check and load a sandbox provider of somebody else', () => {
    const modules = join(place, 'provider/node_modules');
    buildContractsPackage(join(modules, '@palisade/contracts'));
    for (const name of ['zod', '@types', 'undici-types'])
      symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
    const source = join(place, 'provider/src');
    writeFileSync(join(place, 'provider/package.json'), '{"type":"module"}');
    cpSync(join(ROOT, 'examples/bring-your-own-sandbox/src'), source, { recursive: true });
    writeFileSync(
      join(source, 'use.ts'),
      "import { sandboxConformance } from '@palisade/contracts/testing';\nimport { PalisadeError } from '@palisade/contracts';\nimport make from './index.ts';\nconsole.log(make().name, typeof sandboxConformance, new PalisadeError('not_found', 'x').facts.exit);\n",
    );
    const options = [
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--module',
      'nodenext',
      '--target',
      'es2024',
      '--allowImportingTsExtensions',
      '--types',
      'node',
    ];
    const checked = spawnSync(
      process.execPath,
      [join(ROOT, 'node_modules/typescript/bin/tsc'), ...options, 'src/use.ts'],
      { cwd: join(place, 'provider'), encoding: 'utf8' },
    );
    expect(checked.stdout).toBe('');
    const used = spawnSync(process.execPath, ['src/use.ts'], {
      cwd: join(place, 'provider'),
      encoding: 'utf8',
      env: env(),
    });
    expect(used.stdout, used.stderr).toBe('namespaces function 2\n');
  });
});
