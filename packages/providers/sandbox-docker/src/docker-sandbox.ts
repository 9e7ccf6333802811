import { realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type ExecResult,
  type ExecSpec,
  PalisadeError,
  type SandboxProtection,
  type SandboxSpec,
} from '@palisade/contracts';
import {
  describeErrno,
  type Ended,
  errnoOfMessage,
  faultOfEnv,
  nameLimit,
  notStarted,
  observe,
  OutputCapture,
  removeOwn,
  SerialSandbox,
  signalOfStatus,
  stopWhenDue,
  toResult,
} from '@palisade/sandbox-process';
import { containerOptions, type Image, type Mount, WORKSPACE } from './container-options.ts';
import { removeContainers } from './containers.ts';
import type { EngineClient } from './engine-client.ts';
import { codeOfMessage, EngineError } from './engine-error.ts';
import type { OwnDirectory } from './own-directory.ts';
import { FrameReader } from './stream-frames.ts';

/** What the provider prepared for a sandbox. */
export interface Prepared {
  readonly engine: EngineClient;
  readonly image: Image;
  readonly spec: SandboxSpec;
  readonly own: OwnDirectory;
  /** Number of the user that programs run as. */
  readonly user: number;
  /** True when that is another one than the supervisor. */
  readonly isOtherUser: boolean;
}

/** The longest wait for the last bytes of a container that has ended; a stopped one's are not worth as much. */
const DRAIN_MS = { ended: 30_000, stopped: 3_000 };
/** How long the engine may take to end a container by force. */
const KILL_MS = 30_000;

/** One attempt's sandbox: each program gets a container over the same workspace and /tmp, one after another. */
export class DockerSandbox extends SerialSandbox {
  readonly workspacePath = WORKSPACE;
  readonly uid: number | null;
  readonly image: string;
  readonly #prepared: Prepared;

  constructor(prepared: Prepared) {
    super([]);
    this.#prepared = prepared;
    this.image = prepared.image.id;
    this.uid = prepared.isOtherUser ? prepared.user : null;
  }

  protected override async dismantle(): Promise<void> {
    const { engine, spec, own } = this.#prepared;
    await removeContainers(engine, spec.attemptId, false);
    removeOwn(own.root);
  }

  /** @throws PalisadeError when it is the engine that failed, not the program */
  protected override async run(spec: ExecSpec): Promise<ExecResult> {
    const fault = directoryFault(this.#prepared.spec.workspaceDir, spec.cwd ?? '.');
    if (fault !== null) return notStarted(fault);
    const startedAt = performance.now();
    const { engine } = this.#prepared;
    let id: string | null = null;
    try {
      id = await this.#create(spec);
      return await this.#runIn(id, spec, startedAt);
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      return notStarted(startFault(error), Math.round(performance.now() - startedAt));
    } finally {
      // What cannot be removed now is looked for again when the sandbox is destroyed.
      if (id !== null) await engine.remove(id).catch(() => undefined);
    }
  }

  /** While the request is under way its mark says so: a container may appear after the supervisor's death. */
  async #create(exec: ExecSpec): Promise<string> {
    const { engine, image, own, spec, user } = this.#prepared;
    const mounts: Mount[] = [
      { source: spec.workspaceDir, target: WORKSPACE, isWritable: true },
      { source: own.tmp, target: '/tmp', isWritable: true },
      ...spec.readOnlyPaths.map((path) => ({ source: path, target: path, isWritable: false })),
    ];
    const { attemptId, limits, network } = spec;
    const options = containerOptions({ image, attemptId, exec, limits, network, user, mounts });
    writeFileSync(own.creating, '');
    const id = await engine.create(options);
    rmSync(own.creating, { force: true });
    return id;
  }

  async #runIn(id: string, spec: ExecSpec, startedAt: number): Promise<ExecResult> {
    const { engine } = this.#prepared;
    const { limits } = this.#prepared.spec;
    const output = await engine.attach(id, 'output');
    let input: Duplex | null = null;
    try {
      const stdout = new OutputCapture(limits.stdoutBytes);
      const stderr = new OutputCapture(limits.stderrBytes);
      const drained = drain(output, (stream, bytes) => {
        (stream === 'stdout' ? stdout : stderr).add(bytes);
        observe(spec, stream, bytes);
      });
      if (spec.stdin !== undefined) input = await engine.attach(id, 'input');
      // A program may end without reading its input; that is its right and not our failure.
      input?.on('error', () => {});
      await engine.start(id);
      input?.resume().end(spec.stdin);
      const { cause, status } = await this.#untilExit(id, spec);
      const wasStopped = cause !== 'exit';
      const isWhole = await Promise.race([
        drained,
        delay(wasStopped ? DRAIN_MS.stopped : DRAIN_MS.ended, false, { ref: false }),
      ]);
      if (!isWhole && !wasStopped) throw broken('the output of a program was cut off');
      const fault = wasStopped ? null : launcherFault(status, stderr.tail);
      const durationMs = Math.round(performance.now() - startedAt);
      if (fault !== null) return notStarted(fault, durationMs);
      const signal = signalOfStatus(status);
      const exitCode = signal === null ? status : null;
      const facts = { errno: null, hasSurvivors: false };
      const ended: Ended = { cause, exitCode, signal, stdout, stderr, durationMs, ...facts };
      return toResult(ended, wasStopped ? undefined : await this.#limitOf(id, ended));
    } finally {
      output.destroy();
      input?.destroy();
    }
  }

  /** Waits for the end of a container that was started, and sees to it that there is one. */
  async #untilExit(
    id: string,
    spec: ExecSpec,
  ): Promise<{ readonly cause: 'exit' | 'timeout' | 'cancel'; readonly status: number }> {
    const { engine } = this.#prepared;
    const overdue = Promise.withResolvers<never>();
    let lastCall: NodeJS.Timeout | undefined;
    const stopping = stopWhenDue(
      spec,
      () => void engine.kill(id, 'SIGTERM').catch(() => undefined),
      () => {
        lastCall = setTimeout(() => overdue.reject(broken('a container outlived SIGKILL')), KILL_MS);
        engine.kill(id, 'SIGKILL').catch((error: unknown) => overdue.reject(lost(error)));
      },
    );
    try {
      const status = await Promise.race([engine.wait(id), overdue.promise]);
      return { cause: stopping.cause, status };
    } catch (error) {
      throw lost(error);
    } finally {
      stopping.dispose();
      clearTimeout(lastCall);
    }
  }

  async #limitOf(id: string, ended: Ended): Promise<ExecResult['limit']> {
    const { engine } = this.#prepared;
    const holds = (one: SandboxProtection): boolean => this.posture.includes(one);
    const held = {
      memory: holds('memory-limit'),
      processes: holds('process-limit'),
      fileSize: holds('file-size-limit'),
    };
    const none = { memoryKills: 0, refusedForks: 0 };
    if (ended.exitCode === 0) return undefined;
    const isOutOfMemory = await engine.wasOutOfMemory(id).catch((error: unknown) => {
      throw lost(error);
    });
    return nameLimit(ended, held, none, { ...none, memoryKills: isOutOfMemory ? 1 : 0 });
  }
}

/** Reads frames to the end of the connection. Resolves with true when every one of them came whole. */
function drain(
  connection: Duplex,
  take: (stream: 'stdout' | 'stderr', bytes: Buffer) => void,
): Promise<boolean> {
  const frames = new FrameReader(take);
  return new Promise((resolve) => {
    connection.on('data', (bytes: Buffer) => {
      if (!frames.read(bytes)) connection.destroy();
    });
    connection.once('end', () => resolve(frames.isBetweenFrames));
    connection.on('error', () => resolve(false));
    connection.once('close', () => resolve(false));
  });
}

/** Docker would enter a directory that a link leads out to, and say nothing clear of one that is missing. */
function directoryFault(root: string, cwd: string): string | null {
  try {
    const real = realpathSync(join(root, cwd));
    if (real === root || real.startsWith(root + sep)) return null;
    return 'EACCES: the working directory is not inside the workspace';
  } catch {
    return 'ENOENT: the working directory cannot be entered';
  }
}

/**
 * Why the program of an ended container never ran, or null when it did: the last words of runc, which starts
 * the first process, of that process, which starts the program, or of `env` in front of it.
 */
function launcherFault(status: number, words: string): string | null {
  const ofRunc = /^exec \/sbin\/docker-init(: [a-z ]+)\n$/.exec(words)?.[1];
  if (ofRunc !== undefined && [1, 126, 127, 255].includes(status))
    return describeErrno(codeOfMessage(ofRunc) ?? 'EACCES');
  if (status !== 126 && status !== 127) return null;
  if (/^\[FATAL tini \(\d+\)\] exec /m.test(words)) return describeErrno(errnoOfMessage(words) ?? 'EACCES');
  return faultOfEnv(words);
}

/** What the engine said about a program it could not start. All else is the engine's own trouble, and thrown. */
function startFault(error: EngineError): string {
  if (error.code === 'UNSEEN_PATH') throw notSeen();
  if (error.status !== null && error.code !== null) return describeErrno(error.code);
  throw error.toPalisade();
}

/** The engine is on another machine, or what it starts has no access to this one's files. */
export function notSeen(): PalisadeError {
  return new PalisadeError('requirements_unmet', 'the Docker engine does not see the files of this machine', {
    why: 'it runs elsewhere, or what it starts may not write them',
    next: 'use an engine of this machine: unset DOCKER_HOST or set unix://PATH',
  });
}

function broken(what: string): PalisadeError {
  return new PalisadeError('provider_failed', what);
}

/** Once a program runs, every fault of the engine is one: how the program went on is not known. */
function lost(error: unknown): unknown {
  return error instanceof EngineError ? error.toPalisade() : error;
}
