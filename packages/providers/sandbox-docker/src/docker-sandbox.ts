import { realpathSync } from 'node:fs';
import { join, sep } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ExecResult, ExecSpec, Sandbox, SandboxProtection, SandboxSpec } from '@palisade/contracts';
import {
  canceledEarly,
  describeErrno,
  type Ended,
  errnoOfMessage,
  ExecQueue,
  nameLimit,
  notStarted,
  OutputCapture,
  signalOfStatus,
  specFault,
  toResult,
} from '@palisade/sandbox-process';
import type Docker from 'dockerode';
import { PassThrough, type Duplex } from 'node:stream';
import { containerOptions, WORKSPACE } from './container-options.ts';

export interface DockerSandboxOptions {
  readonly docker: Docker;
  readonly image: string;
  readonly spec: SandboxSpec;
  readonly uid: number;
  readonly posture: readonly SandboxProtection[];
}

/** The longest wait for the last bytes of a container that has ended. */
const DRAIN_MS = 5_000;
const MAX_TIMER_MS = 2 ** 31 - 1;

/** One attempt's sandbox: each program gets a container over the same workspace, one after another. */
export class DockerSandbox implements Sandbox {
  readonly posture: readonly SandboxProtection[];
  readonly workspacePath = WORKSPACE;
  readonly uid: number;
  readonly #options: DockerSandboxOptions;
  readonly #queue = new ExecQueue();
  readonly #destroying = new AbortController();

  constructor(options: DockerSandboxOptions) {
    this.#options = options;
    this.posture = options.posture;
    this.uid = options.uid;
  }

  exec(spec: ExecSpec): Promise<ExecResult> {
    const signal = AbortSignal.any([
      this.#destroying.signal,
      ...(spec.signal === undefined ? [] : [spec.signal]),
    ]);
    return this.#queue.run(() => this.#run(spec, signal));
  }

  async destroy(): Promise<void> {
    this.#destroying.abort();
    await this.#queue.idle();
  }

  async #run(spec: ExecSpec, signal: AbortSignal): Promise<ExecResult> {
    if (this.#destroying.signal.aborted) return notStarted('the sandbox is destroyed');
    if (signal.aborted) return canceledEarly();
    const fault = specFault(spec) ?? this.#directoryFault(spec.cwd ?? '.');
    if (fault !== null) return notStarted(fault);
    const { docker, image, uid, spec: sandbox } = this.#options;
    let container: Docker.Container;
    try {
      container = await docker.createContainer(
        containerOptions({
          image,
          attemptId: sandbox.attemptId,
          exec: spec,
          limits: sandbox.limits,
          network: sandbox.network,
          uid,
          gid: uid,
          mounts: [
            { Type: 'bind', Source: sandbox.workspaceDir, Target: WORKSPACE },
            ...sandbox.readOnlyPaths.map((path) => ({
              Type: 'bind' as const,
              Source: path,
              Target: path,
              ReadOnly: true,
            })),
          ],
        }),
      );
    } catch (error) {
      return notStarted(reasonOf(error));
    }
    try {
      return await this.#runIn(container, spec, signal);
    } finally {
      await container.remove({ force: true, v: true }).catch(() => undefined);
    }
  }

  async #runIn(container: Docker.Container, spec: ExecSpec, signal: AbortSignal): Promise<ExecResult> {
    const startedAt = performance.now();
    const { limits } = this.#options.spec;
    const stdout = new OutputCapture(limits.stdoutBytes);
    const stderr = new OutputCapture(limits.stderrBytes);
    let cause: Ended['cause'] = 'exit';
    const stream = (await container.attach({
      stream: true,
      hijack: true,
      stdin: spec.stdin !== undefined,
      stdout: true,
      stderr: true,
    })) as Duplex;
    const drained = this.#drain(stream, spec, stdout, stderr);
    const exit = container.wait({ condition: 'next-exit' }) as Promise<{ StatusCode: number }>;
    exit.catch(() => undefined);
    try {
      await container.start();
    } catch (error) {
      stream.destroy();
      return notStarted(reasonOf(error), Math.round(performance.now() - startedAt));
    }
    if (spec.stdin !== undefined) stream.end(spec.stdin);
    let grace: NodeJS.Timeout | undefined;
    const kill = (name: 'SIGTERM' | 'SIGKILL'): void =>
      void container.kill({ signal: name }).catch(() => undefined);
    const stop = (why: 'timeout' | 'cancel'): void => {
      if (cause !== 'exit') return;
      cause = why;
      kill('SIGTERM');
      grace = setTimeout(() => kill('SIGKILL'), Math.min(spec.graceMs, MAX_TIMER_MS));
    };
    const cancel = (): void => stop('cancel');
    const timer = setTimeout(() => stop('timeout'), Math.min(spec.timeoutMs, MAX_TIMER_MS));
    signal.addEventListener('abort', cancel, { once: true });
    if (signal.aborted) cancel();
    let status: number | null = null;
    try {
      status = (await exit).StatusCode;
    } finally {
      clearTimeout(timer);
      clearTimeout(grace);
      signal.removeEventListener('abort', cancel);
    }
    await Promise.race([drained, delay(DRAIN_MS, undefined, { ref: false })]);
    stream.destroy();
    const durationMs = Math.round(performance.now() - startedAt);
    const startFault = cause === 'exit' ? whyNotStarted(status, stderr.tail) : null;
    if (startFault !== null) return notStarted(startFault, durationMs);
    const isOutOfMemory = cause === 'exit' && (await wasOutOfMemory(container));
    const signalName = signalOfStatus(status);
    const ended: Ended = {
      cause,
      exitCode: signalName === null ? status : null,
      signal: signalName,
      errno: null,
      hasSurvivors: false,
      stdout,
      stderr,
      durationMs,
    };
    return toResult(ended, this.#limitOf(ended, isOutOfMemory));
  }

  #limitOf(ended: Ended, isOutOfMemory: boolean): ExecResult['limit'] {
    const holds = (one: SandboxProtection): boolean => this.posture.includes(one);
    const counts = { memoryKills: 0, refusedForks: 0 };
    return nameLimit(
      ended,
      {
        argv: [],
        memory: holds('memory-limit'),
        processes: holds('process-limit'),
        fileSize: holds('file-size-limit'),
      },
      counts,
      { ...counts, memoryKills: isOutOfMemory ? 1 : 0 },
    );
  }

  #drain(stream: Duplex, spec: ExecSpec, stdout: OutputCapture, stderr: OutputCapture): Promise<void> {
    const { docker } = this.#options;
    const watch = (name: 'stdout' | 'stderr', capture: OutputCapture): PassThrough => {
      const side = new PassThrough();
      side.on('data', (bytes: Buffer) => {
        capture.add(bytes);
        try {
          spec.onOutput?.(name, bytes);
        } catch (error) {
          process.emitWarning(`an output observer threw ${error instanceof Error ? error.name : 'a value'}`);
        }
      });
      return side;
    };
    docker.modem.demuxStream(stream, watch('stdout', stdout), watch('stderr', stderr));
    return new Promise((resolve) => {
      for (const event of ['end', 'close', 'error'] as const) stream.once(event, () => setImmediate(resolve));
    });
  }

  /** Docker would make a missing directory, and enter one that a link leads out to: neither may happen. */
  #directoryFault(cwd: string): string | null {
    const root = this.#options.spec.workspaceDir;
    try {
      const real = realpathSync(join(root, cwd));
      if (real === root || real.startsWith(root + sep)) return null;
      return 'EACCES: the working directory is not inside the workspace';
    } catch {
      return 'ENOENT: the working directory cannot be entered';
    }
  }
}

async function wasOutOfMemory(container: Docker.Container): Promise<boolean> {
  const facts = await container.inspect();
  return facts.State.OOMKilled;
}

/** Why a container was not made or started: the kind of error, never the daemon's words, which quote the command. */
function reasonOf(error: unknown): string {
  const words = error instanceof Error ? error.message : '';
  const errno = /executable file not found/.test(words) ? 'ENOENT' : errnoOfMessage(capitalised(words));
  if (errno !== null) return describeErrno(errno);
  const status = (error as { statusCode?: number }).statusCode;
  if (status === 404) return 'ENOENT: the daemon does not have the image';
  return `the container could not be started (${status === undefined ? 'no answer of the daemon' : `status ${status}`})`;
}

/** runc writes system messages in lower case. */
function capitalised(words: string): string {
  return words.replace(/: ([a-z])/g, (_, letter: string) => `: ${letter.toUpperCase()}`);
}

/** Why the program never ran, or null when it did. Takes only the kind of error from a message, never its words. */
function whyNotStarted(status: number | null, words: string): string | null {
  if (status !== 126 && status !== 127) return null;
  const isLauncher = /^(\/usr\/bin\/)?env: [^\n]*: [A-Z][a-z ]+\n$|^\[FATAL tini \(\d+\)\] exec /m.test(
    words,
  );
  return isLauncher ? describeErrno(errnoOfMessage(words) ?? 'EACCES') : null;
}
