import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import type { ExecSpec, SandboxLimits } from '@palisade/contracts';
import { OutputCapture } from './output-capture.ts';
import type { OpenStreams, StandardStreams } from './standard-streams.ts';
import { stopWhenDue } from './stop-when-due.ts';

/** A program to start, with the launchers a provider puts in front of it. */
export interface Launch {
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** File descriptors from 3 on: an open one of ours, or `pipe` for one that `started` gets the other end of. */
  readonly descriptors?: readonly (number | 'pipe')[];
  /** Pipes for the standard streams; without them the program gets sockets, which it cannot open a second time. */
  readonly streams: StandardStreams | null;
  /** Runs the spawn itself, e.g. inside of a control group. */
  readonly around?: <T>(spawn: () => T) => T;
}

/** How a provider reaches the processes of the program. */
export interface Reach {
  /** Called once the program has a pid, in the same turn of the event loop. */
  started(child: ChildProcess, pid: number): void;
  /** The polite request to end. */
  terminate(): void;
  /** Ends everything the program started; resolves when nothing of it lives. */
  end(): Promise<void>;
}

export interface Ended {
  /** `error`: it never ran. `exit`: by itself or by a foreign signal. Else it was stopped by us. */
  readonly cause: 'error' | 'exit' | 'timeout' | 'cancel';
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The system's error name when `cause` is `error`, e.g. `ENOENT`. */
  readonly errno: string | null;
  /** True when something outlived SIGKILL; destroying the sandbox will say so as well. */
  readonly hasSurvivors: boolean;
  readonly stdout: OutputCapture;
  readonly stderr: OutputCapture;
  readonly durationMs: number;
}

type StdioEntry = number | 'pipe' | null;

/** The longest wait for the end of a stream that something outside of our reach holds open. */
const DRAIN_MS = 2_000;

/**
 * Runs one program to its end and drains what it wrote (FF-065). When the program ends, is out of
 * time or is cancelled, everything it started ends with it: a program's life is its main process's.
 * Never rejects. `signal` cancels it like the one of the spec does.
 */
export async function supervise(
  launch: Launch,
  spec: ExecSpec,
  limits: SandboxLimits,
  reach: Reach,
): Promise<Ended> {
  const startedAt = performance.now();
  const stdout = new OutputCapture(limits.stdoutBytes);
  const stderr = new OutputCapture(limits.stderrBytes);
  let cause: Ended['cause'] = 'exit';
  let hasSurvivors = false;
  const ended = (exitCode: number | null, signal: NodeJS.Signals | null, errno: string | null): Ended => ({
    cause,
    exitCode,
    signal,
    errno,
    hasSurvivors,
    stdout,
    stderr,
    durationMs: Math.round(performance.now() - startedAt),
  });

  let child: ChildProcess;
  let streams: OpenStreams | null = null;
  try {
    streams = launch.streams?.open(spec.stdin) ?? null;
    const standard: readonly StdioEntry[] = streams?.descriptors ?? [
      spec.stdin === undefined ? null : 'pipe',
      'pipe',
      'pipe',
    ];
    const start = (): ChildProcess =>
      spawn(launch.argv[0], launch.argv.slice(1), {
        cwd: launch.cwd,
        // The named variable is one that Node would otherwise add to every environment.
        env: { NODE_V8_COVERAGE: undefined, ...launch.env },
        stdio: [...standard.map((entry) => entry ?? 'ignore'), ...(launch.descriptors ?? [])],
        detached: true,
      });
    child = launch.around === undefined ? start() : launch.around(start);
  } catch (error) {
    // Node's message quotes the offending value; only the name of the error may pass.
    cause = 'error';
    for (const stream of [streams?.stdout, streams?.stderr]) stream?.destroy();
    return ended(null, null, errnoOf(error));
  } finally {
    streams?.handOver();
  }
  const output = { stdout: streams?.stdout ?? child.stdout, stderr: streams?.stderr ?? child.stderr };
  const outcome = new Promise<{ code: number | null; signal: NodeJS.Signals | null; error?: unknown }>(
    (resolve) => {
      child.once('exit', (code, signal) => resolve({ code, signal }));
      child.once('error', (error) => resolve({ code: null, signal: null, error }));
    },
  );
  const drained = Promise.all([
    drain(output.stdout, (bytes) => {
      stdout.add(bytes);
      observe(spec, 'stdout', bytes);
    }),
    drain(output.stderr, (bytes) => {
      stderr.add(bytes);
      observe(spec, 'stderr', bytes);
    }),
  ]);
  // A program may end without reading its input; that is its right and not our failure.
  child.stdin?.on('error', () => {});
  if (child.pid === undefined) {
    cause = 'error';
    for (const stream of [output.stdout, output.stderr]) stream?.destroy();
    return ended(null, null, errnoOf((await outcome).error));
  }
  reach.started(child, child.pid);
  if (spec.stdin !== undefined) child.stdin?.end(spec.stdin);

  const end = async (): Promise<void> => {
    try {
      await reach.end();
    } catch {
      hasSurvivors = true;
    }
  };
  const forced = Promise.withResolvers<void>();
  let endings = Promise.resolve();
  const stopping = stopWhenDue(
    spec,
    () => reach.terminate(),
    () => {
      endings = end();
      void endings.then(forced.resolve);
    },
  );

  // After everything was killed, the exit is reported at once; a missing report must not hang the caller.
  const exit = await Promise.race([
    outcome,
    forced.promise.then(async () => Promise.race([outcome, delay(DRAIN_MS).then(() => null)])),
  ]);
  stopping.dispose();
  cause = stopping.cause;
  // One that is still at it would take the next program for a rest of this one.
  await endings;
  await end();
  await Promise.race([drained, delay(DRAIN_MS, undefined, { ref: false })]);
  for (const stream of [child.stdin, output.stdout, output.stderr]) stream?.destroy();
  return ended(exit?.code ?? null, exit?.signal ?? null, null);
}

function drain(stream: NodeJS.ReadableStream | null, take: (bytes: Buffer) => void): Promise<void> {
  return new Promise((resolve) => {
    if (stream === null) return resolve();
    stream.on('data', take);
    stream.once('error', () => resolve());
    stream.once('close', () => resolve());
  });
}

/** An observer's fault is the observer's: it must neither stop the draining nor change how the program ended. */
export function observe(spec: ExecSpec, stream: 'stdout' | 'stderr', bytes: Buffer): void {
  try {
    spec.onOutput?.(stream, bytes);
  } catch (error) {
    process.emitWarning(`an output observer threw ${error instanceof Error ? error.name : 'a value'}`);
  }
}

function errnoOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'EINVAL';
}
