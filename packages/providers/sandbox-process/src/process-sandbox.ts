import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecResult, ExecSpec, Sandbox, SandboxProtection, SandboxSpec } from '@palisade/contracts';
import type { Cgroup } from './cgroup.ts';
import { ExecQueue } from './exec-queue.ts';
import { canceledEarly, describeErrno, notStarted, specFault, toResult } from './exec-result.ts';
import { startFault } from './find-program.ts';
import { startTimeNow } from '@palisade/process';
import { ProcessTree } from './process-tree.ts';
import { type LimitPlan, nameLimit } from './resource-limits.ts';
import type { StandardStreams } from './standard-streams.ts';
import { supervise } from './supervise.ts';

/**
 * Programs as the supervisor's own user on the host, without a boundary. What it does promise:
 * exactly the environment given, the limits of its posture, and an end that reaches every
 * descendant which did not take pains to hide.
 */
export class ProcessSandbox implements Sandbox {
  readonly posture: readonly SandboxProtection[];
  readonly workspacePath: string;
  readonly uid = null;
  readonly #spec: SandboxSpec;
  readonly #plan: LimitPlan;
  readonly #cgroup: Cgroup | null;
  readonly #streams: StandardStreams | null;
  readonly #tree: ProcessTree;
  readonly #queue = new ExecQueue();
  readonly #destroying = new AbortController();

  constructor(
    spec: SandboxSpec,
    posture: readonly SandboxProtection[],
    plan: LimitPlan,
    cgroup: Cgroup | null,
    streams: StandardStreams | null,
  ) {
    this.#spec = spec;
    this.posture = posture;
    this.workspacePath = spec.workspaceDir;
    this.#plan = plan;
    this.#cgroup = cgroup;
    this.#streams = streams;
    this.#tree = new ProcessTree(spec.attemptId, startTimeNow());
  }

  exec(spec: ExecSpec): Promise<ExecResult> {
    const signal = AbortSignal.any([
      this.#destroying.signal,
      ...(spec.signal === undefined ? [] : [spec.signal]),
    ]);
    return this.#queue.run(() => this.#run({ ...spec, signal }));
  }

  async destroy(): Promise<void> {
    this.#destroying.abort();
    await this.#queue.idle();
    await this.#end();
    await this.#cgroup?.remove();
    this.#streams?.remove();
  }

  async #run(spec: ExecSpec): Promise<ExecResult> {
    if (this.#destroying.signal.aborted) return notStarted('the sandbox is destroyed');
    if (spec.signal?.aborted === true) return canceledEarly();
    const cwd = join(this.#spec.workspaceDir, spec.cwd ?? '.');
    const fault = specFault(spec) ?? directoryFault(cwd);
    if (fault !== null) return notStarted(fault);
    const errno = startFault(spec.argv[0], spec.env['PATH'], cwd);
    if (errno !== null) return notStarted(describeErrno(errno));

    const cgroup = this.#cgroup;
    const before = cgroup?.counts() ?? null;
    const [first, ...rest] = [...this.#plan.argv, ...spec.argv];
    let pid = 0;
    const ended = await supervise(
      {
        argv: [first ?? spec.argv[0], ...rest],
        env: spec.env,
        cwd,
        streams: this.#streams,
        ...(cgroup !== null && { around: (start) => cgroup.spawnInside(start) }),
      },
      spec,
      this.#spec.limits,
      {
        started: (_child, started) => {
          pid = started;
          this.#tree.add(pid, true);
        },
        terminate: () => signalGroup(pid),
        end: async () => this.#end(),
      },
    );
    if (ended.cause === 'error') return notStarted(describeErrno(ended.errno ?? 'EINVAL'), ended.durationMs);
    const after = cgroup?.counts() ?? null;
    return toResult(ended, nameLimit(ended, this.#plan, before, after));
  }

  async #end(): Promise<void> {
    this.#cgroup?.kill();
    await this.#tree.end();
  }
}

function signalGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGTERM');
  } catch {
    // The group is gone already, which is what was asked for.
  }
}

function directoryFault(cwd: string): string | null {
  try {
    return statSync(cwd).isDirectory() ? null : 'ENOTDIR: the working directory is not a directory';
  } catch {
    return 'ENOENT: the working directory does not exist';
  }
}
