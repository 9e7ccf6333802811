import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { remoteCaller } from '@palisade/client';
import { JOB_POINTS, type JobView, newId, registerJob } from '@palisade/contracts';
import { describe, expect, it } from 'vitest';
import { JobFile, type KeptJob } from '../../packages/cli/src/jobs/job-file.ts';
import { CLI, palisade, until } from '../support/installation.ts';
import { place } from '../support/place.ts';
import { served } from '../support/served.ts';

/** A served control plane, and an agent elsewhere that works in a session. */
async function agent() {
  const { root, home, env: own } = place();
  const server = await served(root, own);
  const issued = await palisade(root, ['principal', 'create', 'helper', '--json'], own);
  const { token } = JSON.parse(issued.stdout) as { token: string };
  const env = {
    ...own,
    XDG_STATE_HOME: join(home, 'state'),
    PALISADE_SERVER: server.url,
    PALISADE_TOKEN: token,
    PALISADE_PROJECT: 'default',
  };
  const pal = (...args: string[]) => palisade(home, args, env);
  expect((await pal('session', 'start', '--workstation', 'laptop')).code).toBe(0);
  const state = join(home, 'state/palisade');
  const show = async (job: string): Promise<JobView> =>
    JSON.parse((await pal('job', 'show', job, '--json')).stdout) as JobView;
  return {
    home,
    /** Idempotency keys of the reports that the server took. */
    reported: () => {
      const database = new DatabaseSync(join(root, '.palisade/palisade.db'), { readOnly: true });
      const rows = database
        .prepare("SELECT idempotency_key AS k FROM kernel_receipts WHERE scope LIKE '%reporters.observe%'")
        .all();
      database.close();
      return rows.map(({ k }) => k);
    },
    token,
    url: server.url,
    /** Ends the server, and gives what starts it again where it was. */
    away: async () => {
      server.child.kill('SIGKILL');
      await server.exit;
      return () => served(root, own, new URL(server.url).host);
    },
    pal,
    state,
    show,
    ended: (job: string) =>
      until('the job to end', async () => {
        const view = await show(job);
        return view.freshness === 'final' && view;
      }),
  };
}

/** A job that is registered and kept, whose guardian nobody has started. */
async function registered(at: Awaited<ReturnType<typeof agent>>, program: string): Promise<KeptJob> {
  const sessions = join(at.state, 'sessions');
  const [name = ''] = readdirSync(sessions).filter((each) => each.endsWith('.json'));
  const session = JSON.parse(readFileSync(join(sessions, name), 'utf8')) as {
    session_id: string;
    proof: string;
  };
  const kept: KeptJob = {
    format: 1,
    origin: at.url,
    project: 'default',
    job_id: newId('pjob'),
    producer_id: newId('prod'),
    reporter_id: newId('rep'),
    proof: randomBytes(32).toString('hex'),
    program: ['/bin/sh', '-c', program],
    directory: at.home,
    environment: { PATH: process.env['PATH'] ?? '' },
    log_limit_bytes: 10,
    phase: 'registered',
    sequence: 0,
    is_told: false,
  };
  new JobFile(at.state, kept.job_id).keep(kept);
  const caller = remoteCaller({
    origin: at.url,
    token: at.token,
    session: { session: session.session_id, proof: session.proof },
  });
  await caller.call(registerJob, {
    job_id: kept.job_id,
    producer_id: kept.producer_id,
    reporter_id: kept.reporter_id,
    reporter_verifier: createHash('sha256').update(kept.proof).digest('hex'),
    workstation_id: 'laptop',
    label: 'kept',
    renew_for_seconds: 0,
  });
  return kept;
}

/** Runs a guardian to its end, which a fault may be. */
async function guarded({ home, state }: Awaited<ReturnType<typeof agent>>, job: string, fault?: string) {
  const child = spawn(process.execPath, [CLI, 'job', 'guard', job, '--state-dir', state], {
    cwd: home,
    env: {
      PATH: process.env['PATH'],
      ...(fault === undefined ? {} : { PALISADE_FAULT: fault }),
    },
    stdio: 'ignore',
  });
  return new Promise<NodeJS.Signals | number | null>((resolve) =>
    child.once('exit', (code, signal) => resolve(signal ?? code)),
  );
}

describe('a job of a workstation', () => {
  it('AC-158 AO-101 AO-103: runs in the background without a credential of ours, leaves bounded logs, and its end is reported', {
    timeout: 180_000,
  }, async () => {
    const { home, pal, state, ended, token, show } = await agent();
    const script =
      'env > seen; echo 0123456789abcdef; echo bad >&2; while [ ! -e go ]; do sleep 0.1; done; exit 3';
    const begun = await pal('job', 'run', '--json', '--log-limit', '12', '--', 'sh', '-c', script, '--json');
    expect(begun, begun.stderr).toMatchObject({ code: 0 });
    const { job } = JSON.parse(begun.stdout) as { job: JobView };
    expect(job).toMatchObject({ label: 'sh', state: 'registered', workstation_id: 'laptop' });
    const running = await until('the process to be seen', async () => {
      const view = await show(job.id);
      return view.state === 'running' && view;
    });
    const pid = running.last_observation?.pid ?? 0;
    const guardian = /^PPid:\t(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '';
    for (const environment of [
      readFileSync(`/proc/${guardian}/environ`, 'utf8'),
      readFileSync(`/proc/${pid}/environ`, 'utf8'),
      readFileSync(join(home, 'seen'), 'utf8'),
    ]) {
      expect(environment).toContain('PATH=');
      expect(environment).not.toContain('PALISADE_');
      expect(environment).not.toContain(token);
    }
    for (const part of [pid, guardian])
      expect(readFileSync(`/proc/${part}/cmdline`, 'utf8')).not.toMatch(/[0-9a-f]{64}/);
    // Whoever else reports is told that somebody does.
    const busy = await pal('job', 'reconnect', job.id);
    expect(busy.stderr).toContain('its guardian is at work');
    writeFileSync(join(home, 'go'), '');
    expect(await ended(job.id)).toMatchObject({
      state: 'failed',
      last_observation: { exit_code: 3 },
    });
    const kept = join(state, 'jobs', job.id);
    expect(statSync(kept).mode & 0o777).toBe(0o700);
    for (const name of ['job.json', 'stdout.log', 'stderr.log'])
      expect(statSync(join(kept, name)).mode & 0o777, name).toBe(0o600);
    expect(readFileSync(join(kept, 'stdout.log'), 'utf8')).toBe('0123456789ab');
    expect(readFileSync(join(kept, 'stderr.log'), 'utf8')).toBe('bad\n');
    // What it was started with and what it wrote stays here.
    expect(JSON.stringify(await show(job.id))).not.toMatch(/exit 3|sleep|0123456789ab/);
  });

  it('AC-158 AO-105: is started once at most, wherever its guardian is killed, and what nobody saw is unknown', {
    timeout: 240_000,
  }, async () => {
    const at = await agent();
    const { home, pal, show } = at;
    const cases = {
      'job.after-intent': { times: [0], told: 'unknown' },
      // It may have been started: nobody says that it was not.
      'job.after-spawn': { times: [0, 1], told: 'unknown' },
      'job.after-start': { times: [1], told: 'unknown' },
      'job.after-exit': { times: [1], told: 'succeeded' },
    } as const;
    for (const point of JOB_POINTS) {
      const mark = join(home, `mark-${point}`);
      const kept = await registered(at, `echo x >> ${mark}`);
      expect(await guarded(at, kept.job_id, point)).toBe('SIGKILL');
      if (point === 'job.after-start') await until('it to run', async () => existsSync(mark));
      for (let again = 0; again < 2; again++) expect(await guarded(at, kept.job_id)).toBe(0);
      const file = new JobFile(at.state, kept.job_id);
      const { process: started } = file.read();
      if (started !== undefined)
        await until('it to be gone', async () => !existsSync(`/proc/${started.pid}`), 10_000);
      const told = await pal('job', 'reconnect', kept.job_id, '--json');
      expect(told, told.stderr).toMatchObject({ code: 0 });
      expect([point, JSON.parse(told.stdout)]).toMatchObject([point, { state: cases[point].told }]);
      expect([point, (await show(kept.job_id)).state]).toEqual([point, cases[point].told]);
      const times = existsSync(mark) ? readFileSync(mark, 'utf8').length / 2 : 0;
      expect(cases[point].times, point).toContain(times);
    }
  });

  it('AO-105: ends while no server can be reached, and that is reported when one can', {
    timeout: 180_000,
  }, async () => {
    const { home, pal, state, ended, away } = await agent();
    const begun = await pal(
      'job',
      'run',
      '--json',
      '--',
      'sh',
      '-c',
      'while [ ! -e go ]; do sleep 0.1; done',
    );
    const { job } = JSON.parse(begun.stdout) as { job: JobView };
    const back = await away();
    writeFileSync(join(home, 'go'), '');
    const file = new JobFile(state, job.id);
    await until('the end to be kept', async () => file.read().end !== undefined);
    expect(file.read()).toMatchObject({ end: { state: 'succeeded', exit_code: 0 }, is_told: false });
    await back();
    expect(await ended(job.id)).toMatchObject({ state: 'succeeded' });
    await until('the guardian to know', async () => file.read().is_told);
  });

  it('AC-032: a report that was not sent is sent under the key that was kept with it, which nobody could know', {
    timeout: 180_000,
  }, async () => {
    const at = await agent();
    const kept = await registered(at, 'true');
    const back = await at.away();
    const file = new JobFile(at.state, kept.job_id);
    const told = async () => (await at.pal('job', 'reconnect', kept.job_id)).code;
    expect(await told()).not.toBe(0);
    const { unsent } = file.read();
    expect(unsent).toMatchObject({ sequence: 1, state: 'not_started' });
    expect(unsent?.key).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/);
    await back();
    expect(await told()).toBe(0);
    expect(at.reported()).toContain(unsent?.key);
    expect(at.reported().join()).not.toContain(kept.job_id);
    // As an earlier version left it.
    const older = await registered(at, 'true');
    const left = new JobFile(at.state, older.job_id);
    const report = { sequence: 1, state: 'not_started', summary: 'nothing was started' };
    writeFileSync(
      join(left.directory, 'job.json'),
      JSON.stringify({ ...older, sequence: 1, unsent: report }),
    );
    expect((await at.pal('job', 'reconnect', older.job_id)).code).toBe(0);
    expect(await at.show(older.job_id)).toMatchObject({ last_observation: { sequence: 1 } });
  });

  it('AO-105: is started once by guardians that begin at once', { timeout: 180_000 }, async () => {
    const at = await agent();
    const mark = join(at.home, 'mark');
    const kept = await registered(at, `echo x >> ${mark}; sleep 2`);
    const exits = await Promise.all([1, 2, 3, 4].map(() => guarded(at, kept.job_id)));
    // Whoever came too late found the lock held, or the phase.
    expect(exits.filter((code) => code !== 0 && code !== 7)).toEqual([]);
    expect(readFileSync(mark, 'utf8')).toBe('x\n');
    expect(await at.ended(kept.job_id)).toMatchObject({ state: 'succeeded' });
  });

  it('AC-153 AO-104: is not started once its session is closed, or when it cannot be; that is reported as it is', {
    timeout: 180_000,
  }, async () => {
    const at = await agent();
    const { home, pal, show, ended } = at;
    const rehearsed = await pal('job', 'run', '--dry-run', '--', 'true');
    expect(rehearsed.stdout).toContain('would start  pjob_');
    expect(existsSync(join(at.state, 'jobs'))).toBe(false);
    expect((await pal('job', 'list')).stdout).toContain('no jobs');
    const missing = await pal('job', 'run', '--', join(home, 'no-such-program'));
    expect(missing.code).toBe(1);
    expect(missing.stderr).toContain('it could not be started (ENOENT)');
    const [id = ''] = /pjob_[0-9a-f]{32}/.exec(missing.stderr) ?? [];
    expect(await ended(id)).toMatchObject({
      state: 'not_started',
      last_observation: { summary: 'it could not be started (ENOENT)' },
    });
    const mark = join(home, 'mark');
    const kept = await registered(at, `echo x >> ${mark}`);
    const abandoned = await registered(at, `echo x >> ${mark}`);
    expect((await pal('session', 'close')).code).toBe(0);
    expect(await guarded(at, kept.job_id)).toBe(0);
    expect((await pal('job', 'reconnect', abandoned.job_id)).stdout).toContain('not_started');
    expect(await guarded(at, abandoned.job_id)).toBe(0);
    expect(existsSync(mark)).toBe(false);
    expect((await pal('job', 'run', '--', 'true')).code).not.toBe(0);
    expect((await pal('session', 'start')).code).toBe(0);
    expect((await show(kept.job_id)).last_observation).toMatchObject({
      state: 'not_started',
      summary: 'its start is not allowed any more',
    });
    expect((await show(abandoned.job_id)).state).toBe('not_started');
  });

  it('AO-105: a process that outlives its guardian is seen running, and its end is unknown', {
    timeout: 180_000,
  }, async () => {
    const at = await agent();
    const kept = await registered(at, 'while [ ! -e go ]; do sleep 0.1; done');
    expect(await guarded(at, kept.job_id, 'job.after-start')).toBe('SIGKILL');
    const told = await at.pal('job', 'reconnect', kept.job_id, '--json');
    expect(JSON.parse(told.stdout)).toMatchObject({
      state: 'running',
      process_started_at: expect.any(String),
    });
    expect((await at.show(kept.job_id)).state).toBe('running');
    writeFileSync(join(at.home, 'go'), '');
    const { process: started } = new JobFile(at.state, kept.job_id).read();
    await until('it to be gone', async () => !existsSync(`/proc/${started?.pid}`), 10_000);
    expect((await at.pal('job', 'reconnect', kept.job_id)).stdout).toContain('unknown');
    expect(await at.show(kept.job_id)).toMatchObject({ state: 'unknown' });
  });
});
