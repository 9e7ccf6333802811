import { readdirSync, readFileSync } from 'node:fs';

/*
 * What the kernel says about running processes. A pid alone names nobody, because it is given to a
 * stranger after its owner ended; a pid, its start time and the boot it belongs to do (FF-038).
 * Every file here may vanish between two reads, and names inside are chosen by the processes
 * themselves: parse defensively.
 */

/** One live process. `startTime` is in clock ticks since boot, as the kernel prints it. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  readonly startTime: string;
}

/** True when this machine offers `/proc`, on which everything in this file rests. */
export function hasProcessTable(): boolean {
  return readProcess(process.pid) !== null;
}

/** The process, or null when it is gone or dead and only waits to be collected. */
export function readProcess(pid: number): ProcessEntry | null {
  const fields = readStat(pid);
  const [state, parent, group, session] = fields ?? [];
  const startTime = fields?.[19];
  if (state === undefined || startTime === undefined || state === 'Z' || state === 'X') return null;
  return { pid, parent: Number(parent), group: Number(group), session: Number(session), startTime };
}

/** The state letter of a process, also of one that is dead and waits to be collected (`Z`); null when none is shown. */
export function readState(pid: number): string | null {
  return readStat(pid)?.[0] ?? null;
}

/** The terminal a process belongs to, such as `pts/3` or `tty1`; null without one. */
export function readTerminal(pid: number): string | null {
  const device = Number(readStat(pid)?.[4] ?? 0);
  if (!Number.isSafeInteger(device) || device <= 0) return null;
  const [major, minor] = [(device >> 8) & 0xfff, (device & 0xff) | ((device >> 12) & 0xfff00)];
  if (major >= 136 && major <= 143) return `pts/${(major - 136) * 0x100000 + minor}`;
  return major === 4 ? `tty${minor}` : `${major}:${minor}`;
}

/** What `/proc/<pid>/stat` holds behind the program's name, which is in parentheses and may hold spaces and parentheses. */
function readStat(pid: number): string[] | null {
  const text = readProcFile(pid, 'stat')?.toString('latin1');
  return text === undefined ? null : text.slice(text.lastIndexOf(')') + 2).split(' ');
}

/** Every live process this one can see. */
export function listProcesses(): ProcessEntry[] {
  let names: string[];
  try {
    names = readdirSync('/proc');
  } catch {
    return [];
  }
  return names
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readProcess(Number(name)))
    .filter((entry) => entry !== null);
}

/** True when the process was started with `name=value` in its environment. False when that may not be read. */
export function startedWith(pid: number, name: string, value: string): boolean {
  const bytes = readProcFile(pid, 'environ');
  if (bytes === undefined) return false;
  const wanted = `${name}=${value}`;
  return bytes.toString('utf8').split('\0').includes(wanted);
}

/** The hard limit `label` of a process as `/proc/<pid>/limits` prints it, e.g. `unlimited`; null when unknown. */
export function hardLimit(pid: number, label: string): string | null {
  const text = readProcFile(pid, 'limits')?.toString('latin1') ?? '';
  const line = text.split('\n').find((line) => line.startsWith(`${label} `));
  return line?.slice(label.length).trim().split(/\s+/)[1] ?? null;
}

/**
 * The present moment as a start time, a second early: whatever started before it is older than the
 * caller. 0 when the kernel does not say, which makes nothing older.
 */
export function startTimeNow(): number {
  try {
    // Both files count clock ticks of a hundredth of a second, whatever the kernel's own tick is.
    return Number(readFileSync('/proc/uptime', 'latin1').split(' ')[0]) * 100 - 100;
  } catch {
    return 0;
  }
}

/** The parent, grandparent and so on of this process, and itself. These are never ours to end. */
export function ownLineage(): ReadonlySet<number> {
  const lineage = new Set<number>();
  for (let pid = process.pid; pid > 0 && !lineage.has(pid); pid = readProcess(pid)?.parent ?? 0)
    lineage.add(pid);
  return lineage;
}

/** Sends a signal if the pid still belongs to the same process. */
export function signalProcess(entry: ProcessEntry, signal: NodeJS.Signals): void {
  if (readProcess(entry.pid)?.startTime !== entry.startTime) return;
  try {
    process.kill(entry.pid, signal);
  } catch {
    // It ended in between, or may not be signalled; the caller looks again and sees which.
  }
}

function readProcFile(pid: number, file: string): Buffer | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`);
  } catch {
    return undefined;
  }
}
