import { PalisadeError, type SandboxLimits, type SandboxProtection } from '@palisade/contracts';
import { lookInside, proved } from '@palisade/sandbox-process';
import { processLimit, WORKSPACE } from './container-options.ts';
import { type DockerSandbox, notSeen } from './docker-sandbox.ts';
import type { OwnDirectory } from './own-directory.ts';

const MEMORY_FILES = ['/sys/fs/cgroup/memory.max', '/sys/fs/cgroup/memory/memory.limit_in_bytes'];
const PROCESS_FILES = ['/sys/fs/cgroup/pids.max', '/sys/fs/cgroup/pids/pids.max'];

const CPU_FILES = ['/sys/fs/cgroup/cpu.max', '/sys/fs/cgroup/cpu/cpu.cfs_quota_us'];

const shown = (files: readonly string[]): string =>
  files.map((file) => `[ -r ${file} ] && show ${file}`).join('\n');
const SCRIPT = `echo ==access; [ -w . ] && echo writable
echo ==mounts; show /proc/self/mounts
echo ==limits; show /proc/self/limits
echo ==memory; ${shown(MEMORY_FILES)}
echo ==pids; ${shown(PROCESS_FILES)}
echo ==cpu; ${shown(CPU_FILES)}
echo ==end
`;

/** What the sandbox to be looked at was made with. */
interface Made {
  readonly own: OwnDirectory;
  readonly network: boolean;
  readonly limits: SandboxLimits;
}

/**
 * The protections and limits of a sandbox, seen in a container like those its programs will get (DI-152).
 *
 * @throws PalisadeError `requirements_unmet` when the engine is elsewhere, programs could not write the
 * workspace, or what makes it a sandbox at all cannot be proved
 */
export async function proveProtections(
  sandbox: DockerSandbox,
  { own, network, limits }: Made,
): Promise<readonly SandboxProtection[]> {
  const { result, section, facts } = await lookInside(sandbox, own.tmp, SCRIPT);
  if (result.outcome !== 'exited')
    throw new PalisadeError(
      'requirements_unmet',
      `a container of the image could not run /bin/sh (${result.detail ?? result.outcome})`,
    );
  const mounts = section('mounts');
  const isOurs = new RegExp(`^\\S+ ${WORKSPACE} \\S+ rw[, ]`, 'm').test(mounts);
  // What it left in /tmp is here, so that the engine mounts directories of this machine.
  if (facts['private-tmp'] !== true || !isOurs) throw notSeen();
  if (section('access') !== 'writable\n')
    throw new PalisadeError('requirements_unmet', 'programs in containers cannot write the workspace', {
      why: 'the Docker engine maps users to others, or labels files',
      next: 'use an engine without userns-remap that is not rootless',
    });
  const all = {
    ...facts,
    'readonly-root': facts['readonly-root'] === true && /^\S+ \/ \S+ ro[, ]/m.test(mounts),
    'memory-limit': isAtMost(section('memory'), limits.memoryBytes),
    'process-limit': isAtMost(section('pids'), processLimit(limits)),
    'cpu-limit': limits.cpus !== undefined && isAtMost(section('cpu').split(' ')[0], limits.cpus * 100_000),
    'file-size-limit': isAtMost(
      /^Max file size\s+(\d+)\s+\1\s/m.exec(section('limits'))?.[1],
      limits.fileBytes,
    ),
  };
  return proved('docker', all, network ? 'network-bridge' : 'network-none');
}

function isAtMost(seen: string | undefined, wanted: number): boolean {
  const value = /^\d+$/.exec(seen?.trim() ?? '')?.[0];
  return value !== undefined && Number(value) > 0 && Number(value) <= wanted;
}
