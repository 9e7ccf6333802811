import { expect, it } from 'vitest';
import { Recording, START } from './double/record.ts';
import { Place } from './place.ts';

it('a control plane that was removed while its run was followed is no success', async () => {
  const run = new Recording('run_gone', 'gone').item('a').started('a').reconciled('a', 'done');
  using place = new Place({ runs: [run.completed('completed').build()], vanishes: true });
  const { code, stdout, stderr } = await place.pal(['watch', 'run_gone']);
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('was removed meanwhile') });
  expect(stdout).not.toContain('sealed');
});

it('a temporary directory that is not there is named, with what helps', async () => {
  const run = new Recording('run_done', 'done').item('a').started('a').reconciled('a', 'done');
  using place = new Place({ runs: [run.completed('completed').build()] });
  for (const TMPDIR of ['relative/tmp', '/no/such/directory']) {
    const { code, stderr } = await place.pal(['diff', 'run_done'], { env: { TMPDIR } });
    expect(code).toBe(2);
    expect(stderr).toContain(`there is no temporary directory ${TMPDIR}`);
    expect(stderr).toContain('set TMPDIR');
  }
});

it('FF-057: what keeps a run from going on is told by status, show, explain and watch, with the reason', async () => {
  const trouble = {
    since: START,
    at: START + 60_000,
    code: 'storage_full',
    message: 'no space\u001b[2J left',
  };
  const stuck = new Recording('run_stuck', 'stuck')
    .with({ sealed: false, trouble: { ...trouble, item: 'a' } })
    .item('a', { trouble, worker: 'here-4711' })
    .item('b')
    .started('a');
  const fine = new Recording('run_fine', 'fine').with({ sealed: false }).item('c').started('c');
  using place = new Place({ runs: [stuck.build(), fine.build()] });
  const pal = async (...args: string[]) => {
    const { stdout, stderr } = await place.pal(args);
    return stdout + stderr;
  };
  const status = await pal('status');
  expect(status).toMatch(/^running 1\n.*run_fine/m);
  expect(status).toMatch(
    /^stuck 1\n.*run_stuck.*\n +a: no progress for \S+: no space.* left \(storage_full\)$/m,
  );
  expect(await pal('show', 'run_stuck')).toMatch(/a: no progress for .*\(storage_full\)/);
  const explained = await pal('explain', 'run_stuck/a');
  expect(explained).toMatch(/why +no progress for .*\(storage_full\)/);
  expect(await pal('explain', 'run_stuck/b')).not.toContain('no progress');
  const watched = await pal('watch', 'run_stuck', '--timeout', '2s');
  expect(watched.match(/no progress, trying again: a: no space/g)).toHaveLength(1);
  expect(status + explained + watched).not.toContain('\u001b');
  const json = JSON.parse(await pal('status', '--json')) as { data: { id: string; trouble?: object }[] };
  expect(json.data.find(({ id }) => id === 'run_stuck')?.trouble).toEqual({ ...trouble, item: 'a' });
});
