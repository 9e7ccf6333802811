import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { listProcesses, type ProcessEntry, readTerminal } from './process-table.ts';

/** What a person would see of a process: its words, its folder and its terminal. Chosen by the process itself. */
export interface ProcessView extends ProcessEntry {
  /** Such as `pts/3`; null without one. */
  readonly terminal: string | null;
  readonly command: readonly string[];
  /** Null when it may not be read. */
  readonly directory: string | null;
  /** Unix ms. */
  readonly startedAt: number;
}

/** Every process this one can see, with what may be read of it. */
export function viewProcesses(): readonly ProcessView[] {
  const boot = bootTime();
  return listProcesses().map((entry) => ({
    ...entry,
    terminal: readTerminal(entry.pid),
    command: commandOf(entry.pid),
    directory: link(`/proc/${entry.pid}/cwd`),
    // The kernel counts hundredths of a second here, whatever its own tick is.
    startedAt: boot + Number(entry.startTime) * 10,
  }));
}

/** Absolute paths of the files that a process has open, as far as they may be read. */
export function openFiles(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((name) => {
      const path = link(`/proc/${pid}/fd/${name}`);
      return path?.startsWith('/') === true ? [path] : [];
    });
  } catch {
    return [];
  }
}

function commandOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1);
  } catch {
    return [];
  }
}

function link(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}

function bootTime(): number {
  try {
    return Number(/^btime (\d+)$/m.exec(readFileSync('/proc/stat', 'latin1'))?.[1] ?? 0) * 1000;
  } catch {
    return 0;
  }
}
