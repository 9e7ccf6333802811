import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { constants } from 'node:os';
import { PalisadeError, LONGEST_TIMER_MS } from '@palisade/contracts';
import { errno } from './errno.ts';

/** How long work may take and who may stop it. Shared by every git process of one operation. */
export interface Budget {
  /** Unix ms after which nothing more is started and running processes are killed. */
  readonly deadline: number;
  readonly signal?: AbortSignal | undefined;
}

/** A budget of `ms` from now. */
export function budgetOf(ms: number, signal?: AbortSignal): Budget {
  return { deadline: Date.now() + ms, signal };
}

/** Throws `timed_out` or `canceled` when nothing more may be started. */
export function assertBudget(budget: Budget): void {
  if (budget.signal?.aborted === true) throw new PalisadeError('canceled', 'stopped on request');
  if (Date.now() >= budget.deadline) throw new PalisadeError('timed_out', 'the time allowed is over');
}

/** How a git process ended. */
export interface GitResult {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
  /** Bytes of stdout, wherever they went. */
  readonly bytes: number;
}

/** Where stdout goes piece by piece: an open file, or a reader that need not keep it. */
export interface GitSink {
  writeFile(piece: Uint8Array): Promise<void>;
}

export interface GitProcess {
  readonly args: readonly string[];
  /** For messages; arguments may be long or private. */
  readonly name: string;
  readonly cwd: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly budget: Budget;
  readonly input: Uint8Array | undefined;
  readonly output: GitSink | undefined;
  readonly maxOutput: number;
}

const MAX_STDERR = 64 * 1024;

/**
 * Runs git with an argument array, in a process group of its own that is killed whole when time is
 * over, the caller aborts or the output gets too big. Throws `requirements_unmet` without a git
 * program, `start_failed`, `timed_out`, `canceled`, `too_large`, `storage_full`.
 */
export async function runGitProcess(spec: GitProcess): Promise<GitResult> {
  const { budget, name } = spec;
  assertBudget(budget);
  const child = spawn('git', spec.args, {
    cwd: spec.cwd,
    env: spec.env,
    stdio: ['pipe', 'pipe', 'pipe'],
    // Its own process group, so that helpers git starts die with it.
    detached: process.platform !== 'win32',
    windowsHide: true,
  });
  let stopped: PalisadeError | undefined;
  const stop = (error: PalisadeError) => {
    stopped ??= error;
    killGroup(child.pid);
  };
  const timer = setTimeout(
    () => stop(new PalisadeError('timed_out', `${name} did not finish in time`)),
    Math.max(0, Math.min(budget.deadline - Date.now(), LONGEST_TIMER_MS)),
  );
  const onAbort = () => stop(new PalisadeError('canceled', `${name} was stopped on request`));
  budget.signal?.addEventListener('abort', onAbort, { once: true });
  // Git may end before it read everything; its status says what that meant.
  child.stdin.on('error', () => {});
  child.stdin.end(spec.input);
  try {
    const [code, stdout, stderr] = await Promise.all([
      exitStatus(child),
      readStdout(child, spec, stop),
      readStderr(child),
    ]);
    if (stopped !== undefined) throw stopped;
    return { code, stdout: stdout.kept, stderr, bytes: stdout.bytes };
  } finally {
    clearTimeout(timer);
    budget.signal?.removeEventListener('abort', onAbort);
  }
}

function exitStatus(child: ChildProcessWithoutNullStreams): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  child.on('error', (error) => {
    reject(
      errno(error) === 'ENOENT'
        ? new PalisadeError('requirements_unmet', 'the git program or its working directory is missing', {
            next: 'install git 2.39 or newer',
            cause: error,
          })
        : new PalisadeError('start_failed', 'git could not be started', { cause: error }),
    );
  });
  child.on('close', (code, signal) =>
    resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
  );
  return promise;
}

async function readStdout(
  child: ChildProcessWithoutNullStreams,
  { name, output, maxOutput }: GitProcess,
  stop: (error: PalisadeError) => void,
): Promise<{ kept: Buffer; bytes: number }> {
  const kept: Buffer[] = [];
  let bytes = 0;
  let isDraining = false;
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
    if (isDraining) continue;
    bytes += chunk.length;
    if (bytes > maxOutput) {
      stop(new PalisadeError('too_large', `${name} wrote more than ${maxOutput} bytes`));
      isDraining = true;
    } else if (output === undefined) kept.push(chunk);
    else
      await output.writeFile(chunk).catch((error: unknown) => {
        if (error instanceof PalisadeError) {
          stop(error);
          isDraining = true;
          return;
        }
        const isFull = errno(error) === 'ENOSPC';
        const message = isFull
          ? `no space left for the output of ${name}`
          : `the output of ${name} could not be written`;
        stop(new PalisadeError(isFull ? 'storage_full' : 'internal', message, { cause: error }));
        isDraining = true;
      });
  }
  return { kept: Buffer.concat(kept), bytes };
}

async function readStderr(child: ChildProcessWithoutNullStreams): Promise<string> {
  const kept: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of child.stderr as AsyncIterable<Buffer>) {
    if (bytes < MAX_STDERR) kept.push(chunk.subarray(0, MAX_STDERR - bytes));
    bytes += chunk.length;
  }
  return Buffer.concat(kept).toString('utf8');
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch (error) {
    if (errno(error) !== 'ESRCH') throw error;
  }
}
