import { errorCatalogue, type ErrorCode, getRun, listEvents, listRuns } from '@palisade/contracts';
import { describe, expect, it } from 'vitest';
import { HARDEN, hardenScenario } from './double/harden.ts';
import { Recording } from './double/record.ts';
import { Place } from './place.ts';

const ref = HARDEN.slice(0, 20);

describe('what programs rely on', () => {
  it('JSON answers are the contracts’ own, and fields can be picked and listed', async () => {
    using place = new Place(hardenScenario());
    const answer = async (...args: string[]): Promise<unknown> =>
      JSON.parse((await place.pal([...args, '--json'])).stdout);
    listRuns.output.parse(await answer('status'));
    getRun.output.parse(await answer('show', ref));
    getRun.output.parse(await answer('watch', ref));
    listEvents.output.parse(await answer('events', ref));
    const picked = await place.pal(['status', '--json=id,state']);
    expect(JSON.parse(picked.stdout)).toMatchObject({ data: [{ id: HARDEN, state: 'failed' }, {}] });
    expect(Object.keys((JSON.parse(picked.stdout) as { data: object[] }).data[0] ?? {})).toEqual([
      'id',
      'state',
    ]);
    const listed = await place.pal(['status', '--json=?']);
    expect(listed.stdout.split('\n')).toContain('submitted_at');
    const mistyped = await place.pal(['cancel', ref, '--json=stat']);
    expect(mistyped.code).toBe(2);
    expect(JSON.parse(mistyped.stdout)).toMatchObject({
      error: { code: 'invalid_input', hint: 'the nearest is "state"' },
    });
  }, 120_000);

  it('every error code ends with its documented exit code, as text and as JSON', async () => {
    for (const [code, facts] of Object.entries(errorCatalogue)) {
      using place = new Place({
        ...hardenScenario(),
        failures: { 'runs.get': { code: code as ErrorCode, message: 'it broke', next: 'pal status' } },
      });
      const { stdout, code: exit } = await place.pal(['show', ref, '--json']);
      expect(exit, code).toBe(facts.exit);
      expect(JSON.parse(stdout)).toEqual({
        error: { code, message: 'it broke', next: 'pal status', retryable: facts.retryable },
      });
    }
  }, 300_000);

  it('a temporary failure is retried and said once; a lasting one ends with 7', async () => {
    using place = new Place({
      ...hardenScenario(),
      failures: { 'runs.get': { code: 'database_busy', message: 'busy', times: 2 } },
    });
    const passed = await place.pal(['show', ref]);
    expect(passed.code).toBe(0);
    expect(passed.stderr).toBe('busy (database_busy), trying again\n');
  });

  it('FF-078: no way a run can fail ends with 0', async () => {
    for (const status of ['failed', 'canceled', 'timed_out'] as const) {
      const recording = new Recording('run_bad', 'bad').item('a').started('a').reconciled('a', 'failed');
      using place = new Place({ runs: [recording.completed(status).build()] });
      for (const args of [
        ['watch', 'run_bad'],
        ['watch', 'run_bad', '--json'],
        ['watch', 'run_bad', '-q'],
      ])
        expect((await place.pal(args)).code, `${status} ${args.join(' ')}`).toBe(1);
    }
    using place = new Place({ runs: [], absent: true });
    expect((await place.pal(['status'])).code).toBe(3);
  }, 120_000);

  it('time running out while watching ends with 8 and stops nothing', async () => {
    const recording = new Recording('run_open', 'open').with({ sealed: false }).item('a').started('a');
    using place = new Place({ runs: [recording.build()] });
    const { code, stderr } = await place.pal(['watch', 'run_open', '--timeout', '300ms']);
    expect(code).toBe(8);
    expect(stderr).toContain('still going: run_open');
    expect(stderr).not.toContain('cancel requested');
  });

  it('where nothing may be asked a question fails naming the flag that answers it', async () => {
    using place = new Place(hardenScenario());
    const { code, stderr } = await place.pal(['secret', 'put', 'token']);
    expect(code).toBe(2);
    expect(stderr).toContain('give --file FILE');
  });

  it('a secret given as a flag is refused and not repeated', async () => {
    using place = new Place(hardenScenario());
    const { code, stderr, stdout } = await place.pal([
      'env',
      'register',
      'prod',
      '--secret',
      'TOKEN=hunter2-very-secret',
    ]);
    expect(code).toBe(2);
    expect(stderr + stdout).not.toContain('hunter2');
  });

  it('hostile titles and logs cannot reach the terminal, and JSON keeps them whole', async () => {
    const hostile = 'safe\u001B]0;owned\u0007\u001B[2J\u202Egpj\r\nfake: ok';
    const recording = new Recording('run_evil', hostile)
      .item('a', { title: hostile })
      .started('a')
      .log('a', hostile);
    recording.reconciled('a', 'failed', { reason: hostile }).completed('failed');
    using place = new Place({ runs: [recording.build()] });
    for (const args of [
      [],
      ['show', '-'],
      ['watch', '-'],
      ['logs', '-/a'],
      ['events', '-'],
      ['explain', '-/a'],
      ['status', '--format', 'tsv'],
      ['status', '--format', 'md'],
    ]) {
      const { stdout, stderr } = await place.pal(args);
      expect(stdout + stderr, args.join(' ')).not.toMatch(/[\u001B\u0007\r\u202E]/);
      if (args[0] !== 'logs') expect(stdout).not.toMatch(/^fake/m);
    }
    const raw = await place.pal(['logs', '-/a', '--raw']);
    expect(raw.stdout).toContain(hostile);
    const { stdout } = await place.pal(['show', '-', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ run: { title: hostile } });
  }, 120_000);
});
