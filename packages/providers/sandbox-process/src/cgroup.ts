import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type SandboxLimits } from '@palisade/contracts';
import { listProcesses, signalProcess } from '@palisade/process';

/*
 * A control group per sandbox where this machine lets us make one: it limits memory and processes
 * of the whole sandbox, counts what the kernel killed for it, and holds every descendant whatever
 * it does. Version 2 is one tree; version 1 has one tree per resource; machines with both put
 * the resources in version 1 and offer only `cgroup.kill` in version 2.
 */

/** What the kernel counted for a sandbox so far. */
export interface CgroupCounts {
  readonly memoryKills: number;
  readonly refusedForks: number;
}

export class Cgroup {
  readonly limitsMemory: boolean;
  readonly limitsProcesses: boolean;
  readonly limitsCpu: boolean;
  readonly #places: readonly Place[];
  readonly #directories: readonly string[];

  constructor(places: readonly Place[]) {
    this.#places = places;
    this.#directories = places.map((place) => place.directory);
    this.limitsMemory = this.#directories.some((dir) => hasLimit(dir, 'memory'));
    this.limitsProcesses = this.#directories.some((dir) => hasLimit(dir, 'pids'));
    this.limitsCpu = this.#directories.some((dir) => hasLimit(dir, 'cpu'));
  }

  /**
   * Runs `start` with this process inside the group, and moves it back. What `start` spawns is born
   * inside: moving it afterwards would miss what it had already forked (measured: a shell forks
   * before its parent can write the file). Costs some 8 ms, nearly all of it in the first write: {@link adopt} is for whoever can wait.
   */
  spawnInside<T>(start: () => T): T {
    try {
      for (const place of this.#places) tryWrite(join(place.directory, 'cgroup.procs'), String(process.pid));
      return start();
    } finally {
      for (const place of this.#places) tryWrite(join(place.home, 'cgroup.procs'), String(process.pid));
    }
  }

  /**
   * Takes in a process that has started nothing yet and waits, e.g. for its arguments. Unlike
   * {@link spawnInside} it moves one thread instead of all of ours, once instead of there and back, and
   * while the process is still being loaded. False when a group that limits something did not take it.
   */
  adopt(pid: number): boolean {
    return this.#directories
      .map((dir) => tryWrite(join(dir, 'cgroup.procs'), String(pid)) || !isLimiting(dir))
      .every((isIn) => isIn);
  }

  counts(): CgroupCounts {
    let memoryKills = 0;
    let refusedForks = 0;
    for (const dir of this.#directories) {
      memoryKills += Math.max(
        field(join(dir, 'memory.events'), 'oom_kill'),
        field(join(dir, 'memory.oom_control'), 'oom_kill'),
      );
      refusedForks += field(join(dir, 'pids.events'), 'max');
    }
    return { memoryKills, refusedForks };
  }

  /** SIGKILL to everything inside, at once where the kernel can. */
  kill(): void {
    const members = new Set<number>();
    for (const dir of this.#directories) {
      if (!holdsUs(dir)) tryWrite(join(dir, 'cgroup.kill'), '1');
      for (const line of readText(join(dir, 'cgroup.procs')).split('\n'))
        if (line !== '') members.add(Number(line));
    }
    if (members.size === 0) return;
    for (const entry of listProcesses())
      if (members.has(entry.pid) && entry.pid !== process.pid) signalProcess(entry, 'SIGKILL');
  }

  /** Removes the group once it is empty; the kernel may take a moment to see that. */
  async remove(): Promise<void> {
    for (const dir of this.#directories) {
      for (let attempt = 0; attempt < 100 && existsSync(dir); attempt++) {
        try {
          rmdirSync(dir);
        } catch {
          this.kill();
          await delay(5);
        }
      }
    }
  }
}

/** A group of the sandbox in one tree, and the group of this process in the same tree. */
interface Place {
  readonly directory: string;
  readonly home: string;
}

/** Makes the group `palisade-<name>` with these limits, or returns null when this machine does not let us. */
export function createCgroup(name: string, limits: SandboxLimits, overhead: number): Cgroup | null {
  const made: Place[] = [];
  const controllers = limits.cpus === undefined ? UNASKED : ALL;
  for (const { parent, home } of parents(controllers)) {
    const dir = join(parent, directoryName(name));
    try {
      mkdirSync(dir, { recursive: true });
    } catch {
      continue;
    }
    tryWrite(join(dir, 'memory.max'), String(limits.memoryBytes));
    tryWrite(join(dir, 'memory.swap.max'), '0');
    tryWrite(join(dir, 'memory.limit_in_bytes'), String(limits.memoryBytes));
    tryWrite(join(dir, 'memory.memsw.limit_in_bytes'), String(limits.memoryBytes));
    tryWrite(join(dir, 'pids.max'), String(limits.processes + overhead));
    if (limits.cpus !== undefined) limitCpu(dir, limits.cpus);
    made.push({ directory: dir, home });
  }
  return made.length === 0 ? null : new Cgroup(made);
}

/** The group of that name left by an earlier process, or null. */
export function findCgroup(name: string): Cgroup | null {
  const places = parents(ALL)
    .map(({ parent, home }) => ({ directory: join(parent, directoryName(name)), home }))
    .filter((place) => existsSync(place.directory));
  return places.length === 0 ? null : new Cgroup(places);
}

/** How long the kernel counts before it gives new time, in microseconds: its own default. */
const CPU_PERIOD = 100_000;

function limitCpu(dir: string, cpus: number): void {
  // The kernel takes no less than a millisecond.
  const quota = Math.max(1_000, Math.round(cpus * CPU_PERIOD));
  tryWrite(join(dir, 'cpu.max'), `${quota} ${CPU_PERIOD}`);
  tryWrite(join(dir, 'cpu.cfs_period_us'), String(CPU_PERIOD));
  tryWrite(join(dir, 'cpu.cfs_quota_us'), String(quota));
}

/** Every sandbox is limited in these; a tree for processor time costs another move of each program, and is asked for. */
const UNASKED = ['memory', 'pids'] as const;
const ALL = ['memory', 'pids', 'cpu'] as const;
type Controller = (typeof ALL)[number];

function directoryName(name: string): string {
  return `palisade-${name}`;
}

/** Where this process may make groups: below its own group in each tree, or beside it. */
function parents(wanted: readonly Controller[]): { readonly parent: string; readonly home: string }[] {
  const found: { parent: string; home: string }[] = [];
  const own = new Map<string, string>();
  for (const line of readText('/proc/self/cgroup').split('\n')) {
    const [, controllers, path] = line.match(/^\d+:([^:]*):(.*)$/) ?? [];
    if (controllers !== undefined && path !== undefined) own.set(controllers, path);
  }
  for (const line of readText('/proc/mounts').split('\n')) {
    const [, mount = '', type, options = ''] = line.split(' ');
    if (type === 'cgroup2') {
      const at = join(mount, own.get('') ?? '/');
      const places = [at, join(at, '..')].filter((dir) => dir.startsWith(mount));
      const parent = places.find((place) => canDelegate(place, wanted)) ?? places[0];
      if (parent !== undefined) found.push({ parent, home: at });
    } else if (type === 'cgroup') {
      const controllers = [...own.keys()].find(
        (names) => names !== '' && names.split(',').every((one) => options.split(',').includes(one)),
      );
      if (controllers === undefined || !wanted.some((one) => controllers.split(',').includes(one))) continue;
      const at = join(mount, own.get(controllers) ?? '/');
      const home = existsSync(at) ? at : mount;
      found.push({ parent: home, home });
    }
  }
  return found;
}

/** True when groups made under `dir` get the memory controller, and the others where they can be had (version 2). */
function canDelegate(dir: string, wanted: readonly Controller[]): boolean {
  const control = join(dir, 'cgroup.subtree_control');
  for (const one of wanted)
    if (!new RegExp(`\\b${one}\\b`).test(readText(control))) tryWrite(control, `+${one}`);
  return /\bmemory\b/.test(readText(control));
}

function isLimiting(dir: string): boolean {
  return ALL.some((controller) => hasLimit(dir, controller));
}

/** True when this very process is a member; killing the group would then be suicide. */
function holdsUs(dir: string): boolean {
  return readText(join(dir, 'cgroup.procs')).split('\n').includes(String(process.pid));
}

const LIMIT_FILES: Readonly<Record<Controller, readonly string[]>> = {
  memory: ['memory.max', 'memory.limit_in_bytes'],
  pids: ['pids.max'],
  cpu: ['cpu.max', 'cpu.cfs_quota_us'],
};

function hasLimit(dir: string, controller: Controller): boolean {
  return LIMIT_FILES[controller].some(
    (file) => /^\d+/.test(readText(join(dir, file))) && existsSync(join(dir, file)),
  );
}

function field(file: string, name: string): number {
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(readText(file))?.[1] ?? 0);
}

function tryWrite(file: string, text: string): boolean {
  try {
    writeFileSync(file, text, { flag: 'r+' });
    return true;
  } catch {
    return false;
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
