import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import type { Lease } from '@palisade/kernel';

/** A process named so that no later process can be taken for it (FF-038): pid, start time and boot. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks since boot at which it started (field 22 of /proc/<pid>/stat); empty where unknown. */
  readonly startTime: string;
  readonly bootId: string;
}

/** The identity of a live process, or null when there is none with this pid. */
export async function identify(pid: number): Promise<ProcessIdentity | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  if (stat === null) return process.platform === 'linux' ? null : signalOnly(pid);
  // The command name is in parentheses and may hold spaces and parentheses itself: cut after the last one.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // A zombie has ended; only its parent has not noticed yet.
  if (fields[0] === 'Z' || fields[0] === 'X') return null;
  return { pid, startTime: fields[19] ?? '', bootId: await bootId() };
}

/** True while exactly this process lives. */
export async function isAlive(identity: ProcessIdentity): Promise<boolean> {
  const now = await identify(identity.pid);
  return now !== null && now.startTime === identity.startTime && now.bootId === identity.bootId;
}

let cachedBootId: string | undefined;

async function bootId(): Promise<string> {
  cachedBootId ??= (await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '')).trim();
  return cachedBootId;
}

/** Without /proc only liveness of the pid is known; the identity is then weaker and says so by its empty fields. */
function signalOnly(pid: number): ProcessIdentity | null {
  try {
    process.kill(pid, 0);
    return { pid, startTime: '', bootId: '' };
  } catch {
    return null;
  }
}

/** A lease owner's name: unique per start of a process (FF-061), and enough to prove its death on the same machine (FF-038). */
export async function ownerName(kind: string): Promise<string> {
  const self = await identify(process.pid);
  return [kind, hostname(), self?.bootId ?? '', process.pid, self?.startTime ?? '', crypto.randomUUID()].join(
    '|',
  );
}

/** True only for an owner named by {@link ownerName} on this machine whose process is certainly gone. */
export async function isDeadOwner(lease: Lease): Promise<boolean> {
  const [, host, boot = '', pid, startTime = ''] = lease.owner.split('|');
  if (host !== hostname() || startTime === '') return false;
  return !(await isAlive({ pid: Number(pid), startTime, bootId: boot }));
}
