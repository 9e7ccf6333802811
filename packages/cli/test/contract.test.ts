import { errorCatalogue, type ErrorCode } from '@palisade/contracts';
import { describe, expect, it } from 'vitest';
import { HARDEN, hardenScenario, TIDY } from './double/harden.ts';
import { Recording } from './double/record.ts';
import { Place } from './place.ts';

const ref = HARDEN.slice(0, 20);

describe('what programs rely on', () => {
  it('fields can be picked, of each entry of a listing, and a field that is not there costs nothing', async () => {
    using place = new Place(hardenScenario());
    const picked = JSON.parse((await place.pal(['status', '--json=id,state'])).stdout) as { data: object[] };
    expect(picked.data).toEqual([
      { id: HARDEN, state: 'failed' },
      { id: TIDY, state: 'running' },
    ]);
    const mistyped = await place.pal(['cancel', ref, '--json=stat']);
    expect(mistyped.code).toBe(2);
    expect(JSON.parse(mistyped.stdout)).toMatchObject({
      error: { code: 'invalid_input', hint: 'the nearest is "state"' },
    });
    expect(place.calls()).not.toContain('runs.cancel');
  });

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
    expect(passed.stderr.match(/^.*trying again.*$/gm)).toEqual(['busy (database_busy), trying again']);
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

  it('DI-260: a stack is printed only where it is asked for', async () => {
    const failures = { 'runs.get': { code: 'internal', message: 'it broke' } } as const;
    using place = new Place({ ...hardenScenario(), failures });
    const plain = await place.pal(['show', ref]);
    expect(plain.stderr).not.toMatch(/^ +at /m);
    expect(plain.stderr).toContain('set PALISADE_DEBUG=1 for the stack');
    const debug = await place.pal(['show', ref], { env: { PALISADE_DEBUG: '1' } });
    expect(debug.stderr).toMatch(/^ +at /m);
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
});
