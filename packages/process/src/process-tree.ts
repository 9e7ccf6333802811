import { setTimeout as delay } from 'node:timers/promises';
import { PalisadeError } from '@palisade/contracts';
import {
  listProcesses,
  ownLineage,
  type ProcessEntry,
  readProcess,
  signalProcess,
  startedWith,
} from './process-table.ts';
import { hasTag, processTag } from './process-tag.ts';

/** Environment variable by which the descendants of an attempt's programs are also recognised. */
const ATTEMPT_MARKER = 'PALISADE_ATTEMPT_ID';

/** How long processes may take to die of SIGKILL before the end is called a failure. */
const KILL_DEADLINE_MS = 10_000;

/**
 * The processes of one attempt, or of another piece of work with an id: found by descent from the programs started for it, by their
 * session, by the inherited mark and by the marker variable (FF-063). What was seen once is
 * remembered with its start time, so that it is still known after its parent died.
 */
export class ProcessTree {
  readonly #attemptId: string;
  readonly #marker: string;
  readonly #tag: number;
  readonly #seen = new Map<number, string>();
  readonly #sessions = new Set<number>();
  readonly #since: number;

  /**
   * @param since a start time before which nothing can belong to the attempt; 0 when it may be older than this process
   * @param marker environment variable that holds the id in every process of it
   */
  constructor(attemptId: string, since: number, marker: string = ATTEMPT_MARKER) {
    this.#attemptId = attemptId;
    this.#marker = marker;
    this.#since = since;
    this.#tag = processTag(attemptId);
  }

  /** Adds a program just started; `leadsSession` when it was given a session of its own. */
  add(pid: number, leadsSession: boolean): void {
    const entry = readProcess(pid);
    if (entry !== null) this.#seen.set(pid, entry.startTime);
    if (leadsSession) this.#sessions.add(pid);
  }

  /** Every live process that belongs to the attempt; never this process or one above it. */
  find(): ProcessEntry[] {
    const all = listProcesses().filter((entry) => Number(entry.startTime) >= this.#since);
    const lineage = ownLineage();
    const byPid = new Map(all.map((entry) => [entry.pid, entry]));
    for (const [pid, startTime] of this.#seen)
      if (byPid.get(pid)?.startTime !== startTime) this.#seen.delete(pid);
    const own = new Set(this.#seen.keys());
    for (const entry of all) {
      if (lineage.has(entry.pid)) continue;
      if (this.#sessions.has(entry.session) || hasTag(entry.pid, this.#tag)) own.add(entry.pid);
      else if (this.#isMarked(entry, byPid)) own.add(entry.pid);
    }
    let grew = true;
    while (grew) {
      grew = false;
      for (const entry of all) {
        if (own.has(entry.pid) || !own.has(entry.parent) || lineage.has(entry.pid)) continue;
        own.add(entry.pid);
        grew = true;
      }
    }
    const found = all.filter((entry) => own.has(entry.pid));
    for (const entry of found) this.#seen.set(entry.pid, entry.startTime);
    return found;
  }

  /**
   * Kills until nothing is left. A process that forks while it is being killed is caught by the
   * next look. Throws `provider_failed` when something outlives SIGKILL, e.g. in a hung file system.
   */
  async end(): Promise<void> {
    const deadline = performance.now() + KILL_DEADLINE_MS;
    for (let wait = 1; ; wait = Math.min(wait * 2, 50)) {
      const alive = this.find();
      if (alive.length === 0) break;
      if (performance.now() > deadline)
        throw new PalisadeError('provider_failed', `${alive.length} processes survived SIGKILL`);
      for (const entry of alive) signalProcess(entry, 'SIGKILL');
      await delay(wait);
    }
    this.#sessions.clear();
  }

  /*
   * The supervisor may carry the variable itself, and so do helpers it runs for its own purposes;
   * those are its children, while what escaped from a program has been given another parent.
   */
  #isMarked(entry: ProcessEntry, byPid: ReadonlyMap<number, ProcessEntry>): boolean {
    for (let at: ProcessEntry | undefined = entry; at !== undefined; at = byPid.get(at.parent))
      if (at.parent === process.pid) return false;
    return startedWith(entry.pid, this.#marker, this.#attemptId);
  }
}
