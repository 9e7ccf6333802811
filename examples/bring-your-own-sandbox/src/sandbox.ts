import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { isAbsolute, join, normalize } from 'node:path';
import type { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { ExecResult, ExecSpec, Sandbox, SandboxProtection, SandboxSpec } from '@palisade/contracts';
import { INIT, type Job, type Report, UNSHARE } from './launch.ts';
import { OutputCapture } from './output-capture.ts';
import { StreamDirectory } from './streams.ts';

/** How long the kernel may take to end a namespace before `unshare` itself is killed. */
const END_MS = 5_000;

/** One sandbox: programs run in it one after another, each with an init of its own. */
export class NamespaceSandbox implements Sandbox {
  readonly posture: readonly SandboxProtection[];
  readonly workspacePath: string;
  readonly uid = null;
  readonly #spec: SandboxSpec;
  readonly #streams: StreamDirectory;
  readonly #destroying = new AbortController();
  #last: Promise<unknown> = Promise.resolve();

  constructor(spec: SandboxSpec, posture: readonly SandboxProtection[]) {
    this.#spec = spec;
    this.posture = posture;
    this.workspacePath = spec.workspaceDir;
    this.#streams = new StreamDirectory(spec.stateDir);
  }

  exec(spec: ExecSpec): Promise<ExecResult> {
    const next = this.#last.then(() => this.#run(spec));
    this.#last = next;
    return next;
  }

  async destroy(): Promise<void> {
    this.#destroying.abort();
    await this.#last;
    this.#streams.remove();
  }

  async #run(spec: ExecSpec): Promise<ExecResult> {
    const stdout = new OutputCapture(this.#spec.limits.stdoutBytes);
    const stderr = new OutputCapture(this.#spec.limits.stderrBytes);
    const startedAt = performance.now();
    const result = (outcome: ExecResult['outcome'], more: Partial<ExecResult> = {}): ExecResult => ({
      outcome,
      exitCode: null,
      signal: null,
      ...stdout.as('stdout'),
      ...stderr.as('stderr'),
      durationMs: Math.round(performance.now() - startedAt),
      ...more,
    });
    if (this.#destroying.signal.aborted)
      return result('start_failed', { detail: 'the sandbox is destroyed' });
    if (spec.signal?.aborted === true) return result('canceled');
    const fault = specFault(spec);
    if (fault !== null) return result('start_failed', { detail: fault });

    const streams = this.#streams.open(spec.stdin);
    const child = spawn(
      UNSHARE[0],
      [
        ...UNSHARE.slice(1),
        ...(this.#spec.network ? [] : ['--net']),
        process.execPath,
        INIT,
        this.#spec.attemptId,
      ],
      { env: { PATH: process.env['PATH'] }, stdio: [...streams.stdio, 'pipe', 'pipe'], detached: true },
    );
    streams.handOver();
    const control = child.stdio[3] as Writable;
    control.on('error', () => {}); // Its reader may be gone; that shows in the report.
    const reported = readReport(child);
    const closed = Promise.all([
      new Promise<void>((resolve) => child.once('close', () => resolve())),
      capture(streams.stdout, 'stdout', stdout, spec),
      capture(streams.stderr, 'stderr', stderr, spec),
    ]);
    const job: Job = {
      argv: spec.argv,
      env: spec.env,
      cwd: join(this.#spec.workspaceDir, spec.cwd ?? '.'),
      readOnlyPaths: this.#spec.readOnlyPaths,
    };
    control.write(`${JSON.stringify(job)}\n`);

    let stopped: 'timed_out' | 'canceled' | undefined;
    let grace: NodeJS.Timeout | undefined;
    const stop = (why: 'timed_out' | 'canceled'): void => {
      if (stopped !== undefined) return;
      stopped = why;
      if (!control.destroyed) control.write('terminate\n');
      grace = setTimeout(() => control.destroy(), spec.graceMs);
    };
    const cancel = (): void => stop('canceled');
    const timer = setTimeout(() => stop('timed_out'), spec.timeoutMs);
    const signals = [this.#destroying.signal, ...(spec.signal === undefined ? [] : [spec.signal])];
    for (const signal of signals) signal.addEventListener('abort', cancel, { once: true });
    const report = await reported;
    clearTimeout(timer);
    clearTimeout(grace);
    for (const signal of signals) signal.removeEventListener('abort', cancel);
    control.destroy();
    const isClosed = await Promise.race([closed.then(() => true), delay(END_MS, false, { ref: false })]);
    if (!isClosed) {
      child.kill('SIGKILL');
      await closed;
    }
    if (stopped !== undefined) return result(stopped);
    if (report === null) return result('start_failed', { detail: 'the sandbox could not be made' });
    if ('errno' in report)
      return result('start_failed', { detail: `${report.errno}: the program did not start` });
    return report.signal === null
      ? result('exited', { exitCode: report.code })
      : result('signaled', { signal: report.signal });
  }
}

/** What the init reports, or null when it ended without a word. */
async function readReport(child: ChildProcess): Promise<Report | null> {
  const stream = child.stdio[4];
  let text = '';
  if (stream === null || stream === undefined || !('on' in stream)) return null;
  await new Promise<void>((resolve) => {
    stream.on('data', (bytes: Buffer) => (text += bytes.toString('utf8')));
    stream.once('close', () => resolve());
    stream.once('error', () => resolve());
    child.once('error', () => resolve());
  });
  return text === '' ? null : (JSON.parse(text) as Report);
}

/** Resolves at the end of the stream. */
function capture(
  stream: Socket,
  name: 'stdout' | 'stderr',
  into: OutputCapture,
  spec: ExecSpec,
): Promise<void> {
  stream.on('data', (bytes: Buffer) => {
    into.add(bytes);
    try {
      spec.onOutput?.(name, bytes);
    } catch {
      // An observer's fault must not change how the program ends.
    }
  });
  return new Promise((resolve) => {
    stream.once('close', () => resolve());
    stream.on('error', () => resolve());
  });
}

/** Why a spec cannot be run, or null. Names the part that is wrong and never quotes it. */
function specFault(spec: ExecSpec): string | null {
  if (spec.argv[0] === '' || spec.argv.some((word) => word.includes('\0')))
    return 'EINVAL: the program or an argument is empty or holds a NUL byte';
  for (const [name, value] of Object.entries(spec.env))
    if (name === '' || /[=\0]/.test(name) || value.includes('\0'))
      return 'EINVAL: an environment variable is malformed';
  const cwd = normalize(spec.cwd ?? '.');
  return isAbsolute(cwd) || cwd === '..' || cwd.startsWith('../')
    ? 'EINVAL: the working directory is outside of the workspace'
    : null;
}
