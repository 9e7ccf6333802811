import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contentHash } from '@palisade/contracts';
import { bundleBytes } from '@palisade/evidence';
import { sampleStory, TestLog, TRUST_ROOT } from '../../evidence/test/story.ts';
import { HARDEN, hardenScenario } from './double/harden.ts';
import type { Scenario } from './double/scenario.ts';
import { Place } from './place.ts';
import { CLOCK, CREDENTIAL, credentialAnswers, PRINCIPAL } from './sample-credentials.ts';
import { POLICY, projectAnswers, projectCases } from './sample-projects.ts';
import { jobAnswers, jobCases } from './sample-jobs.ts';
import { sessionAnswers, sessionCases } from './sample-sessions.ts';
import {
  agent,
  broken,
  catalogue,
  deliveries,
  endpoint,
  gone,
  history,
  next,
  nightly,
  ops,
  registered,
  messages,
  requests,
  row,
  secret,
  sentMessage,
  slots,
  submitted,
} from './sample-answers.ts';

/** A unique prefix of the run that ended. */
export const RUN = HARDEN.slice(0, 20);

/** A command line that works in {@link furnished}, and for each of its flags what is added to see the flag's effect. */
export interface Case {
  readonly args: readonly string[];
  /** A command line that was carried out before, in the same place. */
  readonly after?: readonly string[];
  readonly flags?: Readonly<Record<string, readonly string[]>>;
  readonly input?: string;
  /** What a person types who is asked something. */
  readonly keys?: string;
  /** What it answers is not the same everywhere: words by which the differing parts are replaced. */
  readonly varies?: readonly (readonly [RegExp, string])[];
}

const [follow, page] = [{ 'fail-fast': [] }, { limit: ['3'], cursor: ['abc'] }];
const credential = { scope: ['read'], 'only-project': ['shop'], 'expires-in': ['5m'] };

/** Every command but those that are proved elsewhere. */
export const cases: Readonly<Record<string, Case>> = {
  run: {
    args: ['run', 'plan.json'],
    flags: {
      watch: ['--detach'],
      detach: [],
      repo: ['sub'],
      base: ['HEAD~1'],
      empty: [],
      'run-id': ['mine'],
      title: ['A title'],
      priority: ['5'],
      sandbox: ['process'],
      'allow-network': [],
      'require-isolation': [],
      ...follow,
    },
  },
  watch: { args: ['watch', RUN], flags: follow },
  status: { args: ['status'], flags: { state: ['completed'], limit: ['1'], cursor: ['1'] } },
  show: { args: ['show', RUN], flags: { failed: [] } },
  logs: { args: ['logs', RUN], flags: { attempt: ['1'], follow: [], tail: ['1'], raw: [] } },
  events: { args: ['events', RUN], flags: { after: ['3'], type: ['run.completed'], follow: [] } },
  explain: { args: ['explain', `${RUN}/publish`] },
  extend: { args: ['extend', RUN, 'plan.json'], flags: { close: [] } },
  close: { args: ['close', RUN] },
  inbox: { args: ['inbox'], flags: { all: [] } },
  answer: {
    args: ['answer', `${RUN}/fix-login`, 'yes'],
    flags: { option: ['2'], hash: ['0123456789ab'] },
  },
  approve: {
    args: ['approve', `${RUN}/publish`, '--hash', 'abababababab'],
    flags: { hash: ['0123456789ab'], reason: ['read it'] },
  },
  deny: {
    args: ['deny', `${RUN}/publish`],
    flags: { hash: ['0123456789ab'], reason: ['not on a Friday'] },
  },
  send: { args: ['send', `${RUN}/fix-login`, 'mind the tests'] },
  messages: { args: ['messages', `${RUN}/fix-login`] },
  'server diagnose': { args: ['server', 'diagnose'] },
  api: { args: ['api', 'requests.list'], flags: { input: ['plan.json'] } },
  cancel: { args: ['cancel', RUN], flags: { reason: ['enough'] } },
  pause: { args: ['pause', RUN], flags: { reason: ['enough'], queue: ['default'] } },
  budget: {
    args: ['budget', RUN, '--cost-usd', '5'],
    flags: { 'cost-usd': ['6'], tokens: ['100'], seconds: ['60'], attempts: ['9'] },
  },
  metrics: { args: ['metrics'], flags: { out: ['palisade.prom'] } },
  usage: { args: ['usage'], flags: { by: ['model'], since: ['24h'] } },
  resume: { args: ['resume', RUN], flags: { queue: ['default'] } },
  rerun: {
    args: ['rerun', RUN],
    flags: { 'only-failed': [], 'run-id': ['mine'], 'require-isolation': [], detach: [], ...follow },
  },
  'plan validate': { args: ['plan', 'validate', 'plan.json'] },
  'plan render': { args: ['plan', 'render', 'plan.json'] },
  diff: { args: ['diff', RUN], flags: { item: ['spec'], stat: [], raw: [] } },
  apply: {
    args: ['apply', RUN],
    keys: '\r',
    flags: { item: ['spec'], revert: [], yes: [] },
  },
  'artifact get': {
    args: ['artifact', 'get', `${RUN}/spec`, '-o', 'out.patch'],
    flags: { output: ['other.patch'], force: ['-o', 'taken'] },
  },
  'evidence show': { args: ['evidence', 'show', RUN] },
  'evidence export': {
    args: ['evidence', 'export', RUN, '-o', 'exported.json'],
    flags: { output: ['other.json'], 'trust-root': ['keys.json'], force: ['-o', 'taken'] },
  },
  'evidence trust-root': {
    args: ['evidence', 'trust-root'],
    flags: { output: ['keys.json'], force: ['-o', 'taken'] },
  },
  'evidence revoke-key': {
    args: ['evidence', 'revoke-key', 'ed25519-1111111111111111', '--since', '2026-01-01T00:00:00Z'],
    flags: { since: ['2026-01-02T01:00:00+01:00'] },
  },
  'evidence status': { args: ['evidence', 'status'] },
  'evidence rotate-key': {
    args: ['evidence', 'rotate-key', '--confirm', 'ed25519-1111111111111111'],
    flags: { confirm: ['ed25519-0000000000000000'] },
  },
  verify: {
    args: ['verify', 'bundle.json', '--trust', 'trust.json'],
    flags: { trust: ['bad.json'], full: [] },
  },
  deploy: {
    args: ['deploy', '--from', 'shop/palisade.yaml'],
    flags: { from: ['shop/other.yaml'], prune: [], adopt: [], yes: ['--prune'] },
  },
  'agent sync': {
    args: ['agent', 'sync', 'shop'],
    flags: { 'model-endpoint': ['main'], adopt: [] },
  },
  'agent stale': { args: ['agent', 'stale'] },
  'agent rebind': { args: ['agent', 'rebind', 'x'], flags: { all: [] } },
  'agent remove': { args: ['agent', 'remove', 'x'] },
  'capability sync': {
    args: ['capability', 'sync', 'shop'],
    flags: { convention: ['codex'], rebind: [], adopt: [] },
  },
  'capability remove': { args: ['capability', 'remove', 'x'] },
  'model-endpoint remove': { args: ['model-endpoint', 'remove', 'x'] },
  'agent register': {
    args: ['agent', 'register', 'x', '--command', 'true'],
    flags: {
      file: ['agent.json'],
      command: ['false'],
      harness: ['codex'],
      'model-endpoint': ['scripted', '--harness', 'codex'],
      'prompt-file': ['plan.json'],
      'system-file': ['plan.json'],
      model: ['m'],
      capability: ['c'],
      verify: ['true'],
    },
  },
  'capability register': {
    args: ['capability', 'register', 'x', 'sub'],
    flags: { 'allow-pattern': ['jwt'] },
  },
  'env register': {
    args: ['env', 'register', 'x'],
    flags: {
      value: ['A=1'],
      secret: ['B=secret:b'],
      'secret-file': ['C=plan.json'],
      'secret-stdin': ['D'],
      'allow-pattern': ['jwt'],
    },
    input: 'hush',
  },
  'agent list': { args: ['agent', 'list'], flags: page },
  'capability list': { args: ['capability', 'list'], flags: page },
  'pipeline register': {
    args: ['pipeline', 'register', 'x', 'pipeline.json'],
    flags: { 'allow-pattern': ['jwt'] },
  },
  'pipeline validate': { args: ['pipeline', 'validate', 'risky.json'], flags: { 'allow-pattern': ['jwt'] } },
  'pipeline list': { args: ['pipeline', 'list'], flags: page },
  'pipeline show': { args: ['pipeline', 'show', 'x'] },
  'pipeline remove': { args: ['pipeline', 'remove', 'x'] },
  'env list': { args: ['env', 'list'], flags: page },
  'agent show': { args: ['agent', 'show', 'x'] },
  'capability show': { args: ['capability', 'show', 'x'] },
  'env show': { args: ['env', 'show', 'x'] },
  'env remove': { args: ['env', 'remove', 'x'] },
  'model-endpoint set': {
    args: ['model-endpoint', 'set', 'x', '--kind=anthropic', '--url=https://m.example', '--secret=secret:k'],
    flags: {
      kind: ['openai'],
      url: ['https://other.example'],
      secret: ['secret:other'],
      credential: ['subscription'],
      private: [],
      'default-model': ['some-model'],
      model: ['fast=some-model'],
    },
  },
  'model-endpoint list': { args: ['model-endpoint', 'list'], flags: page },
  'model-endpoint show': { args: ['model-endpoint', 'show', 'x'] },
  'queue set': {
    args: ['queue', 'set', 'default', '--concurrency', '4'],
    flags: { concurrency: ['5'], rate: ['30/m'], 'max-open-runs': ['9'], 'max-priority': ['5'] },
  },
  'queue list': { args: ['queue', 'list'] },
  'queue show': { args: ['queue', 'show', 'default'] },
  'secret put': {
    args: ['secret', 'put', 'x', '-f', 'plan.json'],
    flags: { file: ['agent.json'], ttl: ['5m'] },
  },
  'secret list': { args: ['secret', 'list'] },
  'schedule add': {
    args: ['schedule', 'add', 'nightly', 'plan.json', '--cron', '30 2 * * *'],
    flags: {
      cron: ['0 * * * *'],
      zone: ['Europe/Berlin'],
      'catch-up': ['all'],
      'catch-up-limit': ['3'],
      overlap: ['skip'],
      repo: ['sub'],
      base: ['HEAD~1'],
      empty: [],
      title: ['A title'],
      sandbox: ['process'],
      'allow-network': [],
      'require-isolation': [],
    },
  },
  'schedule list': { args: ['schedule', 'list'] },
  'schedule show': { args: ['schedule', 'show', 'nightly'] },
  'schedule pause': { args: ['schedule', 'pause', 'nightly'] },
  'schedule resume': { args: ['schedule', 'resume', 'nightly'] },
  'schedule rm': { args: ['schedule', 'rm', 'nightly'] },
  'schedule run-now': { args: ['schedule', 'run-now', 'nightly'] },
  'webhook set': {
    args: ['webhook', 'set', 'ops', '--url', 'https://hooks.example/x', '--secret', '@key.txt'],
    flags: {
      url: ['https://other.example/x'],
      secret: ['@other-key.txt'],
      overlap: ['1h'],
      bearer: ['secret:token'],
      'allow-private': [],
    },
  },
  'webhook list': { args: ['webhook', 'list'] },
  'webhook show': { args: ['webhook', 'show', 'ops'] },
  'webhook rm': { args: ['webhook', 'rm', 'ops'] },
  'webhook test': { args: ['webhook', 'test', 'ops'] },
  'webhook deliveries': {
    args: ['webhook', 'deliveries'],
    flags: { all: [], limit: ['3'], cursor: ['msg_1'] },
  },
  'webhook replay': { args: ['webhook', 'replay', 'msg_1'], flags: { endpoint: [] } },
  ...projectCases,
  'principal create': {
    args: ['principal', 'create', 'ci'],
    flags: { kind: ['service'], ...credential },
  },
  'principal list': { args: ['principal', 'list'], flags: page },
  'credential list': { args: ['credential', 'list'], flags: page },
  'credential issue': {
    args: ['credential', 'issue', PRINCIPAL.id, 'second'],
    flags: credential,
  },
  'credential rotate': { args: ['credential', 'rotate', CREDENTIAL.id, 'next'], flags: { 'keep-old': [] } },
  'credential revoke': { args: ['credential', 'revoke', CREDENTIAL.id] },
  ...sessionCases,
  ...jobCases,
  clock: { args: ['clock'] },
  'recover-clock': {
    args: ['recover-clock', '--reason', 'set right'],
    flags: { reason: ['another'], 'keep-ahead': [] },
  },
  'mcp install': {
    args: ['mcp', 'install', 'claude-code', '--server', 'http://127.0.0.1:7420'],
    flags: { server: ['https://palisade.example'] },
  },
  gc: { args: ['gc'] },
  init: { args: ['init'] },
  doctor: {
    args: ['doctor'],
    varies: [
      [/^.*\b(?:ok|warn|n\/a|fail)\b.*? {2,}(node|sqlite|git|disk|sandbox) {2,}.*$/gm, '(this machine) $1'],
      [/^\d+ failed, \d+ warnings?/gm, '(counts)'],
    ],
  },
  'config get': { args: ['config', 'get'] },
  'config set': { args: ['config', 'set', 'utc', 'true'], flags: { repo: [] } },
  'config unset': {
    args: ['config', 'unset', 'utc'],
    after: ['config', 'set', 'utc', 'true'],
    flags: { repo: [] },
  },
  'config explain': { args: ['config', 'explain', 'color'] },
  completion: { args: ['completion', 'bash'] },
  help: { args: ['help', 'exit-codes'] },
  version: {
    args: ['version'],
    varies: [[/palisade \S+  node \S+  \S+/g, 'palisade VERSION  node VERSION  PLATFORM']],
  },
};

const patchText =
  'diff --git a/f b/f\nnew file mode 100644\nindex 0000000..5626abf\n--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+one\n';
const hookText =
  'diff --git a/.husky/x b/.husky/x\nnew file mode 100644\nindex 0000000..5626abf\n--- /dev/null\n+++ b/.husky/x\n@@ -0,0 +1 @@\n+one\n';

const bundle = await new TestLog().seal(sampleStory());
const trustRoot = { trust_root: TRUST_ROOT };

/** A run that ended, with patches and logs; `open` adds one that goes on, whose times change. */
export function scenario({
  open = false,
  more = {},
}: {
  open?: boolean;
  more?: Partial<Scenario>;
} = {}): Scenario {
  const [harden, tidy] = hardenScenario().runs;
  if (harden === undefined || tidy === undefined) throw new Error('the recording has two runs');
  const product = (item: string, text: string) => ({
    item,
    state: 'done',
    result_ref: contentHash(text),
    outputs: [],
    base_patches: [],
  });
  const logs = {
    lint: [
      { at: 0, kind: 'stdout', block: 'agent', text: '\u001B[31mred\n' },
      ...(harden.logs?.['lint'] ?? []),
    ],
  };
  const ended = { ...harden, logs, products: [product('spec', patchText), product('fix-login', hookText)] };
  return {
    runs: open ? [ended, tidy] : [ended],
    requests,
    blobs: Object.fromEntries(
      [patchText, hookText].map((text) => [contentHash(text), Buffer.from(text).toString('base64')]),
    ),
    answers: {
      'plans.submit': submitted,
      'messages.send': { message: sentMessage },
      'messages.list': { data: messages },
      'webhooks.set': { webhook: ops, created: true },
      'webhooks.list': { data: [ops, gone] },
      'webhooks.get': { webhook: ops, deliveries },
      'webhooks.remove': { name: 'ops', removed: true },
      'webhooks.test': { name: 'ops', delivered: true, status: 204 },
      'webhooks.deliveries': { data: deliveries, has_more: false },
      'webhooks.replay': { ids: ['msg_1'] },
      'schedules.add': { schedule: nightly, next, warnings: [] },
      'schedules.list': { data: [nightly, broken] },
      'schedules.get': { schedule: nightly, next, slots },
      'schedules.pause': { schedule: { ...nightly, state: 'paused', reason: 'by human:ada' } },
      'schedules.resume': { schedule: nightly },
      'schedules.remove': { name: 'nightly', removed: true },
      'schedules.run-now': submitted,
      'runs.rerun': { run_id: HARDEN, items: 4 },
      'agents.register': registered,
      'capabilities.register': registered,
      'envs.register': registered,
      'pipelines.register': registered,
      'pipelines.list': catalogue,
      'pipelines.get': {
        ...history,
        blocks: [
          { kind: 'agent' },
          { kind: 'capture', what: 'patch' },
          { kind: 'script', lens: 'verify', command: 'make check', timeout_ms: 60_000 },
          { kind: 'script', command: 'make\nlint' },
        ],
      },
      'pipelines.remove': { name: 'x', removed: true },
      'agents.list': catalogue,
      'capabilities.list': catalogue,
      'envs.list': catalogue,
      'model_endpoints.register': registered,
      'model_endpoints.list': catalogue,
      'model_endpoints.get': { ...history, endpoint },
      'agents.get': { ...history, agent },
      'capabilities.get': history,
      'envs.get': { ...history, keys: [{ key: 'MODE', kind: 'value' }] },
      'envs.remove': { name: 'x', removed: true },
      'agents.remove': { name: 'x', removed: true },
      'agents.rebind': { ...registered, revision: 2 },
      'agents.stale': {
        data: [
          {
            agent: 'x',
            agent_hash: row.hash,
            capability: 'style',
            bound: row.hash,
            latest: `sha256:${'cd'.repeat(32)}`,
          },
        ],
      },
      'capabilities.remove': { name: 'x', removed: true },
      'model_endpoints.remove': { name: 'x', removed: true },
      'secrets.put': secret,
      'secrets.list': { data: [secret] },
      ...projectAnswers,
      ...credentialAnswers,
      ...sessionAnswers,
      ...jobAnswers,
      'clock.get': CLOCK,
      'clock.reconcile': { ...CLOCK, status: 'trusted' },
      'evidence.export': bundle,
      'evidence.trust-root': trustRoot,
    },
    ...more,
  };
}

const JWT = ['ey', 'JhbGciOiJIUzI1NiJ9.ey', 'JzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N'].join('');
const SHOP = `name: shop
capabilities:
  - name: style
    from: .claude/skills/style
agents:
  - name: writer
    from: .claude/agents/writer.md
    run: { harness: claude-code }
    capabilities: [style]
`;

/** The files that the {@link cases} name, in a git repository: made once and copied. */
const template = mkdtempSync(join(tmpdir(), 'palisade-cli-template-'));
process.on('exit', () => rmSync(template, { recursive: true, force: true }));
mkdirSync(join(template, 'sub/.git'), { recursive: true });
mkdirSync(join(template, '.palisade'));
mkdirSync(join(template, 'shop/.claude/skills/style'), { recursive: true });
mkdirSync(join(template, 'shop/.claude/agents'), { recursive: true });
execFileSync('git', ['init', '--quiet', '-b', 'main', template]);
for (const [name, content] of Object.entries({
  'sub/file': 'text',
  proof: `${'ab'.repeat(32)}\n`,
  'other-proof': `${'cd'.repeat(32)}\n`,
  'plan.json': '{"items":[{"id":"a","command":"true"}]}',
  'agent.json': '{"run":{"harness":"command","command":"true"}}',
  'pipeline.json': '[{"kind":"agent"},{"kind":"capture","what":"outputs"}]',
  'risky.json': JSON.stringify({ blocks: [{ kind: 'script', command: `curl -H ${JWT}` }] }),
  'shop/palisade.yaml': SHOP,
  'shop/other.yaml': SHOP.replace('shop', 'other-shop'),
  'shop/.claude/skills/style/SKILL.md': '# Style\n',
  'shop/.claude/agents/writer.md':
    '---\nname: writer\nmodel: opus\ntools: Read, Grep\nhooks: {}\n---\nYou write.\n',
  taken: 'taken',
  'key.txt': `whsec_${'A'.repeat(43)}=\n`,
  'other-key.txt': `whsec_${'B'.repeat(43)}=\n`,
  'bundle.json': bundleBytes(bundle),
  'trust.json': JSON.stringify(TRUST_ROOT),
  'bad.json': '{}',
  'policy.json': JSON.stringify(POLICY),
  'other-policy.json': JSON.stringify({ ...POLICY.policy, rules: 'Every change has two.' }),
}))
  writeFileSync(join(template, name), content);

/** A place with the files that the {@link cases} name, in a git repository. */
export function furnished(told: Scenario = scenario()): Place {
  const place = new Place(told);
  cpSync(template, place.directory, { recursive: true });
  return place;
}

/** What a command line answered, without the parts that differ from machine to machine and run to run. */
export function settled(text: string, place: Place, varies: Case['varies'] = []): string {
  const plain = text
    .replaceAll(place.directory, '/place')
    .replaceAll(/\b[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, 'random');
  return varies.reduce((all, [pattern, words]) => all.replaceAll(pattern, words), plain);
}
