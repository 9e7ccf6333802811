import type { ExecResult, ExecSpec, Sandbox, SandboxProtection, SandboxSpec } from '@palisade/contracts';
import { startTimeNow } from '@palisade/process';
import { type Cgroup, findCgroup } from './cgroup.ts';
import { ExecQueue } from './exec-queue.ts';
import { canceledEarly, notStarted, specFault, toResult } from './exec-result.ts';
import { ProcessTree } from './process-tree.ts';
import { type LimitPlan, nameLimit } from './resource-limits.ts';
import type { StandardStreams } from './standard-streams.ts';
import type { Ended } from './supervise.ts';

/** What a supervised sandbox is made of, whatever its boundary is. */
export interface Supervision {
  readonly spec: SandboxSpec;
  /** What holds whatever the programs see; the rest is claimed when it is proved. */
  readonly posture: readonly SandboxProtection[];
  readonly plan: LimitPlan;
  readonly cgroup: Cgroup | null;
  readonly streams: StandardStreams | null;
}

/**
 * A sandbox whose programs are processes of this machine: one runs at a time, in the order they were
 * asked for; what cannot be run is said and not tried; destroying it stops the one that runs, lets none
 * start after it, and ends every process that is left. A provider says how a program is started.
 */
export abstract class SupervisedSandbox implements Sandbox {
  abstract readonly workspacePath: string;
  abstract readonly uid: number | null;
  #posture: readonly SandboxProtection[];
  protected readonly supervision: Supervision;
  protected readonly tree: ProcessTree;
  readonly #queue = new ExecQueue();
  readonly #destroying = new AbortController();

  constructor(supervision: Supervision) {
    this.supervision = supervision;
    this.#posture = supervision.posture;
    this.tree = new ProcessTree(supervision.spec.attemptId, startTimeNow());
  }

  get posture(): readonly SandboxProtection[] {
    return this.#posture;
  }

  /** Adds what was proved in the sandbox itself. */
  claim(proved: readonly SandboxProtection[]): void {
    this.#posture = [...proved, ...this.#posture];
  }

  exec(spec: ExecSpec): Promise<ExecResult> {
    const signal = AbortSignal.any([
      this.#destroying.signal,
      ...(spec.signal === undefined ? [] : [spec.signal]),
    ]);
    return this.#queue.run(async () => {
      if (this.#destroying.signal.aborted) return notStarted('the sandbox is destroyed');
      if (signal.aborted) return canceledEarly();
      const fault = specFault(spec);
      return fault === null ? this.run({ ...spec, signal }) : notStarted(fault);
    });
  }

  async destroy(): Promise<void> {
    this.#destroying.abort();
    await this.#queue.idle();
    await this.endAll();
    await this.supervision.cgroup?.remove();
    this.supervision.streams?.remove();
    this.release();
  }

  /** Runs a program that can be run, while no other one does. */
  protected abstract run(spec: ExecSpec): Promise<ExecResult>;

  /** Frees what the provider made; no process is left by then. */
  protected release(): void {}

  /** Ends every process of this sandbox. */
  protected async endAll(): Promise<void> {
    this.supervision.cgroup?.kill();
    await this.tree.end();
  }

  /** Watches the limits of one program; the function it returns gives the program's result with the limit that ended it. */
  protected watchLimits(): (ended: Ended) => ExecResult {
    const { cgroup, plan } = this.supervision;
    const before = cgroup?.counts() ?? null;
    return (ended) => toResult(ended, nameLimit(ended, plan, before, cgroup?.counts() ?? null));
  }
}

/** Ends what a supervisor that died left running for the attempt. */
export async function reapProcesses(attemptId: string): Promise<void> {
  const cgroup = findCgroup(attemptId);
  cgroup?.kill();
  await new ProcessTree(attemptId, 0).end();
  await cgroup?.remove();
}
