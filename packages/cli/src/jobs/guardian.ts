import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { faultPoint } from '@palisade/contracts';
import { nameProcess, verdictOn } from '@palisade/process';
import { BoundedLog } from './bounded-log.ts';
import type { JobFile, KeptJob, Seen } from './job-file.ts';
import { Reporter } from './reporter.ts';
import { until } from './until.ts';

const NOT_STARTED: Seen = { state: 'not_started', summary: 'nothing was started' };

/** How often it is reported that a process runs, ms. */
const REPORT_MS = 30_000;
/** How long it is asked whether the process may be started: less than whoever began the guardian waits for it, ms. */
const ASK_MS = 15_000;
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
    const end = await carryOut(file, reporter, signal);
    await until(signal, () => reporter.end(end));
  });
}

/**
 * What became of a job that was not seen to begin. If nothing was started, nothing ever will be: that is kept, and not reported.
 * `lease_held` while its guardian is at work.
 */
export async function settle(file: JobFile, signal: AbortSignal): Promise<KeptJob> {
  return file.exclusively(signal, async () => {
    const reporter = new Reporter(file, file.read(), signal);
    if (isBeforeStart(reporter.kept)) reporter.keepEnd(NOT_STARTED);
    return reporter.kept;
  });
}

/** What a job whose guardian ended comes to, as far as it can be seen from here; it is reported once, and nothing is started. */
export async function reconnect(file: JobFile, signal: AbortSignal): Promise<Seen> {
  return file.exclusively(signal, async () => {
    const reporter = new Reporter(file, file.read(), signal);
    const { end, process: started } = reporter.kept;
    const final = end ?? (isBeforeStart(reporter.kept) ? NOT_STARTED : undefined);
    const seen = final ?? seenOf(started);
    await (final === undefined ? reporter.report(seen) : reporter.end(final));
    return seen;
  });
}

const isBeforeStart = ({ phase }: KeptJob): boolean => phase === 'kept' || phase === 'registered';

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

/**
 * How the process ended. An interrupt does not end the watching: what the process writes has to be taken. Nor does a disk that is full
 * after the start: what could not be kept then is kept with the next report.
 */
async function carryOut(file: JobFile, reporter: Reporter, signal: AbortSignal): Promise<Seen> {
  const { log_limit_bytes: limit, program, directory, environment } = reporter.kept;
  const logs = [
    new BoundedLog(file.log('stdout'), limit),
    new BoundedLog(file.log('stderr'), limit),
  ] as const;
  try {
    reporter.keep({ phase: 'intended', environment: {} });
    faultPoint('job.after-intent');
    const refusal = await refusalOf(reporter, signal);
    if (refusal !== undefined) return { state: 'not_started', summary: refusal };
    const [command = '', ...args] = program;
    let child: ChildProcessByStdio<null, Readable, Readable>;
    try {
      child = spawn(command, args, {
        cwd: directory,
        env: environment,
        stdio: ['ignore', 'pipe', 'pipe'],
        windowsHide: true,
      });
    } catch (error) {
      return notStarted(error);
    }
    const ended = endOf(child);
    const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
    logs[0].take(child.stdout);
    logs[1].take(child.stderr);
    faultPoint('job.after-spawn');
    const { pid } = child;
    if (pid !== undefined) {
      whereItCan(() => reporter.keep({ phase: 'started', process: { pid, name: nameProcess(pid) } }));
      faultPoint('job.after-start');
    }
    const end = await watch(reporter, ended);
    whereItCan(() => reporter.keepEnd(end));
    faultPoint('job.after-exit');
    await Promise.race([closed, delay(REST_MS)]);
    return end;
  } finally {
    for (const log of logs) log.close();
  }
}

/** Keeps on the disk what is held here in any case, and is written with whatever is kept next. */
function whereItCan(keep: () => void): void {
  try {
    keep();
  } catch {}
}

/** Why the process may not be started now: asked right before, since a registration is no permission (AC-153). */
async function refusalOf(reporter: Reporter, signal: AbortSignal): Promise<string | undefined> {
  const asked = performance.now();
  try {
    const late = AbortSignal.any([signal, AbortSignal.timeout(ASK_MS)]);
    const { launch_allowed: isAllowed, lease_remaining_ms: left } = await reporter.look(late);
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
    return notStarted(error);
  }
}

function notStarted(error: unknown): Seen {
  const { code } = error as { code?: unknown };
  return { state: 'not_started', summary: `it could not be started (${String(code)})` };
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
