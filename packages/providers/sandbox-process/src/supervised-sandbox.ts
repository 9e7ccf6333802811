import type { ExecResult, SandboxProtection, SandboxSpec } from '@palisade/contracts';
import { beginningOf, noteBeginning } from './beginning.ts';
import { type Cgroup, findCgroup } from './cgroup.ts';
import { toResult } from './exec-result.ts';
import { ProcessTree } from '@palisade/process';
import { type LimitPlan, nameLimit } from './resource-limits.ts';
import { SerialSandbox } from './serial-sandbox.ts';
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
 * A sandbox whose programs are processes of this machine: destroying it ends every process that is left.
 * A provider says how a program is started.
 */
export abstract class SupervisedSandbox extends SerialSandbox {
  protected readonly supervision: Supervision;
  protected readonly tree: ProcessTree;

  constructor(supervision: Supervision) {
    super(supervision.posture);
    this.supervision = supervision;
    this.tree = new ProcessTree(supervision.spec.attemptId, noteBeginning(supervision.spec.stateDir));
  }

  protected override async dismantle(): Promise<void> {
    await this.endAll();
    await this.supervision.cgroup?.remove();
    this.supervision.streams?.remove();
    this.release();
  }

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

/** Ends what a supervisor that died left running for the attempt whose state is in `stateDir`. */
export async function reapProcesses(attemptId: string, stateDir: string): Promise<void> {
  const cgroup = findCgroup(attemptId);
  cgroup?.kill();
  await new ProcessTree(attemptId, beginningOf(stateDir)).end();
  await cgroup?.remove();
}
