import { chmodSync, chownSync, rmSync, writeFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import {
  PalisadeError,
  type Sandbox,
  type SandboxProbe,
  type SandboxProvider,
  type SandboxSpec,
  toPalisadeError,
} from '@palisade/contracts';
import {
  createCgroup,
  enforcedLimits,
  giveTree,
  planLimits,
  realDirectory,
  reapProcesses,
  removeOwn,
  StandardStreams,
  probeByAllocating,
} from '@palisade/sandbox-process';
import { bindFault } from './bubblewrap-arguments.ts';
import { BubblewrapSandbox } from './bubblewrap-sandbox.ts';
import { findBubblewrap } from './find-bubblewrap.ts';
import { proveProtections } from './probe.ts';
import { isKnownMachine, seccompFilter } from './seccomp/filter.ts';
import { makeOwnDirectories } from './system-view.ts';
import { leaseUid, releaseUidsOf } from './uid-lease.ts';

/** Processes of the launchers and of bubblewrap itself, on top of the program's own allowance. */
const OVERHEAD = 4;

/**
 * Sandboxes of bubblewrap: own namespaces, a read-only system, no capabilities, a system call
 * filter, and, when the supervisor is root, another user per attempt (DI-111).
 */
export function bubblewrapSandboxes(): SandboxProvider {
  let probed: Promise<SandboxProbe> | undefined;
  const probe = (): Promise<SandboxProbe> => (probed ??= proveOnce());
  return {
    name: 'bubblewrap',
    strength: 50,
    probe,
    allocate,
    async reap(attemptId: string, stateDir: string): Promise<void> {
      await reapProcesses(attemptId, stateDir);
      if (isRoot()) releaseUidsOf(attemptId);
      removeOwn(join(stateDir, 'sandbox'));
      for (const name of ['seccomp.bpf', 'streams'])
        rmSync(join(stateDir, name), { recursive: true, force: true });
    },
  };
}

const MISSING = {
  reason: 'bubblewrap (bwrap) is not installed',
  next: 'install the bubblewrap package, e.g. apt-get install bubblewrap',
};

/** A sandbox that was seen to be one. */
async function allocate(spec: SandboxSpec): Promise<Sandbox> {
  if (findBubblewrap() === null)
    throw new PalisadeError('requirements_unmet', MISSING.reason, { next: MISSING.next });
  const sandbox = prepare(spec);
  try {
    sandbox.claim(await proveProtections(sandbox, spec.network, sandbox.tmpDir));
    return sandbox;
  } catch (error) {
    await sandbox.destroy();
    throw toPalisadeError(error, 'provider_failed');
  }
}

async function proveOnce(): Promise<SandboxProbe> {
  if (findBubblewrap() === null) return { available: false, missing: true, ...MISSING };
  return probeByAllocating(allocate);
}

function prepare(spec: SandboxSpec): BubblewrapSandbox {
  if (!isKnownMachine(process.arch))
    throw new PalisadeError('requirements_unmet', `no system call filter for ${process.arch}`);
  const workspaceDir = realDirectory(spec.workspaceDir, 'the workspace');
  const readOnlyPaths = spec.readOnlyPaths.map((path) => {
    const fault = isAbsolute(path) ? bindFault(path) : 'it is not absolute';
    if (fault !== null)
      throw new PalisadeError('invalid_input', `a read-only path cannot be shown in the sandbox: ${fault}`);
    return path;
  });
  const lease = isRoot() ? leaseUid(spec.attemptId) : null;
  try {
    const own = makeOwnDirectories(spec.stateDir, spec.network);
    const filterFile = join(spec.stateDir, 'seccomp.bpf');
    writeFileSync(filterFile, seccompFilter(process.arch, spec.network), { mode: 0o600 });
    chmodSync(own.tmp, 0o1777);
    chmodSync(own.home, 0o700);
    if (lease !== null) {
      chownSync(own.home, lease.uid, lease.uid);
      chownSync(own.tmp, lease.uid, lease.uid);
      giveTree(workspaceDir, lease.uid);
    }
    const cgroup = createCgroup(spec.attemptId, spec.limits, OVERHEAD);
    const user = { uidIsPrivate: lease !== null, isRoot: false };
    const plan = planLimits(spec.attemptId, spec.limits, cgroup, user, OVERHEAD);
    return new BubblewrapSandbox({
      spec: { ...spec, workspaceDir, readOnlyPaths },
      posture: enforcedLimits(plan, cgroup),
      own,
      filterFile,
      lease,
      plan,
      cgroup,
      streams: StandardStreams.make(spec.stateDir),
    });
  } catch (error) {
    lease?.release();
    throw toPalisadeError(error, 'provider_failed');
  }
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}
