import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Recording } from './double/record.ts';
import { Place } from './place.ts';

const secret = { name: 'x', ref: 'secret:x', version: 1, created_at: 0 };
const submitted = {
  run_id: 'run_a',
  created: true,
  items: 1,
  sandbox: 'bubblewrap',
  isolation: 'sandboxed',
  warnings: [],
};

function plan(place: Place, value: object | string): void {
  writeFileSync(
    join(place.directory, 'plan.json'),
    typeof value === 'string' ? value : JSON.stringify(value),
  );
}

describe('what somebody meets who follows the documentation', () => {
  it('DI-261: plans are checked and drawn without a control plane, and an invalid one always ends with 2', async () => {
    using place = new Place({ runs: [], absent: true });
    plan(place, { items: [{ id: 'a', command: 'true' }] });
    const valid = await place.pal(['plan', 'validate', 'plan.json']);
    expect([valid.code, valid.stdout]).toEqual([0, 'ok       plan.json  1 item\n']);
    for (const [items, words] of [
      [[{ id: 'a', command: 'true', depends_on: ['b'] }], 'unknown item "b"'],
      [
        [
          { id: 'a', command: 'true', depends_on: ['b'] },
          { id: 'b', command: 'true', depends_on: ['a'] },
        ],
        'form a cycle',
      ],
    ] as const) {
      plan(place, { items });
      const validated = await place.pal(['plan', 'validate', 'plan.json']);
      const rendered = await place.pal(['plan', 'render', 'plan.json']);
      expect(validated.code).toBe(2);
      expect(validated.stdout).toContain(words);
      expect(rendered).toEqual(validated);
    }
    plan(place, '{\n  "items": [{"id": "a",}]\n}');
    const broken = await place.pal(['run', 'plan.json']);
    expect(broken.code).toBe(2);
    expect(broken.stderr).toContain(
      'plan.json is not JSON at 2:24: found "}" where a name in double quotes should be',
    );
  }, 60_000);

  it('DI-261: a mistyped name in a plan is told with the one that is near, and the next step names the file', async () => {
    using place = new Place({
      runs: [],
      failures: { 'plans.submit': { code: 'invalid_plan', message: 'the plan has a problem' } },
    });
    plan(place, { itms: [] });
    const next = 'correct plan.json, and check it: pal plan validate plan.json\n';
    const topless = await place.pal(['plan', 'validate', 'plan.json']);
    expect(topless.stdout).toContain('items: is missing\n');
    expect(topless.stdout).toContain('Unrecognized key: "itms" (did you mean "items"?)\n');
    expect(topless.stderr).toBe(`next: ${next}`);
    plan(place, { items: [{ id: 'a', comand: 'true' }] });
    const validated = await place.pal(['plan', 'validate', 'plan.json']);
    expect(validated.stdout).toContain('(did you mean "command"?)');
    expect((await place.pal(['run', 'plan.json'])).stderr).toContain(`next  ${next}`);
  }, 60_000);

  it('a run in a bare repository is refused with what to do, instead of starting from nothing', async () => {
    using place = new Place({ runs: [], answers: { 'plans.submit': submitted } });
    plan(place, { items: [{ id: 'a', command: 'true' }] });
    for (const name of ['HEAD', 'objects', 'refs/heads'])
      mkdirSync(join(place.directory, name), { recursive: true });
    const refused = await place.pal(['run', 'plan.json', '--detach']);
    expect(refused.code).toBe(6);
    expect(refused.stderr).toContain('is a bare git repository');
    expect(refused.stderr).toContain('--repo .');
    for (const where of [['--repo', '.'], ['--empty']])
      expect((await place.pal(['run', 'plan.json', '--detach', ...where])).code).toBe(0);
  }, 60_000);

  it('a run in a repository sets the control plane up and says so; with --no-input it names the command', async () => {
    using place = new Place({ runs: [], absent: true, answers: { 'plans.submit': submitted } });
    plan(place, { items: [{ id: 'a', command: 'true' }] });
    const sub = join(place.directory, 'deep/er');
    mkdirSync(sub, { recursive: true });
    mkdirSync(join(place.directory, '.git'));
    const told = await place.pal(['run', '../../plan.json', '--detach', '--no-input'], { cwd: sub });
    expect(told.code).toBe(3);
    expect(told.stderr).toContain('next  pal init');
    const rehearsed = await place.pal(['run', '../../plan.json', '--dry-run'], { cwd: sub });
    expect(rehearsed.code).toBe(3);
    const run = await place.pal(['run', '../../plan.json', '--detach', '--format', 'id'], { cwd: sub });
    expect([run.code, run.stdout]).toEqual([0, 'run_a\n']);
    expect(run.stderr).toContain(`note: control plane created in ${place.directory} (pal init)\n`);
    expect(place.calls()).toContain(JSON.stringify({ open: place.directory, create: true }));

    using outside = new Place({ runs: [], absent: true, answers: { 'plans.submit': submitted } });
    plan(outside, { items: [{ id: 'a', command: 'true' }] });
    const nowhere = await outside.pal(['run', 'plan.json', '--detach']);
    expect(nowhere.code).toBe(3);
    expect(nowhere.stderr).toContain('next  pal init');
    // A plan that is not one is said before anything is set up.
    using broken = new Place({ runs: [], absent: true });
    mkdirSync(join(broken.directory, '.git'));
    plan(broken, 'nonsense');
    expect((await broken.pal(['run', 'plan.json'])).code).toBe(2);
    expect(broken.calls()).toBe('');
  }, 60_000);

  it('a secret is read from standard input without a flag', async () => {
    using place = new Place({ runs: [], answers: { 'secrets.put': secret } });
    expect((await place.pal(['secret', 'put', 'x'], { input: 'hush\n' })).code).toBe(0);
    expect(place.calls()).toContain('"value":"hush"');
  }, 60_000);

  it('a missing secret names the command that puts it, and every hint uses the short name', async () => {
    using place = new Place({
      runs: [],
      failures: {
        'envs.register': { code: 'secret_missing', message: 'there is no secret secret:model-key' },
        'runs.get': { code: 'not_found', message: 'no run x', next: 'palisade status' },
      },
    });
    const missing = await place.pal(['env', 'register', 'e', '--secret', 'K=secret:model-key']);
    expect(missing.code).toBe(6);
    expect(missing.stderr).toContain('next  pal secret put model-key\n');
    expect((await place.pal(['show', 'x'])).stderr).toContain('next  pal status\n');
  }, 60_000);

  it('an empty workspace is announced where there is no repository', async () => {
    using place = new Place({ runs: [], answers: { 'plans.submit': submitted } });
    plan(place, { items: [{ id: 'a', command: 'true' }] });
    const implied = await place.pal(['run', 'plan.json', '--detach']);
    expect(implied.stderr).toContain('warning: the workspace is empty: ');
    const meant = await place.pal(['run', 'plan.json', '--detach', '--empty']);
    expect(meant.stderr).not.toContain('warning');
  }, 60_000);

  it('an item of the newest run is an argument wherever it stands', async () => {
    const recording = new Recording('run_a', 'a').item('look').started('look').log('look', 'hello');
    using place = new Place({ runs: [recording.reconciled('look', 'done').completed('completed').build()] });
    for (const args of [
      ['logs', '-/look'],
      ['logs', '--tail', '1', '-/look'],
      ['-q', 'logs', '-/look', '--json'],
      ['logs', '--', '-/look'],
    ])
      expect((await place.pal(args)).stdout, args.join(' ')).toContain('hello');
    for (const args of [
      ['explain', '-/look'],
      ['cancel', '--reason', 'why', '-/look'],
    ])
      expect((await place.pal(args)).stdout, args.join(' ')).toContain('look');
    const artifact = await place.pal(['artifact', 'get', '-/look']);
    expect(artifact.stderr).toContain('run run_a has no product of "look"');
  }, 60_000);

  it('a run without a patch suggests no patch commands, and a reason is given once', async () => {
    const recording = new Recording('run_a', 'a')
      .item('done')
      .item('next', { state: 'pending', blocked_by: ['done'], reason: 'waits for done' });
    using waiting = new Place({ runs: [recording.build()] });
    expect((await waiting.pal(['explain', '-/next'])).stdout.match(/waits for done/g)).toHaveLength(1);
    const ended = new Recording('run_b', 'b').item('one').started('one').reconciled('one', 'done');
    using place = new Place({ runs: [ended.completed('completed').build()] });
    expect((await place.pal(['watch', '-'])).stderr).not.toContain('next:');
  }, 60_000);

  it('a missing output is explained with the place where outputs are left', async () => {
    const recording = new Recording('run_a', 'a').item('next').started('next');
    recording.reconciled('next', 'failed', { reason: 'item look left no output x.txt for input x' });
    using place = new Place({ runs: [recording.completed('failed').build()] });
    const { stdout } = await place.pal(['explain', '-/next']);
    expect(stdout).toContain('below outputs/ in the workspace of its item ($PALISADE_OUTPUTS)');
  }, 60_000);

  it('the example reference in help is one that is accepted', async () => {
    using place = new Place({ runs: [] });
    expect((await place.pal(['env', 'register', '--help'])).stdout).toContain('TOKEN=secret:token');
  });

  it('the id of an attempt is not called a run where people read it', async () => {
    const recording = new Recording('run_a', 'a').item('look', { run: 'run_child' }).started('look');
    using place = new Place({ runs: [recording.build()] });
    const { stdout } = await place.pal(['events', '-', '--type', 'item.fired']);
    expect(stdout).toMatch(/ attempt=1 attempt_id=\S+/);
    expect(stdout).not.toMatch(/ run=/);
    expect((await place.pal(['show', '-', '--format', 'md'])).stdout).toMatch(/\| attempt_id \|/);
    expect((await place.pal(['show', '-', '--format', 'md'])).stdout).not.toMatch(/\| run \|/);
  }, 60_000);
});
