import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import {
  PalisadeError,
  type SandboxProbe,
  type SandboxProtection,
  type SandboxProvider,
} from '@palisade/contracts';
import { INIT, UNSHARE } from './launch.ts';
import { NamespaceSandbox } from './sandbox.ts';

/** What these sandboxes really give. Files of the host stay visible and writable: it is not claimed otherwise. */
const POSTURE: readonly SandboxProtection[] = ['pid-namespace', 'time-limit', 'output-limit'];

/**
 * Programs in namespaces of their own, made by `unshare`: they see no process but their own, all of
 * them die with their init, and there is no network unless the run was given it. Weaker than bubblewrap.
 */
export function namespaceSandboxes(): SandboxProvider {
  let probed: SandboxProbe | undefined;
  return {
    name: 'namespaces',
    strength: 10,
    async probe() {
      probed ??= probe();
      return probed;
    },
    async allocate(spec) {
      return new NamespaceSandbox(spec, [...POSTURE, spec.network ? 'network-host' : 'network-none']);
    },
    async reap(attemptId) {
      // The init of a sandbox carries the attempt's id; when it dies the kernel ends all it holds.
      for (let round = 0; ; round++) {
        const left = initsOf(attemptId);
        if (left.length === 0) return;
        if (round > 200) throw new PalisadeError('provider_failed', 'an init survived SIGKILL');
        for (const pid of left) kill(pid);
        await delay(25);
      }
    },
  };
}

function probe(): SandboxProbe {
  try {
    execFileSync(UNSHARE[0], [...UNSHARE.slice(1), '--net', '/bin/true'], {
      stdio: 'ignore',
      timeout: 10_000,
    });
    return { available: true, posture: [...POSTURE, 'network-none'] };
  } catch {
    return {
      available: false,
      reason: 'unshare cannot make user, mount, process and network namespaces here',
      next: 'install util-linux 2.38 or later and allow unprivileged user namespaces',
    };
  }
}

/** Processes of ours with this attempt's id: the init, and `unshare` above it. */
function initsOf(attemptId: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      const words = commandLine(pid);
      return words.at(-1) === attemptId && words.at(-2) === INIT;
    });
}

/** Empty for a process that is dead and waits to be collected. */
function commandLine(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1);
  } catch {
    return [];
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended in between.
  }
}
