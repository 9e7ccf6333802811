import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { EventView, ItemView, RunView } from '@palisade/contracts';
import { afterEach, describe, expect, it } from 'vitest';
import { namespaceSandboxes } from '../../examples/bring-your-own-sandbox/src/index.ts';
import { type CliResult, git, palisade, removeInstallation } from '../support/installation.ts';

const EXAMPLES = resolve(import.meta.dirname, '../../examples');
const namespaces = await namespaceSandboxes().probe();

let root = '';
afterEach(() => {
  removeInstallation(root);
  root = '';
});

/** A user's session in one directory: every command must end with the code given. */
async function pal(...args: string[]): Promise<CliResult> {
  return expecting(0, args);
}

async function expecting(
  code: number,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CliResult> {
  const ended = await palisade(root, args, { PALISADE_ACTOR: 'human:ada', ...env });
  expect(ended.code, `palisade ${args.join(' ')}\n${ended.stdout}\n${ended.stderr}`).toBe(code);
  return ended;
}

async function json<T>(...args: string[]): Promise<T> {
  return JSON.parse((await pal(...args, '--json')).stdout) as T;
}

/** The evidence of the last run holds by the installation's own keys. */
async function isProven(): Promise<void> {
  expect((await pal('verify', '-')).stdout).toContain('TAMPER-DETECTING');
}

/** Exports the evidence and checks it as a stranger does, then with one byte changed. */
async function provesItself(): Promise<void> {
  await pal('evidence', 'export', '-', '-o', 'run.evidence', '--trust-root', 'keys.json');
  const good = await pal('verify', 'run.evidence', '--trust', 'keys.json');
  expect(good.stdout).toContain('TAMPER-DETECTING');
  const bytes = readFileSync(join(root, 'run.evidence'), 'utf8');
  const at = bytes.indexOf('"at":') + '"at":'.length;
  const digit = bytes[at] === '9' ? '8' : '9';
  writeFileSync(join(root, 'run.evidence'), bytes.slice(0, at) + digit + bytes.slice(at + 1));
  const bad = await expecting(1, ['verify', 'run.evidence', '--trust', 'keys.json']);
  expect(bad.stdout).toContain('TAMPERED');
}

/** What the script of an example prints; it has a throw-away directory of its own. */
function runScript(example: string): string {
  return execFileSync('sh', [join(EXAMPLES, example, 'run.sh')], {
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1', PALISADE_ACTOR: 'human:ada' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

function emptyRepository(): string {
  const directory = mkdtempSync(join(tmpdir(), 'palisade-example-'));
  git(directory, 'init', '-q', '-b', 'main');
  git(directory, 'commit', '-q', '--allow-empty', '-m', 'Start');
  return directory;
}

describe('examples', () => {
  it('DI-113: hello-world: the file is in the patch first, and in the working tree after apply', async () => {
    root = emptyRepository();
    await pal('init');
    await pal('run', join(EXAMPLES, 'hello-world/plan.json'));
    expect(git(root, 'status', '--porcelain')).toBe('');
    expect((await pal('diff', '-')).stdout).toContain('+hello, world');
    await pal('apply', '-');
    expect(readFileSync(join(root, 'greeting.txt'), 'utf8')).toBe('hello, world\n');
    expect(git(root, 'status', '--porcelain')).toBe('?? greeting.txt\n');
    const { items } = await json<{ items: ItemView[] }>('show', '-');
    expect(items[0]?.product?.verify?.passed).toBe(true);
    await provesItself();
  }, 240_000);

  it('DI-171: fanout-locks: items with a common key never run together, and every patch lands', async () => {
    root = join(mkdtempSync(join(tmpdir(), 'palisade-example-')), 'textkit');
    execFileSync('sh', [join(EXAMPLES, 'fanout-locks/make-repository.sh'), root]);
    expect(() => execFileSync('sh', ['tests/run.sh'], { cwd: root, stdio: 'ignore' })).toThrow();
    await pal('init');
    await pal('run', join(EXAMPLES, 'fanout-locks/plan.json'));
    const { run, items } = await json<{ run: RunView; items: ItemView[] }>('show', '-');
    expect(items.map((item) => [item.id, item.state, item.product?.verify?.passed])).toEqual([
      ['fix-slugify', 'done', true],
      ['fix-titlecase', 'done', true],
      ['fix-wordcount', 'done', true],
      ['write-usage', 'done', undefined],
      ['change-log', 'done', undefined],
      ['report', 'done', undefined],
    ]);
    const { stdout } = await pal('events', run.id, '--format', 'ndjson');
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as EventView);
    const order = events
      .filter((event) => event.type === 'item.fired' || event.type === 'item.reconciled')
      .filter(({ data: { item } }) => typeof item === 'string' && item.startsWith('fix-'))
      .map((event) => event.type);
    expect(order).toEqual(Array.from({ length: 3 }, () => ['item.fired', 'item.reconciled']).flat());

    await pal('apply', '-');
    execFileSync('sh', ['tests/run.sh'], { cwd: root });
    expect(readFileSync(join(root, 'CHANGELOG.md'), 'utf8')).toContain('- slugify, titlecase');
    expect(git(root, 'diff', '--cached', '--name-only')).toBe('');
    await pal('artifact', 'get', `${run.id}/report:report.txt`, '-o', 'report.txt');
    expect(readFileSync(join(root, 'report.txt'), 'utf8')).toContain("ok   wordcount 'one two  three'\n");
    await pal('apply', run.id, '--revert');
    expect(git(root, 'status', '--porcelain')).toBe('?? report.txt\n');
    await isProven();
  }, 240_000);

  it('DI-161: handoff: a patch that was applied to the base is not in the next patch again', async () => {
    root = emptyRepository();
    await pal('init');
    await pal('run', join(EXAMPLES, 'handoff/plan.json'));
    const { patches } = await json<{ patches: { item: string; files: { path: string }[] }[] }>('diff', '-');
    expect(patches.map((patch) => [patch.item, patch.files.map((file) => file.path)])).toEqual([
      ['implement', ['bin/tally']],
      ['document', ['TALLY.md']],
    ]);
    await pal('apply', '-');
    expect(readFileSync(join(root, 'TALLY.md'), 'utf8')).toContain('name,count\na,1\nb,2\n');
    await isProven();
  }, 240_000);

  it('DI-112, DI-272: data-pipeline: declared blocks sum and check the data, and a gate stops what is no data', () => {
    const printed = runScript('data-pipeline');
    expect(printed).toContain('cup,13\npot,20\ntea,7\n');
    expect(printed).toContain('TAMPER-DETECTING');
    expect(printed).toContain('the run failed: exit 1\n');
    expect(printed).toContain('line 4 is no order: pot,twenty\n');
    expect(printed).toMatch(/^skipped +total /m);
  }, 240_000);

  it('DI-229, DI-272: auditor: two files and a program are enough, and nothing rewritten and no foreign key passes', () => {
    const [, honest = '', report = '', rewritten = '', foreign = ''] =
      runScript('auditor').split(/^-- (?!at the company).*\n/m);
    expect(honest).toMatch(/^TAMPER-DETECTING /);
    expect(honest).not.toContain('FAIL');
    expect(report).toBe('1\n');
    expect(rewritten).toMatch(/^TAMPERED [\s\S]*FAIL chain[\s\S]*exit 1\n$/);
    expect(foreign).toMatch(/^TAMPERED [\s\S]*FAIL inclusion[\s\S]*exit 1\n$/);
  }, 240_000);

  it('DI-202: map-reduce: one part is broken, and the total of the others counts', async () => {
    root = emptyRepository();
    await pal('init');
    await pal('run', join(EXAMPLES, 'map-reduce/plan.json'));
    const { run, items } = await json<{ run: RunView; items: ItemView[] }>('show', '-');
    expect(items.map(({ id, state, settled_by: by }) => [id, state, by])).toEqual([
      ['split', 'done', undefined],
      ['map-one.txt', 'done', undefined],
      ['map-three.txt', 'failed', 'reduce'],
      ['map-two.txt', 'done', undefined],
      ['reduce', 'done', undefined],
    ]);
    await pal('artifact', 'get', `${run.id}/reduce:total.txt`, '-o', 'total.txt');
    expect(readFileSync(join(root, 'total.txt'), 'utf8')).toBe('a 1\ncat 2\ndog 1\nthe 2\n');
    await isProven();
  }, 240_000);

  it('DI-203: quorum: a rejected change is mended, reviewed anew and committed', async () => {
    root = emptyRepository();
    await pal('init');
    await pal('run', join(EXAMPLES, 'quorum/plan.json'));
    const { items } = await json<{ items: ItemView[] }>('show', '-');
    const verdicts = items.map(({ id, product }) => [id, product?.verify?.passed]);
    expect(verdicts.slice(1, 4)).toEqual([
      ['change::rev-1', false],
      ['change::rev-2', true],
      ['change::rev-3', undefined],
    ]);
    expect(items.at(-1)).toMatchObject({ id: 'change-fix-1::commit', state: 'done' });
    await pal('apply', '-');
    expect(readFileSync(join(root, 'add.sh'), 'utf8')).toMatch(/^# add: the sum of two numbers\nadd\(\)/);
    expect(readFileSync(join(root, 'REVIEWED'), 'utf8')).toBe('approved: add.sh\n');
    await isProven();
  }, 240_000);

  it('DI-201: gated-circle-back: a red gate is mended and tried again, and the patches add up', async () => {
    root = emptyRepository();
    await pal('init');
    await pal('run', join(EXAMPLES, 'gated-circle-back/plan.json'));
    const { items } = await json<{ items: ItemView[] }>('show', '-');
    expect(items.map(({ id, state, settled_by: by }) => [id, state, by])).toEqual([
      ['implement', 'done', undefined],
      ['test', 'done', 'test~2'],
      ['announce', 'skipped', 'announce~2'],
      ['report', 'done', undefined],
      ['test-fix-1', 'done', undefined],
      ['test~2', 'done', undefined],
      ['announce~2', 'done', undefined],
    ]);
    const { patches } = await json<{ patches: { item: string }[] }>('diff', '-');
    expect(patches.map(({ item }) => item)).toEqual(['implement', 'test-fix-1', 'announce~2']);
    await pal('apply', '-');
    expect(execFileSync('sh', ['greet', 'Ada'], { cwd: root, encoding: 'utf8' })).toBe('hello Ada\n');
    await isProven();
  }, 240_000);

  it('DI-205: appendable-stream: items are added while the run goes on, once each, until it is closed', async () => {
    root = emptyRepository();
    await pal('init');
    await pal('run', join(EXAMPLES, 'appendable-stream/plan.json'), '--detach');
    const run = (await pal('status', '--format', 'id', '--limit', '1')).stdout.trim();
    const add = (file: string, ...more: string[]) =>
      json<{ added: string[]; already: string[]; closed: boolean }>(
        'extend',
        run,
        join(EXAMPLES, 'appendable-stream', file),
        ...more,
      );
    expect(await add('second.json')).toMatchObject({ added: ['second'], already: [] });
    expect(await add('second.json')).toMatchObject({ added: [], already: ['second'] });
    expect(await add('third.json', '--close')).toMatchObject({ added: ['third'], closed: true });
    await pal('watch', run);
    await pal('apply', run);
    expect(readFileSync(join(root, 'log.txt'), 'utf8')).toBe('first\nsecond\nthird\n');
    await isProven();
  }, 240_000);

  it('DI-272 DI-050: manifest-deploy: what a manifest says is registered once, and runs', async () => {
    root = emptyRepository();
    writeFileSync(join(root, 'README.md'), 'a product\n');
    git(root, 'add', '-A');
    git(root, 'commit', '-q', '-m', 'Add the product');
    await pal('init');
    const token = 'a-token-of-nobody';
    const deploy = (...more: string[]) =>
      expecting(0, ['deploy', '--from', join(EXAMPLES, 'manifest-deploy/palisade.yaml'), ...more], {
        PUBLISH_TOKEN: token,
      });
    expect((await deploy('--dry-run')).stdout).toContain('would create  agent changelog-writer');
    expect((await deploy()).stdout).toContain('5 names: 5 created');
    expect((await deploy()).stdout).toContain('5 names: 5 unchanged');
    await pal('run', join(EXAMPLES, 'manifest-deploy/plan.json'));
    expect((await pal('diff', '-')).stdout).toContain('+## 1.2.0-rehearsal');
    const { items } = await json<{ items: ItemView[] }>('show', '-');
    expect(items[0]?.product?.verify?.passed).toBe(true);
    // A name that is gone means nothing to new runs; the run that was given it can still be shown and verified.
    writeFileSync(join(root, 'less.yaml'), 'name: release-team\n');
    const left = await expecting(2, ['deploy', '--from', 'less.yaml', '--prune']);
    expect(left.stderr).toContain('--yes');
    expect((await pal('deploy', '--from', 'less.yaml', '--prune', '--yes')).stdout).toContain('4 removed');
    const again = await expecting(2, ['run', join(EXAMPLES, 'manifest-deploy/plan.json')]);
    expect(again.stderr).toContain('there is no agent changelog-writer');
    await isProven();
    const kept = readdirSync(join(root, '.palisade'), { recursive: true, withFileTypes: true });
    for (const file of kept.filter((entry) => entry.isFile()))
      expect(readFileSync(join(file.parentPath, file.name), 'latin1'), file.name).not.toContain(token);
  }, 240_000);

  it('DI-119 DI-192: approvals: the run waits twice, and what people said is in the product and the evidence', async () => {
    root = emptyRepository();
    await pal('init');
    await expecting(6, ['run', join(EXAMPLES, 'approvals/plan.json'), '--run-id', 'release']);
    await pal('answer', 'release/write', '--option', '1');
    await expecting(6, ['watch', 'release']);
    const { data } = await json<{ data: { hash: string }[] }>('inbox');
    const hash = (data[0]?.hash ?? '').slice('sha256:'.length, 'sha256:'.length + 12);
    await pal('approve', 'release/sign-off', '--hash', hash);
    await pal('watch', 'release');
    await pal('apply', 'release');
    expect(readFileSync(join(root, 'public/notes.md'), 'utf8')).toContain('Its name is Hedgehog.');
    expect(readFileSync(join(root, 'public/approval.json'), 'utf8')).toContain('"approver":"human:ada"');
    await isProven();
  }, 240_000);

  it.skipIf(!namespaces.available)(
    'bring-your-own-sandbox: a provider from outside runs the attempt and is named in the evidence',
    async () => {
      root = emptyRepository();
      const env = { PALISADE_SANDBOX_MODULES: join(EXAMPLES, 'bring-your-own-sandbox/src/index.ts') };
      await expecting(0, ['init'], env);
      const plan = join(EXAMPLES, 'bring-your-own-sandbox/plan.json');
      await expecting(0, ['run', plan, '--sandbox', 'namespaces'], env);
      const { run, items } = await json<{ run: RunView; items: ItemView[] }>('show', '-');
      expect(items[0]?.sandbox).toBe('namespaces');
      const logs = (await pal('logs', `${run.id}/look`)).stdout;
      expect(Number(/processes: (\d+)/.exec(logs)?.[1])).toBeLessThan(20);
      expect(logs).toContain('interfaces: 1\n');
      await provesItself();
    },
    240_000,
  );

  it('bring-your-own-sandbox: without the variable there is no such provider', async () => {
    root = emptyRepository();
    await pal('init');
    const plan = join(EXAMPLES, 'bring-your-own-sandbox/plan.json');
    const refused = await expecting(6, ['run', plan, '--sandbox', 'namespaces']);
    expect(refused.stderr).toContain('there is no sandbox namespaces');
  }, 60_000);

  it('the provider from outside imports the contracts and nothing else of ours', () => {
    const directory = join(EXAMPLES, 'bring-your-own-sandbox');
    const declared = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    expect(Object.keys(declared.dependencies)).toEqual(['@palisade/contracts']);
    const imported = readdirSync(join(directory, 'src')).flatMap((file) =>
      [...readFileSync(join(directory, 'src', file), 'utf8').matchAll(/from '([^']+)'/g)].map(
        ([, name]) => name ?? '',
      ),
    );
    expect(imported.length).toBeGreaterThan(5);
    expect(imported.filter((name) => !/^(\.\/|node:|@palisade\/contracts$)/.test(name))).toEqual([]);
  });
});
