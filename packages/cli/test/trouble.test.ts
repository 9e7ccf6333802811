import { expect, it } from 'vitest';
import { Recording, START } from './double/record.ts';
import { Place } from './place.ts';

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
