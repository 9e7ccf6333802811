import { hasWork } from '@palisade/dispatch';
import { BackgroundLoop, type LoopOptions, NearClock } from '@palisade/kernel';
import type { Composition } from './compose.ts';
import { describeFault } from './engine-log.ts';

/** How often ended runs that could not be sealed at once are looked for again. */
const SEAL_AGAIN_MS = 30_000;
/** How often it is looked whether a schedule or a message is due. */
const DUE_MS = 1_000;
/** How often it is looked whether housekeeping is due, and what a crash may have left of attempts. */
const CHORES_MS = 60_000;

/** An engine stays for a run that only waits for people while its next expiry or its deadline is nearer than this. */
const WAKE_SOON_MS = 60 * 60_000;

/** An engine at work in this process, with the loops that belong to one. */
export interface RunningEngine {
  /** True while it owns a run that goes on, or keeps house. */
  readonly isBusy: boolean;
  /**
   * Whether a schedule or a message waits, or any run is open, also one owned elsewhere: its owner may never come
   * back. Runs that only wait for people do not count, unless time is soon over for one: whoever answers
   * starts an engine.
   */
  hasWork(): Promise<boolean>;
  /** Stops without stopping any attempt: what is open is taken up by the next engine, wherever it is. */
  stop(): Promise<void>;
}

/** Starts the engine of a composition in this process. `onTrouble` is told of a loop that failed and goes on. */
export async function runEngine(
  { engine, sealer, housekeeping, scheduler, deliverer, sweep, database }: Composition,
  onTrouble: (message: string) => void,
): Promise<RunningEngine> {
  await engine.start();
  const loop = (name: string, everyMs: number, round: LoopOptions['round']) =>
    new BackgroundLoop({
      name,
      everyMs,
      round,
      onFault: (error, restarts) =>
        onTrouble(`loop ${name} failed, restart ${restarts}: ${describeFault(error)}`),
    });
  const clock = new NearClock(database);
  const hasOpenRuns = async (): Promise<boolean> => {
    const soon = (await clock.now()) + WAKE_SOON_MS;
    return database.read((tx) => hasWork(tx, soon));
  };
  const chores = loop('housekeeping', CHORES_MS, housekeeping.round);
  const loops = [
    loop('sealing', SEAL_AGAIN_MS, () => sealer.recover()),
    loop('schedules', DUE_MS, () => scheduler.look()),
    loop('webhooks', DUE_MS, () => deliverer.look()),
    loop('attempts', CHORES_MS, async () => void (await sweep())),
    chores,
  ];
  return {
    get isBusy() {
      return engine.busy > 0 || chores.isBusy;
    },
    hasWork: async () =>
      engine.busy > 0 ||
      (await hasOpenRuns()) ||
      (await scheduler.hasEnabled()) ||
      (await deliverer.hasPending()),
    stop: async () => {
      await Promise.all(loops.map((each) => each.stop()));
      await Promise.all([scheduler.settled(), deliverer.stop()]);
      await engine.stop();
    },
  };
}
