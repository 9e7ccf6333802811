import { existsSync, mkdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { keptJob, refuse, reporterServer } from '../../test/job-rig.ts';
import { guard, reconnect, settle } from './guardian.ts';

const { signal } = new AbortController();
const untilIt = (holds: () => void) => vi.waitFor(holds, { timeout: 30_000, interval: 20 });

describe('the guardian of a job', () => {
  it('AO-103: what outlives the process writes to nobody, and never into a connection to the server', {
    timeout: 60_000,
  }, async () => {
    // The end is told on a connection that is open while the straggler goes on writing.
    const { origin, reports, received } = await reporterServer(async ({ method }) => {
      if (method === 'POST') await delay(1_500);
      return false;
    });
    const straggler = 'while :; do echo SECRET-OUTPUT; echo SECRET-OUTPUT >&2; sleep 0.1; done';
    const { file, state } = keptJob(origin, `(${straggler}; ) & echo $! > straggler; sleep 0.3; exit 4`);
    await guard(file, signal);
    expect(reports.at(-1)).toMatchObject({ state: 'failed', exit_code: 4 });
    expect(received.join('')).not.toContain('SECRET-OUTPUT');
    const pid = Number(readFileSync(join(state, 'straggler'), 'utf8'));
    await untilIt(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'));
    expect(readFileSync(file.log('stdout'), 'utf8')).toMatch(/^(SECRET-OUTPUT\n)+$/);
  });

  it('AC-158: on a full disk before the start nothing is started, and that is told when there is room', async () => {
    const { origin, reports } = await reporterServer();
    const { file, state, draft } = keptJob(origin, 'echo > mark');
    mkdirSync(draft);
    await expect(guard(file, signal)).rejects.toThrow(draft);
    expect(existsSync(join(state, 'mark'))).toBe(false);
    rmdirSync(draft);
    expect(await reconnect(file, signal)).toMatchObject({ state: 'not_started' });
    expect(reports.map((report) => report.state)).toEqual(['not_started']);
  });

  it('AC-158: a disk that fills up after the start ends no watching, and loses neither output nor end', {
    timeout: 60_000,
  }, async () => {
    let draft = '';
    const { origin, reports } = await reporterServer(async ({ method }) => {
      if (method === 'GET') mkdirSync(draft);
      return false;
    });
    const line = 'i=0; while [ $i -lt 20000 ]; do echo 0123456789; i=$((i+1)); done; echo > done; exit 3';
    const job = keptJob(origin, line);
    ({ draft } = job);
    const guarded = guard(job.file, signal);
    await untilIt(() => expect(existsSync(join(job.state, 'done'))).toBe(true));
    await delay(1_500);
    expect(job.file.read().phase).toBe('intended');
    // Nothing is told that is not on the disk.
    expect(reports).toEqual([]);
    rmdirSync(draft);
    await guarded;
    expect(reports.at(-1)).toMatchObject({ state: 'failed', exit_code: 3 });
    expect(job.file.read()).toMatchObject({ phase: 'ended', is_told: true, process: { name: /./ } });
    expect(readFileSync(job.file.log('stdout'), 'utf8')).toHaveLength(220_000);
  });

  it('AC-158: an end that finds no room is told when there is some', { timeout: 60_000 }, async () => {
    const { origin, reports } = await reporterServer();
    const full = 'sleep 0.7; draft=$(echo $PWD/jobs/*)/job.json.tmp; mkdir $draft';
    const job = keptJob(origin, `${full}; (sleep 3; rmdir $draft) >/dev/null 2>&1 & exit 3`);
    await guard(job.file, signal);
    expect(reports).toMatchObject([
      { state: 'running' },
      { state: 'failed', exit_code: 3 },
      ...reports.slice(2),
    ]);
    expect(job.file.read()).toMatchObject({ phase: 'ended', is_told: true });
  });

  it('AC-153: it gives up asking before whoever began it gives up waiting, and starts nothing then', {
    timeout: 60_000,
  }, async () => {
    const { origin, reports } = await reporterServer(async ({ method }) => {
      if (method === 'GET') await delay(27_000);
      return false;
    });
    const { file, state } = keptJob(origin, 'echo > mark');
    const begun = performance.now();
    await guard(file, signal);
    expect(performance.now() - begun).toBeLessThan(25_000);
    expect(existsSync(join(state, 'mark'))).toBe(false);
    expect(reports).toMatchObject([
      { state: 'not_started', summary: 'it could not be asked whether it may be started' },
    ]);
  });

  it('AO-105: a job that is said not to have begun never begins', { timeout: 60_000 }, async () => {
    const { origin, reports } = await reporterServer();
    const { file, state } = keptJob(origin, 'echo > mark; sleep 2');
    expect(await settle(file, signal)).toMatchObject({ phase: 'ended', end: { state: 'not_started' } });
    await guard(file, signal);
    expect(existsSync(join(state, 'mark'))).toBe(false);
    await reconnect(file, signal);
    expect(reports.map((report) => report.state)).toEqual(['not_started']);

    const other = keptJob(origin, 'echo > mark; sleep 3');
    const guarded = guard(other.file, signal);
    await untilIt(() => expect(existsSync(join(other.state, 'mark'))).toBe(true));
    await expect(settle(other.file, signal)).rejects.toMatchObject({ code: 'lease_held' });
    await guarded;
    expect(reports.at(-1)).toMatchObject({ state: 'succeeded' });
  });

  it('AO-105: a job whose registration is not known to the server yet is told of when it is', async () => {
    let isRegistered = false;
    const { origin, reports } = await reporterServer(
      async (_, response) => !isRegistered && refuse(response),
    );
    const { file, kept } = keptJob(origin, 'true', { phase: 'kept' });
    for (let i = 0; i < 2; i++)
      await expect(reconnect(file, signal)).rejects.toMatchObject({
        code: 'authentication_required',
        next: `pal retry, then pal job reconnect ${kept.job_id}`,
      });
    expect(file.read()).toMatchObject({ phase: 'kept', is_told: false });
    isRegistered = true;
    expect(await reconnect(file, signal)).toMatchObject({ state: 'not_started' });
    expect(reports[0]).toMatchObject({ state: 'not_started', sequence: 1 });
    expect(file.read()).toMatchObject({ phase: 'ended', is_told: true });
  });

  it('AO-104: the variables of a process are on the disk until it is started, and no longer', async () => {
    const { origin } = await reporterServer();
    const { file, state } = keptJob(origin, 'echo $GIVEN > seen; cp jobs/*/job.json .');
    await guard(file, signal);
    expect(readFileSync(join(state, 'seen'), 'utf8')).toBe('only-this-once\n');
    for (const path of [join(state, 'job.json'), join(file.directory, 'job.json')])
      expect(readFileSync(path, 'utf8')).not.toContain('only-this-once');
    const unbegun = keptJob(origin, 'true');
    await reconnect(unbegun.file, signal);
    expect(unbegun.file.read().environment).toEqual({});
  });

  it('AC-153: a program that the system takes for too long is not started', async () => {
    const { origin, reports } = await reporterServer();
    const { file } = keptJob(origin, '', { program: ['/bin/sh', '-c', 'true', 'x'.repeat(3_000_000)] });
    await guard(file, signal);
    expect(reports).toMatchObject([{ state: 'not_started', summary: 'it could not be started (E2BIG)' }]);
  });
});
