import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { faultPoint } from '@palisade/contracts';
import { nameProcess, verdictOn } from '@palisade/process';
import { BoundedLog } from './bounded-log.ts';
import type { JobFile, KeptJob, Seen } from './job-file.ts';
import { Reporter } from './reporter.ts';

const NOT_STARTED: Seen = { state: 'not_started', summary: 'nothing was started' };

/** How often it is reported that a process runs, and how long to wait before a report that failed is made again, ms. */
const REPORT_MS = 30_000;
const AGAIN_MS = 5_000;
/** No reporter reports for longer than that after its registration, ms. */
const REPORTS_MS = 7 * 86_400_000;
/** Left of the permission to start when the process is started, ms. */
const MARGIN_MS = 5_000;
/** How long the rest of the output of a process that ended is waited for, ms. */
const REST_MS = 1_000;

/**
 * Starts the process of a registered job, once, and reports on it until it ends and the server knows (AC-158). The intent is on the disk
 * before anything is started: whoever finds it there starts nothing, whatever became of it (AO-105).
 */
export async function guard(file: JobFile, signal: AbortSignal): Promise<void> {
  await file.exclusively(signal, async () => {
    const reporter = new Reporter(file, file.read(), signal);
    if (reporter.kept.phase !== 'registered') return;
    const end = await carryOut(file, reporter);
    await until(signal, () => reporter.end(end));
  });
}

/** What a job whose guardian ended comes to, as far as it can be seen from here; it is reported once, and nothing is started. */
export async function reconnect(file: JobFile, signal: AbortSignal): Promise<Seen> {
  return file.exclusively(signal, async () => {
    const reporter = new Reporter(file, file.read(), signal);
    const { phase, end, process: started } = reporter.kept;
    const isBefore = phase === 'kept' || phase === 'registered';
    const final = end ?? (isBefore ? NOT_STARTED : undefined);
    const seen = final ?? seenOf(started);
    await (final === undefined ? reporter.report(seen) : reporter.end(final));
    return seen;
  });
}

/** What can be said of a process that nobody has waited for: its exit code is lost. */
function seenOf(started: KeptJob['process']): Seen {
  if (started === undefined)
    return { state: 'unknown', summary: 'its guardian ended while it was being started' };
  const facts = processFacts(started);
  const verdict = started.name === null ? 'unknown' : verdictOn(started.name);
  if (verdict === 'alive') return { state: 'running', ...facts };
  return {
    state: 'unknown',
    ...facts,
    summary: verdict === 'dead' ? 'it ended, and nobody saw how' : 'it cannot be seen from here',
  };
}

const processFacts = ({ pid, name }: NonNullable<KeptJob['process']>) => ({
  pid,
  ...(name === null ? {} : { process_started_at: name.slice(-128) }),
});

/** How the process ended. An interrupt does not end the watching: what the process writes has to be taken. */
async function carryOut(file: JobFile, reporter: Reporter): Promise<Seen> {
  const { log_limit_bytes: limit, program, directory, environment } = reporter.kept;
  const logs = [
    new BoundedLog(file.log('stdout'), limit),
    new BoundedLog(file.log('stderr'), limit),
  ] as const;
  try {
    reporter.keep({ phase: 'intended' });
    faultPoint('job.after-intent');
    const refusal = await refusalOf(reporter);
    if (refusal !== undefined) return { state: 'not_started', summary: refusal };
    const [command = '', ...args] = program;
    const child = spawn(command, args, {
      cwd: directory,
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
    });
    const ended = endOf(child);
    const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
    faultPoint('job.after-spawn');
    if (child.pid !== undefined) {
      reporter.keep({ phase: 'started', process: { pid: child.pid, name: nameProcess(child.pid) } });
      faultPoint('job.after-start');
    }
    logs[0].take(child.stdout);
    logs[1].take(child.stderr);
    const end = await watch(reporter, ended);
    reporter.keep({ phase: 'ended', end });
    faultPoint('job.after-exit');
    await Promise.race([closed, delay(REST_MS)]);
    return end;
  } finally {
    for (const log of logs) log.close();
  }
}

/** Why the process may not be started now: asked right before, since a registration is no permission (AC-153). */
async function refusalOf(reporter: Reporter): Promise<string | undefined> {
  const asked = performance.now();
  try {
    const { launch_allowed: isAllowed, lease_remaining_ms: left } = await reporter.look();
    if (!isAllowed) return 'its start is not allowed any more';
    return left - (performance.now() - asked) > MARGIN_MS
      ? undefined
      : 'too little time was left to start it';
  } catch {
    return 'it could not be asked whether it may be started';
  }
}

async function endOf(child: ChildProcess): Promise<Seen> {
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    const exitCode = code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
    const facts = signal === null ? {} : { summary: `ended by ${signal}` };
    return { state: exitCode === 0 ? 'succeeded' : 'failed', exit_code: exitCode, ...facts };
  } catch (error) {
    const { code } = error as { code?: unknown };
    return { state: 'not_started', summary: `it could not be started (${String(code)})` };
  }
}

/** Reports that it runs, from time to time, until it does not. A report that fails is made up for by the next one. */
async function watch(reporter: Reporter, ended: Promise<Seen>): Promise<Seen> {
  for (;;) {
    const { process: started } = reporter.kept;
    if (started !== undefined)
      await Promise.race([
        ended,
        reporter.report({ state: 'running', ...processFacts(started) }).catch(() => {}),
      ]);
    const waiting = new AbortController();
    const over = await Promise.race([
      ended,
      delay(REPORT_MS, undefined, { signal: waiting.signal }).catch(() => undefined),
    ]);
    waiting.abort();
    if (over !== undefined) return over;
  }
}

/** Tries until it succeeds, or there is no authority left to do it with. */
async function until(signal: AbortSignal, body: () => Promise<void>): Promise<void> {
  for (const end = performance.now() + REPORTS_MS; ; ) {
    try {
      return await body();
    } catch (error) {
      if (performance.now() > end) throw error;
      await delay(AGAIN_MS, undefined, { signal });
    }
  }
}
