import { spawnSync } from 'node:child_process';
import { type ExecResult, type SandboxLimits, type SandboxProtection } from '@palisade/contracts';
import type { Cgroup, CgroupCounts } from './cgroup.ts';
import { canTag, hardLimit, listProcesses, processTag } from '@palisade/process';
import type { Ended } from './supervise.ts';

/** Where `prlimit` is looked for, independent of anybody's PATH. */
const SYSTEM_PATH = '/usr/bin:/bin:/usr/sbin:/sbin';

let prlimitWorks: boolean | undefined;

/** True when `prlimit` (util-linux) runs here and its limits arrive in the program. Proved once per process. */
export function hasPrlimit(): boolean {
  if (prlimitWorks !== undefined) return prlimitWorks;
  const probe = spawnSync('prlimit', ['--fsize=1048577', '--core=0', 'cat', '/proc/self/limits'], {
    encoding: 'utf8',
    env: { PATH: SYSTEM_PATH },
  });
  prlimitWorks = probe.status === 0 && /^Max file size +1048577 +1048577 /m.test(probe.stdout);
  return prlimitWorks;
}

export interface LimitPlan {
  /** Arguments that start the rest of the command line under the limits; empty when nothing can be enforced this way. */
  readonly argv: readonly string[];
  /** Which limits hold through these arguments. */
  readonly memory: boolean;
  readonly processes: boolean;
  readonly fileSize: boolean;
}

/**
 * The launcher arguments for `limits`. Memory is limited per process here (RLIMIT_DATA), unless a
 * control group already limits the whole sandbox. `uidIsPrivate`: no other process runs as the
 * program's user, so that the per-user process limit counts the sandbox alone; `isRoot`: the
 * program runs as root, for whom the kernel does not count.
 */
export function planLimits(
  attemptId: string,
  limits: SandboxLimits,
  cgroup: Cgroup | null,
  user: { readonly uidIsPrivate: boolean; readonly isRoot: boolean },
  overhead: number,
): LimitPlan {
  if (!hasPrlimit()) return { argv: [], memory: false, processes: false, fileSize: false };
  const argv = ['prlimit', '--core=0', `--fsize=${capped(limits.fileBytes, 'Max file size')}`];
  const tag = processTag(attemptId);
  if (canTag(tag)) argv.push(`--locks=${tag}`);
  const memory = cgroup?.limitsMemory !== true;
  if (memory) argv.push(`--data=${capped(limits.memoryBytes, 'Max data size')}`);
  const processes = cgroup?.limitsProcesses !== true && !user.isRoot;
  if (processes) {
    const others = user.uidIsPrivate ? 0 : listProcesses().length;
    argv.push(`--nproc=${capped(limits.processes + overhead + others, 'Max processes')}`);
  }
  argv.push('--');
  return { argv, memory, processes, fileSize: true };
}

/** The limits that hold, through launcher arguments or a control group, as a posture names them. */
export function enforcedLimits(plan: LimitPlan, cgroup: Cgroup | null): SandboxProtection[] {
  const held: SandboxProtection[] = [];
  if (plan.memory || cgroup?.limitsMemory === true) held.push('memory-limit');
  if (plan.processes || cgroup?.limitsProcesses === true) held.push('process-limit');
  if (cgroup?.limitsCpu === true) held.push('cpu-limit');
  if (plan.fileSize) held.push('file-size-limit');
  return held;
}

/** A limit may be lowered and not raised. */
function capped(value: number, label: string): number {
  const hard = Number(hardLimit(process.pid, label) ?? 'NaN');
  return Number.isFinite(hard) ? Math.min(value, hard) : value;
}

/** What counts as a sign of a limit in a program's last words. Signs are only read where that limit is enforced. */
const MEMORY_SIGN =
  /out of memory|cannot allocate memory|std::bad_alloc|MemoryError|ENOMEM|allocation failed|memory exhausted/i;
const FORK_SIGN = /resource temporarily unavailable|cannot fork|can't fork|EAGAIN|unable to create .*thread/i;
const FILE_SIGN = /file too large|EFBIG|file size limit exceeded/i;

/**
 * The limit that ended a program, or undefined (FF-062). Certain: the kernel counted a kill for
 * memory, or the program died of the signal that only this limit sends. Likely: the limit is
 * enforced and the program failed with the words programs use for it. SIGKILL alone says nothing.
 */
export function nameLimit(
  ended: Pick<Ended, 'exitCode' | 'signal' | 'stderr'>,
  plan: Omit<LimitPlan, 'argv'>,
  before: CgroupCounts | null,
  after: CgroupCounts | null,
): ExecResult['limit'] {
  if (ended.exitCode === 0) return undefined;
  if ((after?.memoryKills ?? 0) > (before?.memoryKills ?? 0))
    return { name: 'memory', certainty: 'certain', setting: 'sandbox.memory_bytes' };
  if (ended.signal === 'SIGXFSZ')
    return { name: 'file-size', certainty: 'certain', setting: 'sandbox.file_bytes' };
  if (ended.signal === 'SIGXCPU') return { name: 'cpu', certainty: 'certain', setting: 'timeout_ms' };
  const words = ended.stderr.tail;
  if ((after?.refusedForks ?? 0) > (before?.refusedForks ?? 0) || (plan.processes && FORK_SIGN.test(words)))
    return { name: 'processes', certainty: 'likely', setting: 'sandbox.processes' };
  if (plan.memory && MEMORY_SIGN.test(words))
    return { name: 'memory', certainty: 'likely', setting: 'sandbox.memory_bytes' };
  if (plan.fileSize && FILE_SIGN.test(words))
    return { name: 'file-size', certainty: 'likely', setting: 'sandbox.file_bytes' };
  return undefined;
}
