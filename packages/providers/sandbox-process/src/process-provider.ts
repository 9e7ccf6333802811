import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type {
  Sandbox,
  SandboxLimits,
  SandboxProbe,
  SandboxProtection,
  SandboxProvider,
  SandboxSpec,
} from '@palisade/contracts';
import { limits as stated, PalisadeError } from '@palisade/contracts';
import { type Cgroup, createCgroup } from './cgroup.ts';
import { ProcessSandbox } from './process-sandbox.ts';
import { hasProcessTable } from '@palisade/process';
import { enforcedLimits, type LimitPlan, planLimits } from './resource-limits.ts';
import { StandardStreams } from './standard-streams.ts';
import { reapProcesses } from './supervised-sandbox.ts';

/**
 * The provider of last resort: no boundary, named so in its posture. It is the default only where every
 * stronger one is missing (its strength is 0), and that is announced. Needs `/proc`, without which it could not keep its one promise, that
 * nothing outlives the sandbox.
 */
export function processSandboxes(): SandboxProvider {
  let probed: SandboxProbe | undefined;
  return {
    name: 'process',
    strength: 0,
    async probe() {
      probed ??= await probe();
      return probed;
    },
    async allocate(spec: SandboxSpec): Promise<Sandbox> {
      if (!hasProcessTable()) throw new PalisadeError('requirements_unmet', NO_PROC.reason, NO_PROC);
      mkdirSync(spec.stateDir, { recursive: true, mode: 0o700 });
      const cgroup = createCgroup(spec.attemptId, spec.limits, 0);
      const plan = planFor(spec.attemptId, spec.limits, cgroup);
      const streams = StandardStreams.make(spec.stateDir);
      return new ProcessSandbox({ spec, posture: postureOf(plan, cgroup), plan, cgroup, streams });
    },
    async reap(attemptId: string, stateDir: string): Promise<void> {
      await reapProcesses(attemptId, stateDir);
      rmSync(join(stateDir, 'streams'), { recursive: true, force: true });
    },
  };
}

const NO_PROC = {
  reason: 'this machine has no /proc, so processes that outlive their program could not be found',
  next: 'run on Linux with /proc mounted, or use a container provider',
};

async function probe(): Promise<SandboxProbe> {
  if (!hasProcessTable()) return { available: false, missing: true, ...NO_PROC };
  const name = `probe-${process.pid}-${performance.now().toFixed(0)}`;
  const cgroup = createCgroup(name, stated, 0);
  try {
    return { available: true, posture: postureOf(planFor(name, stated, cgroup), cgroup) };
  } finally {
    await cgroup?.remove();
  }
}

function planFor(attemptId: string, limits: SandboxLimits, cgroup: Cgroup | null): LimitPlan {
  return planLimits(attemptId, limits, cgroup, { uidIsPrivate: false, isRoot: process.getuid?.() === 0 }, 0);
}

function postureOf(plan: LimitPlan, cgroup: Cgroup | null): readonly SandboxProtection[] {
  return ['unsandboxed-host', 'time-limit', 'output-limit', ...enforcedLimits(plan, cgroup)];
}
