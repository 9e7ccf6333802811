import { readFile } from 'node:fs/promises';

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
