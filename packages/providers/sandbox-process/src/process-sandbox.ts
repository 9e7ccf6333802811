import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecResult, ExecSpec } from '@palisade/contracts';
import { describeErrno, notStarted } from './exec-result.ts';
import { startFault } from './find-program.ts';
import { supervise } from './supervise.ts';
import { SupervisedSandbox, type Supervision } from './supervised-sandbox.ts';

/**
 * Programs as the supervisor's own user on the host, without a boundary. What it does promise:
 * exactly the environment given, the limits of its posture, and an end that reaches every
 * descendant which did not take pains to hide.
 */
export class ProcessSandbox extends SupervisedSandbox {
  readonly workspacePath: string;
  readonly uid = null;

  constructor(supervision: Supervision) {
    super(supervision);
    this.workspacePath = supervision.spec.workspaceDir;
  }

  protected override async run(spec: ExecSpec): Promise<ExecResult> {
    const cwd = join(this.workspacePath, spec.cwd ?? '.');
    const fault = directoryFault(cwd);
    if (fault !== null) return notStarted(fault);
    const errno = startFault(spec.argv[0], spec.env['PATH'], cwd);
    if (errno !== null) return notStarted(describeErrno(errno));

    const { cgroup, plan, streams, spec: sandbox } = this.supervision;
    const resultOf = this.watchLimits();
    const [first, ...rest] = [...plan.argv, ...spec.argv];
    let pid = 0;
    const ended = await supervise(
      {
        argv: [first ?? spec.argv[0], ...rest],
        env: spec.env,
        cwd,
        streams,
        ...(cgroup !== null && { around: (start) => cgroup.spawnInside(start) }),
      },
      spec,
      sandbox.limits,
      {
        started: (_child, started) => {
          pid = started;
          this.tree.add(pid, true);
        },
        terminate: () => signalGroup(pid),
        end: async () => this.endAll(),
      },
    );
    if (ended.cause === 'error') return notStarted(describeErrno(ended.errno ?? 'EINVAL'), ended.durationMs);
    return resultOf(ended);
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
