import { nameAmongAll } from '@palisade/contracts';
import { NearClock } from '@palisade/kernel';
import type { PlanDeps } from '../plans/plan-deps.ts';
import { type DueSchedule, dueSchedules, hasEnabled } from './schedule-store.ts';
import { serveSlot } from './serve-slot.ts';

/** Schedules served at once, and looked at in one round. */
const AT_ONCE = 8;
const LOOKED_AT = 256;

export interface SchedulerOptions {
  readonly deps: PlanDeps;
  /** Told of a try that failed, and of one whose failure could not even be stored. */
  readonly onFault: (error: unknown, schedule: string) => void;
  /** This machine's clock: it says when to look, and never whether a time has come. */
  readonly wallClock?: () => number;
  readonly random?: () => number;
}

/**
 * Serves the schedules of a control plane; any number of processes may. It looks again and again and arms no
 * timer, so that a machine that slept is on time within a second of its waking (FF-100), and nothing that
 * fails ends it (FF-099). A schedule that hangs or fails holds up no other one.
 */
export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #serving = new Map<string, Promise<void>>();
  readonly #clock: NearClock;

  constructor(options: SchedulerOptions) {
    this.#options = options;
    this.#clock = new NearClock(options.deps.database, options.wallClock);
  }

  /** Begins to serve what is due; does not wait for it. */
  async look(): Promise<void> {
    const { database } = this.#options.deps;
    if (!(await this.hasEnabled())) return;
    const now = await this.#clock.now();
    const due = await database.read((tx) => dueSchedules(tx, now, LOOKED_AT));
    for (const schedule of due) {
      if (this.#serving.size >= AT_ONCE) return;
      if (!this.#serving.has(schedule.id)) this.#serving.set(schedule.id, this.#serve(schedule));
    }
  }

  /** True when some schedule waits for its time. */
  hasEnabled(): Promise<boolean> {
    return this.#options.deps.database.read(hasEnabled);
  }

  /** Resolves when nothing that was begun is under way any more. */
  async settled(): Promise<void> {
    while (this.#serving.size > 0) await Promise.all(this.#serving.values());
  }

  async #serve({ id, project, name }: DueSchedule): Promise<void> {
    const about = nameAmongAll(project, name);
    const { deps, onFault, random } = this.#options;
    try {
      for (let served = await serveSlot(deps, id, random); served !== 'nothing'; ) {
        if (served !== 'again') {
          onFault(served.failed, about);
          break;
        }
        served = await serveSlot(deps, id, random);
      }
    } catch (error) {
      onFault(error, about);
    } finally {
      this.#serving.delete(id);
    }
  }
}
