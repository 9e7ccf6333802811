import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { git, makeRepository, removeInstallation } from '../support/installation.ts';
import { installLibrary } from '../support/packed-packages.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const EXAMPLES = ['embedding', 'bring-your-own-blobs', 'bring-your-own-executor'];

/** Far from the checkout: nothing above this directory could be found by accident. */
let place = '';
let app = '';
let project = '';
beforeAll(async () => {
  place = mkdtempSync(join(tmpdir(), 'palisade-embedding-'));
  app = await installLibrary(place);
  for (const name of EXAMPLES) cpSync(join(ROOT, 'examples', name), join(app, name), { recursive: true });
});
afterAll(() => removeInstallation(place));
afterEach(() => {
  removeInstallation(project);
  project = '';
});

/** Runs a program of an example on a fresh project, as its user would; gives what it printed. */
function run(program: string, ...args: string[]): string {
  if (project === '') project = makeRepository({ 'README.md': 'A project.\n' });
  const ended = spawnSync(process.execPath, [join(app, program), project, ...args], {
    encoding: 'utf8',
    cwd: app,
    env: { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', HOME: place, LANG: 'C.UTF-8' },
    timeout: 100_000,
  });
  expect(ended.stderr, program).toBe('');
  expect(ended.status, program).toBe(0);
  return ended.stdout;
}

describe('the published library', () => {
  test('DI-004: holds no source and no path of the machine that built it, and declares what it needs', () => {
    const home = join(app, 'node_modules/@palisade/dispatch');
    const files = readdirSync(home, { recursive: true, encoding: 'utf8' });
    expect(files.filter((name) => /(?<!\.d)\.ts$/.test(name))).toEqual([]);
    for (const name of files) expect(readFileSync(join(home, name), 'utf8'), name).not.toContain(ROOT);
    const manifest = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as {
      name: string;
      dependencies: object;
    };
    expect(manifest).not.toHaveProperty('scripts');
    expect(manifest.name).toBe('@palisade/dispatch');
    expect(Object.keys(manifest.dependencies)).toEqual(['@palisade/contracts', 'zod']);
  });

  test('every example type-checks against the packages alone, in the strictest manner', () => {
    const sources = EXAMPLES.flatMap((name) =>
      readdirSync(join(app, name), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
        .map((file) => join(app, name, file)),
    );
    expect(sources.map((path) => basename(path))).toContain('typed.ts');
    // What documents show is code of a user, too.
    const shown = ['README.md', 'docs/embedding.md', 'packages/embed/README.md'].flatMap((document) =>
      [...readFileSync(join(ROOT, document), 'utf8').matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(
        ([, text = '']) => text,
      ),
    );
    expect(shown.length).toBeGreaterThan(3);
    for (const [i, text] of shown.entries()) {
      const opened = "import { open } from '@palisade/dispatch';\nconst palisade = await open('.');\n";
      const file = join(app, `shown-${i}.ts`);
      writeFileSync(file, text.includes('await open(') ? text : opened + text);
      sources.push(file);
    }
    const options =
      '--noEmit --strict --exactOptionalPropertyTypes --module nodenext --target es2024 --lib es2024,esnext.disposable --allowImportingTsExtensions --types node --skipLibCheck false';
    const checked = spawnSync(
      process.execPath,
      [join(ROOT, 'node_modules/typescript/bin/tsc'), ...options.split(' '), ...sources],
      { cwd: app, encoding: 'utf8' },
    );
    expect(checked.stdout).toBe('');
  });

  test('DI-071: ten lines: a unit of work is dispatched, and its patch and evidence are read', () => {
    const lines = readFileSync(join(app, 'embedding/ten-lines.mjs'), 'utf8').trim().split('\n');
    expect(lines.filter((line) => line !== '' && !line.startsWith('//')).length).toBeLessThanOrEqual(10);
    const printed = run('embedding/ten-lines.mjs');
    expect(printed).toContain('+hello, world');
    expect(printed).toMatch(/^evidence: \d+ events, signed$/m);
    expect(git(project, 'status', '--porcelain')).toBe('');
  });

  test('a plan is followed, left, and gone on with', () => {
    const printed = run('embedding/plan.mjs');
    const numbers = [...printed.matchAll(/^(\d+) /gm)].map(([, seq]) => Number(seq));
    expect(numbers).toEqual(numbers.map((_, i) => i + 3));
    expect(printed).toContain('run.completed');
    expect(printed).toContain('{ loud: true } true\n');
  });

  test('DI-081: another process takes work up by its id, and waits for it or stops it', () => {
    const first = run('embedding/pick-up.mjs').trim();
    expect(run('embedding/pick-up.mjs', first)).toBe('completed\n');
    const second = run('embedding/pick-up.mjs').trim();
    expect(run('embedding/pick-up.mjs', second, 'cancel')).toMatch(/^(canceled|completed)\n$/);
  });

  test('an abort signal stops the work', () => {
    expect(run('embedding/cancel.mjs')).toBe('canceled canceled "started\\n"\n');
  });

  test('DI-016: types and error codes', () => {
    expect(run('embedding/typed.ts')).toMatch(/^true \d+\nalready_exists\n$/);
  });

  test('DI-002: a blob store of somebody else keeps the content', () => {
    expect(run('bring-your-own-blobs/main.ts')).toBe('HELLO\n');
  });

  test('a program that is refused comes to its end by itself', () => {
    writeFileSync(
      join(app, 'refused.mjs'),
      `import { open } from '@palisade/dispatch';
       await open({ directory: process.argv[2], executorModules: ['relative.mjs'] }).catch((error) =>
         console.log(error.code));`,
    );
    expect(run('refused.mjs')).toBe('requirements_unmet\n');
  });

  test('DI-190: an executor of somebody else carries an item out', () => {
    expect(run('bring-your-own-executor/main.ts')).toBe('3 words { words: 3 }\n');
  });
});
