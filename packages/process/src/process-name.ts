import { isEarlierBoot, isSamePlace, type Place, thisPlace } from './place.ts';
import { readProcess, readState } from './process-table.ts';

/*
 * A process's name, by which others can judge it: its place, its pid and its start time. No two
 * processes have the same one (FF-038, FF-061), and whoever reads it elsewhere can tell that it is elsewhere.
 * It holds letters, digits, `-` and `_` only, so that it can be part of a file's name.
 *
 *   alive     it runs, in this very place
 *   dead      this is its place and it does not run; or its place was an earlier boot of this machine
 *   unknown   anything else: another machine, another container, a /proc that does not show it
 *
 * Work is taken from an owner at once only when it is dead. `unknown` is no verdict: then only time
 * decides, by a lease that expires or by signs of life that stay away.
 */
export type Verdict = 'alive' | 'dead' | 'unknown';

let own: string | undefined;

/** The name of this process. */
export function ownName(): string {
  return (own ??= format(process.pid, readProcess(process.pid)?.startTime ?? ''));
}

/** The name of a live process of this place, or null when there is none with this pid. */
export function nameProcess(pid: number): string | null {
  const entry = readProcess(pid);
  return entry === null ? null : format(pid, entry.startTime);
}

/** What can be said from here of the process with this name. What is no name is `unknown`. */
export function verdictOn(name: string): Verdict {
  const named = parse(name);
  if (named === null) return 'unknown';
  const here = thisPlace();
  if (isSamePlace(named.place, here)) return verdictHere(named.pid, named.startTime);
  if (isEarlierBoot(named.place, here)) return 'dead';
  // A system without /proc knows its processes by pid alone: enough to see that one is there.
  const isBare = here.bootId === '' && named.place.bootId === '' && named.place.host === here.host;
  return isBare && isTaken(named.pid) === true ? 'alive' : 'unknown';
}

/** The pid in a name; null in what is no name. It may be another process's by now, or of another place. */
export function pidNamed(name: string): number | null {
  return parse(name)?.pid ?? null;
}

/** A name for people: the pid, and that it is elsewhere if it is not of this place. What is no name stays as it is. */
export function briefName(name: string): string {
  const named = parse(name);
  if (named === null) return name;
  return isSamePlace(named.place, thisPlace()) ? String(named.pid) : `${named.pid} elsewhere`;
}

/** Sends a signal to the process of this name if it is alive. Throws the system's error, e.g. EPERM. */
export function signalNamed(name: string, signal: NodeJS.Signals): void {
  const named = parse(name);
  if (named === null || verdictOn(name) !== 'alive') return;
  try {
    process.kill(named.pid, signal);
  } catch (error) {
    // It ended between the look and the signal, as was asked.
    if (codeOf(error) !== 'ESRCH') throw error;
  }
}

function verdictHere(pid: number, startTime: string): Verdict {
  const entry = readProcess(pid);
  if (entry !== null) return entry.startTime === startTime ? 'alive' : 'dead';
  // A zombie has ended; only its parent has not noticed yet.
  if (readState(pid) !== null) return 'dead';
  // Mounted with hidepid, /proc does not show what belongs to others; the kernel still says that the pid is taken.
  return isTaken(pid) === false ? 'dead' : 'unknown';
}

/** Whether some process has the pid; undefined when the system does not say. */
function isTaken(pid: number): boolean | undefined {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    const code = codeOf(error);
    return code === 'ESRCH' ? false : code === 'EPERM' ? true : undefined;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

function format(pid: number, startTime: string): string {
  const { host, bootId, pidNamespace, timeNamespace } = thisPlace();
  return [host, bootId, pidNamespace, timeNamespace, pid, startTime].join('_');
}

function parse(
  name: string,
): { readonly place: Place; readonly pid: number; readonly startTime: string } | null {
  const [host = '', bootId = '', pidNamespace = '', timeNamespace = '', pid = '', startTime] =
    name.split('_');
  if (startTime === undefined || !/^[1-9]\d{0,9}$/.test(pid)) return null;
  return { place: { host, bootId, pidNamespace, timeNamespace }, pid: Number(pid), startTime };
}
