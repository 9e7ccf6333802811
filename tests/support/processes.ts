import { readdirSync, readFileSync } from 'node:fs';

/** What the process table says about one process. */
export interface ProcessEntry {
  readonly pid: number;
  /** Arguments joined by spaces. */
  readonly command: string;
  readonly environment: string;
  /** `T` is stopped, `Z` a zombie. */
  readonly state: string;
}

/** Processes of this machine with these arguments, by default every one, but no zombie and not this one. */
export function processTable(isWanted: (command: string) => boolean = () => true): ProcessEntry[] {
  const found: ProcessEntry[] = [];
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      if (!isWanted(command)) continue;
      const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
      const state = stat.slice(stat.lastIndexOf(')') + 2)[0] ?? '';
      if (state === 'Z' || state === 'X') continue;
      const environment = readFileSync(`/proc/${pid}/environ`, 'latin1').replaceAll('\0', '\n');
      found.push({ pid, command, environment, state });
    } catch {
      // It ended while we looked, or is not ours to read.
    }
  }
  return found;
}

/** Processes with this text in their arguments. Tests give every agent a text of its own. */
export function running(marker: string): ProcessEntry[] {
  return processTable((command) => command.includes(marker));
}

/** Engine processes of a control plane, announced or not. */
export function enginesOf(root: string): ProcessEntry[] {
  return running('engine-process.js').filter((entry) => entry.command.includes(root));
}

/** Worker processes of a control plane. */
export function workersOf(root: string): ProcessEntry[] {
  return running('worker-process.js').filter((entry) => entry.command.includes(root));
}

let next = 0;

/** A number of seconds no other process sleeps for: `sleep <it>` can be found in the process table. */
export function uniqueSeconds(atLeast = 600): string {
  return `${atLeast}.${process.pid}${String(next++).padStart(4, '0')}`;
}
