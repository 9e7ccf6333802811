import { describe, expect, it } from 'vitest';
import { shells } from '../src/completion/script.ts';
import { commands } from '../src/tree/tree.ts';
import { type Case, cases, furnished, RUN, settled } from './cases.ts';
import { elsewhere } from './elsewhere.ts';
import { visible } from './live-frames.ts';

/*
 * Standard output, standard error and exit code of every command, for a terminal, a pipe, an agent and a
 * screen reader, at 80 and 200 columns: one file a command, one section for each different outcome.
 */

/** A plan with every way to grow. */
const growing = JSON.stringify({
  pattern: 'pipeline',
  max_items: 50,
  items: [
    { id: 'code', command: 'true', shape: 'dev.code-edit', verify: { command: 'true' } },
    {
      id: 'test',
      command: 'true',
      inputs: {
        gate: { onRed: 'spawn-fix', subject: 'code', fixTemplate: { command: 'true' }, maxFixAttempts: 3 },
      },
    },
    {
      id: 'split',
      command: 'true',
      inputs: { mapReduce: { map: { command: 'true' }, reduce: { command: 'true' }, minDone: 2 } },
    },
    {
      id: 'change',
      command: 'true',
      depends_on: ['test'],
      inputs: { quorum: { reviewers: [{ command: 'true' }, { command: 'true' }], threshold: 1 } },
    },
    {
      id: 'scout',
      command: 'true',
      depends_on: ['test'],
      inputs: { spawn: { from: 'items.json', template: { command: 'true' }, join: { command: 'true' } } },
    },
  ],
});

/** A self-check before what it should be about is captured. */
const early = `[{"kind":"agent"},{"kind":"script","lens":"verify","command":"true"},{"kind":"capture","what":"patch"}]`;

const more: Readonly<Record<string, readonly Case[]>> = {
  run: [{ args: ['run', 'plan.json', '--detach'] }, { args: ['run', 'none.json'] }],
  status: [
    { args: ['status', '--state', 'completed'] },
    { args: ['stauts'] },
    { args: ['status', '--format', 'tsv'] },
  ],
  show: [
    { args: ['show', 'nope'] },
    { args: ['show', RUN, '--failed'] },
    { args: ['show', RUN, '--format', 'md'] },
  ],
  logs: [{ args: ['logs'] }, { args: ['logs', `${RUN}/lint`] }],
  events: [{ args: ['events', RUN, '--format', 'ndjson', '--type', 'run.completed'] }],
  explain: [{ args: ['explain', RUN] }],
  extend: [{ args: ['extend', RUN, 'plan.json', '--close', '--dry-run'] }],
  close: [{ args: ['close', RUN, '--dry-run'] }],
  inbox: [{ args: ['inbox', RUN, '--all'] }],
  answer: [
    { args: ['answer', `${RUN}/fix-login`, '--option', '2'] },
    { args: ['answer', `${RUN}/fix-login`, 'yes', '--dry-run'] },
    { args: ['answer', `${RUN}/fix-login`], keys: '2\r' },
    { args: ['answer', `${RUN}/spec`, '-'], input: 'from a pipe\n' },
  ],
  approve: [{ args: ['approve', `${RUN}/publish`], keys: '\r' }],
  deny: [{ args: ['deny', `${RUN}/publish`, '--reason', 'no', '--dry-run'] }],
  send: [
    { args: ['send', `${RUN}/fix-login`, 'mind the tests', '--dry-run'] },
    { args: ['send', `${RUN}/fix-login`, '-'], input: 'from a pipe\nand more\n' },
    { args: ['send', RUN, 'to whom?'] },
  ],
  messages: [{ args: ['messages', `${RUN}/spec`] }, { args: ['messages', RUN] }],
  api: [
    { args: ['api', 'runs.get', `run=${RUN}`] },
    { args: ['api', 'runs.cancel', `run=${RUN}`, '--dry-run', '--format', 'ndjson'] },
    { args: ['api', 'runs.list', 'limit=1', 'state=completed', 'state=failed', '--json'] },
    { args: ['api', 'queues.set', '--input', '-'], input: '{"name":"slow","concurrency":1}' },
    { args: ['api', 'runs.cancell'] },
    { args: ['api', 'runs.cancel', 'ruin=x'] },
    { args: ['api', 'runs.cancel', 'run'] },
    { args: ['api', 'runs.get', 'run=a', 'run=b'] },
    { args: ['api', 'runs.get', 'project=shop'] },
    { args: ['api', 'secrets.put', 'name=x', 'value=hunter2'] },
    { args: ['api', 'principals.create', 'name=x', '--dry-run'] },
  ],
  cancel: [{ args: ['cancel', RUN, '--dry-run'] }],
  pause: [
    { args: ['pause', '--queue', 'default', '--dry-run'] },
    { args: ['pause', RUN, '--queue', 'default'] },
  ],
  resume: [{ args: ['resume', '--queue', 'default'] }],
  gc: [{ args: ['gc', '--dry-run'] }],
  rerun: [{ args: ['rerun', RUN, '--dry-run'] }],
  'plan validate': [
    { args: ['plan', 'validate', '-'], input: '{"items":[{"id":"a","command":"true","depends_on":["b"]}]}' },
    { args: ['plan', 'validate', '-'], input: growing },
    {
      args: ['plan', 'validate', '-'],
      input: `{"items":[{"id":"a","command":"true","inputs":{"pipeline":${early}}}]}`,
    },
  ],
  'plan render': [
    { args: ['plan', 'render', '-'], input: growing },
    { args: ['plan', 'render', '-', '--json'], input: growing },
  ],
  diff: [{ args: ['diff', RUN, '--stat'] }],
  apply: [
    { args: ['apply', RUN, '--item', 'spec'] },
    { args: ['apply', RUN, '--item', 'spec', '--dry-run'] },
    { args: ['apply', RUN, '--item', 'spec'], after: ['apply', RUN, '--item', 'spec'] },
    { args: ['apply', RUN, '--revert'] },
    { args: ['apply', RUN, '--revert', '--dry-run'], after: ['apply', RUN, '--yes'] },
    { args: ['apply', RUN, '--revert'], after: ['apply', RUN, '--yes'] },
  ],
  'evidence rotate-key': [
    { args: ['evidence', 'rotate-key', '--no-input'] },
    { args: ['evidence', 'rotate-key', '--dry-run'] },
  ],
  verify: [{ args: ['verify', 'bundle.json'] }],
  deploy: [
    { args: ['deploy', '--from', 'shop/palisade.yaml', '--dry-run'] },
    { args: ['deploy', '--from', 'shop/palisade.yaml', '--prune', '--dry-run'] },
    { args: ['deploy', '--from', 'shop/palisade.yaml', '--prune'], keys: 'y\r' },
    { args: ['deploy'] },
  ],
  'capability sync': [
    { args: ['capability', 'sync', 'shop', '--rebind'] },
    { args: ['capability', 'sync', 'shop', '--dry-run'] },
    { args: ['capability', 'sync', 'sub'] },
  ],
  'agent sync': [{ args: ['agent', 'sync', 'shop', '--dry-run'] }],
  'agent rebind': [{ args: ['agent', 'rebind', '--all', '--dry-run'] }, { args: ['agent', 'rebind'] }],
  'agent register': [{ args: ['agent', 'register', 'x', '--command', 'true', '--dry-run'] }],
  'pipeline validate': [
    { args: ['pipeline', 'validate', 'pipeline.json'] },
    { args: ['pipeline', 'validate', '-'], input: early },
    { args: ['pipeline', 'validate', '-'], input: '[{"kind":"seal"},{"kind":"script"}]' },
  ],
  'pipeline register': [{ args: ['pipeline', 'register', 'x', 'pipeline.json', '--dry-run'] }],
  'env register': [{ args: ['env', 'register', 'x', '--secret', 'TOKEN=hunter2'] }],
  'queue set': [{ args: ['queue', 'set', 'new', '--concurrency', '1', '--dry-run'] }],
  'schedule add': [
    { args: ['schedule', 'add', 'nightly', 'plan.json', '--cron', '30 2 * * *', '--dry-run'] },
    { args: ['schedule', 'add', 'nightly', 'plan.json'] },
  ],
  'secret put': [{ args: ['secret', 'put', 'x', '--no-input'] }],
  'webhook set': [
    {
      args: ['webhook', 'set', 'new', '--url', 'https://hooks.example/x'],
      varies: [[/whsec_[A-Za-z0-9+/=]+/g, 'whsec_(random)']],
    },
    { args: ['webhook', 'set', 'ops', '--secret', 'whsec_AAAA'] },
  ],
  'webhook replay': [{ args: ['webhook', 'replay'] }],
  'config unset': [{ args: ['config', 'unset', 'utc'] }],
  'config set': [{ args: ['config', 'set', 'colour', 'never'] }],
  completion: shells.slice(1).map((shell) => ({ args: ['completion', shell] })),
  help: [
    { args: ['help'] },
    { args: ['--help'] },
    { args: ['help', 'run'] },
    { args: ['help', 'evidence'] },
    { args: ['help', 'json'] },
    { args: ['help', 'env'] },
    { args: ['help', 'agents'] },
  ],
};

const readers = (['terminal', 'pipe', 'agent', 'screen reader'] as const).flatMap((reader) =>
  [80, 200].map((columns) => ({ reader, columns })),
);

async function outcome(
  { args, after, input, keys, varies }: Case,
  reader: (typeof readers)[number]['reader'],
  columns: number,
): Promise<string> {
  using place = furnished();
  if (after !== undefined) expect((await place.pal(after)).code).toBe(0);
  // What comes by standard input comes by a pipe.
  const isTerminal = (reader === 'terminal' || reader === 'screen reader') && input === undefined;
  const { stdout, stderr, code } = await place.pal(args, {
    ...(input === undefined ? {} : { input }),
    ...(isTerminal ? { window: { columns, rows: 30 } } : {}),
    ...(keys === undefined ? {} : { keys }),
    env: {
      COLUMNS: String(columns),
      ...(reader === 'agent' ? { AI_AGENT: 'claude' } : {}),
      ...(reader === 'screen reader' ? { ACCESSIBLE: '1', NO_COLOR: '1' } : {}),
    },
  });
  if (reader === 'screen reader') expect(stdout, 'nothing moves').not.toContain('\u001B');
  if (!isTerminal) expect(stdout + stderr, 'a pipe gets plain text').not.toMatch(/[\u001B\r]/);
  const shown = isTerminal
    ? visible(stdout)
    : `${stdout}${stderr === '' ? '' : `--- standard error\n${stderr}`}`;
  return settled(`exit ${code}\n${shown}`, place, varies);
}

describe('what commands print', () => {
  it('has a case for every command', () => {
    expect([...Object.keys(cases), ...elsewhere].toSorted()).toEqual(
      commands.map(({ path }) => path).toSorted(),
    );
  });

  for (const [path, main] of Object.entries(cases)) {
    it(`pal ${path}`, async () => {
      const text: string[] = [];
      for (const entry of [main, ...(more[path] ?? [])]) {
        const seen = new Map<string, string[]>();
        for (const { reader, columns } of readers) {
          const shown = await outcome(entry, reader, columns);
          seen.set(shown, [...(seen.get(shown) ?? []), `${reader} ${columns}`]);
        }
        if (entry.after !== undefined) text.push(`$ pal ${entry.after.join(' ')}`);
        text.push(`$ pal ${entry.args.join(' ')}`);
        for (const [shown, who] of seen) text.push(`=== ${who.join(', ')}: ${shown}`);
      }
      await expect(text.join('\n')).toMatchFileSnapshot(`golden/${path.replaceAll(' ', '-')}.txt`);
    });
  }
});
