import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { contentHash } from '@palisade/contracts';
import { describe, expect, it } from 'vitest';
import { flagName } from '../src/tree/declaration.ts';
import { globalFlagName, globalFlags } from '../src/tree/global-flags.ts';
import { commands } from '../src/tree/tree.ts';
import { HARDEN, hardenScenario } from './double/harden.ts';
import type { Scenario } from './double/scenario.ts';
import { Place } from './place.ts';

const run = HARDEN.slice(0, 20);
const REF = `sha256:${'ab'.repeat(32)}`;
const registered = { name: 'x', revision: 1, hash: REF, created: true };
const catalogue = { data: [], has_more: false };
const secret = { name: 'x', ref: 'local-secret://x', version: 1, created_at: 0 };
const patchText =
  'diff --git a/f b/f\nnew file mode 100644\nindex 0000000..5626abf\n--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+one\n';
const hookText =
  'diff --git a/.husky/x b/.husky/x\nnew file mode 100644\nindex 0000000..5626abf\n--- /dev/null\n+++ b/.husky/x\n@@ -0,0 +1 @@\n+one\n';

function scenario(): Scenario {
  const base = hardenScenario();
  const product = (item: string, text: string) => ({
    item,
    state: 'done',
    result_ref: contentHash(text),
    outputs: [],
    base_patches: [],
  });
  return {
    runs: base.runs.map((entry, index) =>
      index === 0
        ? {
            ...entry,
            logs: {
              lint: [
                { at: 0, kind: 'stdout', block: 'agent', text: '\u001B[31mred\n' },
                ...(entry.logs?.['lint'] ?? []),
              ],
            },
            products: [product('spec', patchText), product('fix-login', hookText)],
          }
        : entry,
    ),
    blobs: Object.fromEntries(
      [patchText, hookText].map((text) => [contentHash(text), Buffer.from(text).toString('base64')]),
    ),
    answers: {
      'plans.submit': {
        run_id: HARDEN,
        created: true,
        items: 4,
        sandbox: 'bubblewrap',
        isolation: 'sandboxed',
        warnings: [],
      },
      'runs.rerun': { run_id: HARDEN, items: 4 },
      'agents.register': registered,
      'capabilities.register': registered,
      'envs.register': registered,
      'agents.list': catalogue,
      'capabilities.list': catalogue,
      'envs.list': catalogue,
      'envs.remove': { name: 'x', removed: true },
      'secrets.put': secret,
      'storage.collect': {
        dry_run: false,
        runs: 0,
        receipts: 0,
        secrets: 0,
        attempts: 0,
        blobs: { kept: 0, removed: 0, bytes: 0 },
      },
      'secrets.list': { data: [secret] },
    },
  };
}

/** For each command: a line that works, and for each flag what is added to it to see the flag's effect. */
interface Case {
  readonly base: readonly string[];
  readonly flags: Readonly<Record<string, readonly string[]>>;
  readonly input?: string;
}

const follow = { 'fail-fast': [] };
const page = { limit: ['3'], cursor: ['abc'] };
const cases: Readonly<Record<string, Case>> = {
  run: {
    base: ['run', 'plan.json'],
    flags: {
      watch: ['--detach'],
      detach: [],
      'dry-run': [],
      repo: ['sub'],
      base: ['HEAD~1'],
      empty: [],
      'run-id': ['mine'],
      title: ['A title'],
      sandbox: ['process'],
      'allow-network': [],
      'require-isolation': [],
      ...follow,
    },
  },
  watch: { base: ['watch', run], flags: follow },
  status: { base: ['status'], flags: { state: ['failed'], limit: ['1'], cursor: ['1'] } },
  show: { base: ['show', run], flags: { failed: [] } },
  logs: { base: ['logs', run], flags: { attempt: ['1'], follow: [], tail: ['1'], raw: [] } },
  events: { base: ['events', run], flags: { after: ['3'], type: ['run.completed'], follow: [] } },
  cancel: { base: ['cancel', run], flags: { reason: ['enough'] } },
  rerun: {
    base: ['rerun', run],
    flags: { 'only-failed': [], 'run-id': ['mine'], 'require-isolation': [], detach: [], ...follow },
  },
  diff: { base: ['diff', run], flags: { item: ['spec'], stat: [], raw: [] } },
  apply: {
    base: ['apply', run],
    flags: { item: ['spec'], 'dry-run': [], revert: [], yes: [] },
  },
  'artifact get': {
    base: ['artifact', 'get', `${run}/spec`],
    flags: { output: ['out.bin'], force: ['-o', 'taken'] },
  },
  'agent register': {
    base: ['agent', 'register', 'x', '--command', 'true'],
    flags: {
      file: ['agent.json'],
      command: ['false'],
      'prompt-file': ['plan.json'],
      'system-file': ['plan.json'],
      model: ['m'],
      capability: ['c'],
      verify: ['true'],
    },
  },
  'capability register': {
    base: ['capability', 'register', 'x', 'sub'],
    flags: { 'allow-pattern': ['jwt'] },
  },
  'env register': {
    base: ['env', 'register', 'x'],
    flags: {
      value: ['A=1'],
      secret: ['B=local-secret://b'],
      'secret-file': ['C=plan.json'],
      'secret-stdin': ['D'],
      'allow-pattern': ['jwt'],
    },
    input: 'hush',
  },
  'env remove': { base: ['env', 'remove', 'x'], flags: {} },
  'agent list': { base: ['agent', 'list'], flags: page },
  'capability list': { base: ['capability', 'list'], flags: page },
  'env list': { base: ['env', 'list'], flags: page },
  'secret put': {
    base: ['secret', 'put', 'x', '-f', 'plan.json'],
    flags: { file: ['agent.json'], ttl: ['5m'] },
  },
  gc: { base: ['gc'], flags: { 'dry-run': [] } },
  'config set': { base: ['config', 'set', 'utc', 'true'], flags: { repo: [] } },
};

/** `--timeout` needs a run that does not end: `contract.test.ts` shows its exit code 8, which nothing else gives. */
const endless = new Set(['timeout']);

/** Proved where the real thing runs: evidence needs a sealed run and the demo a whole installation. */
const elsewhere = new Set(['demo', 'evidence export', 'verify']);

async function observe(args: readonly string[], input = ''): Promise<string> {
  using place = new Place(scenario());
  const at = (name: string): string => join(place.directory, name);
  mkdirSync(at('sub/.git'), { recursive: true });
  writeFileSync(at('sub/file'), 'text');
  writeFileSync(at('plan.json'), '{"items":[{"id":"a","command":"true"}]}');
  writeFileSync(at('agent.json'), '{"run":{"harness":"command","command":"true"}}');
  writeFileSync(at('taken'), 'taken');
  execFileSync('git', ['init', '--quiet'], { cwd: place.directory, env: place.env() });
  const { stdout, stderr, code } = await place.pal(args, { input });
  const calls = existsSync(place.callsFile) ? readFileSync(place.callsFile, 'utf8') : '';
  const files = readdirSync(place.directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => !name.startsWith('.git/') && !name.includes('calls.ndjson'))
    .toSorted();
  return [code, stdout, stderr, calls, ...files]
    .join('\n')
    .replaceAll(place.directory, '/place')
    .replaceAll(/"idempotencyKey":"[0-9a-f]{8}-[^"]*"/g, '"idempotencyKey":"random"')
    .replaceAll(/\d+:\d\d:\d\d/g, 'TIME');
}

describe('FF-075: every declared flag changes something that can be observed', () => {
  for (const { path, flags, effect } of commands) {
    const declared = Object.keys(flags)
      .map(flagName)
      .filter((name) => !endless.has(name));
    if (elsewhere.has(path) || (declared.length === 0 && effect === 'read')) continue;
    it(`pal ${path}`, async () => {
      const entry = cases[path] ?? { base: path.split(' '), flags: {} };
      expect(Object.keys(entry.flags).toSorted(), 'each declared flag has a case').toEqual(
        declared.toSorted(),
      );
      const before = await observe(entry.base, entry.input);
      for (const [name, added] of Object.entries(entry.flags)) {
        const isAlone = path === 'agent register' && name === 'file';
        const base = isAlone ? ['agent', 'register', 'x'] : entry.base;
        const isPartial = name === 'watch' || name === 'force';
        const reference = isPartial ? await observe([...base, ...added], entry.input) : before;
        const after = await observe(
          [...base, ...(isPartial ? added : []), `--${name}`, ...(isPartial ? [] : added)],
          entry.input,
        );
        expect(after, `--${name}`).not.toBe(reference);
      }
      if (effect === 'mutation' && path !== 'init' && path !== 'config set' && path !== 'apply')
        expect(await observe([...entry.base, '--idempotency-key', 'mine'], entry.input)).toContain(
          '"idempotencyKey":"mine"',
        );
    }, 240_000);
  }

  it('the flags of every command', async () => {
    const added: Readonly<Record<keyof typeof globalFlags, readonly string[]>> = {
      json: ['--json'],
      format: ['--format', 'id'],
      quiet: ['-q'],
      verbose: ['-v'],
      progress: ['--progress', 'none'],
      color: ['--color', 'always'],
      ascii: [],
      utc: [],
      input: [],
      directory: ['-C', 'sub'],
      actor: ['--actor', 'human:bob'],
      help: ['--help'],
    };
    const bases: Partial<Record<keyof typeof globalFlags, readonly string[]>> = {
      verbose: ['status'],
      progress: ['watch', run],
      quiet: ['watch', run],
    };
    for (const key of Object.keys(globalFlags) as (keyof typeof globalFlags)[]) {
      const words = added[key];
      // Glyphs, zones and questions exist on terminals only: the goldens and the live tests show those.
      if (words.length === 0) continue;
      const base = bases[key] ?? ['status'];
      expect(await observe([...base, ...words]), globalFlagName(key)).not.toBe(await observe(base));
    }
  }, 240_000);
});
