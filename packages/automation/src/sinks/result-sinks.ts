import { isName, isPalisadeError, limits, PalisadeError } from '@palisade/contracts';
import { BackgroundLoop, type Database } from '@palisade/kernel';
import { setTimeout as delay } from 'node:timers/promises';
import { addSink, claimResult, dueResults, forgetResult, postponeResult } from './sink-store.ts';

/** How often it is looked whether a run has ended. */
const LOOK_MS = 500;
const AT_ONCE = 50;
/** How long closing waits for what is being offered. */
const CLOSE_GRACE_MS = 5_000;
/** Pause before a run is offered again: doubled from the first to the last. */
const FIRST_PAUSE_MS = 1_000;
const LAST_PAUSE_MS = 3_600_000;

/** What takes the results of runs that ended. */
export interface SinkPort {
  /** Names it across restarts: what it has taken is not offered to this name again. */
  readonly name: string;
  /** Resolves when it has the run's result; a rejection is another try later, `not_found` none. */
  readonly collect: (runId: string) => Promise<void>;
}

export interface ResultSinksOptions {
  readonly database: Database;
  readonly sinks: readonly SinkPort[];
  /** Told of a sink that does not take a result, or of trouble with the outbox. */
  readonly onFault: (error: unknown, about: string) => void;
  /** How long a run is left to one process that offers it; `limits.leaseMs` by default. */
  readonly leaseMs?: number;
  readonly wallClock?: () => number;
}

/**
 * Offers every run that ended to the sinks of this process (DI-085), each run at least once to each name: a sink
 * that dies or throws gets it again, also in another process. Sinks are served side by side and each one run after
 * another, so that one that is slow, throws or hangs keeps nothing waiting but itself.
 */
export class ResultSinks {
  readonly #options: ResultSinksOptions;
  readonly #loops: ReadonlyMap<SinkPort, BackgroundLoop>;

  private constructor(options: ResultSinksOptions) {
    this.#options = options;
    this.#loops = new Map(
      options.sinks.map((sink) => [
        sink,
        new BackgroundLoop({
          name: `sink ${sink.name}`,
          everyMs: LOOK_MS,
          round: (signal) => this.#offerDue(sink, signal),
          onFault: (error) => options.onFault(error, `sink ${sink.name}`),
        }),
      ]),
    );
  }

  /** Makes the names known and begins. Raises `invalid_input` for a name that is none or is given twice. */
  static async start(options: ResultSinksOptions): Promise<ResultSinks> {
    const names = options.sinks.map(({ name }) => name);
    const wrong = names.find((name, i) => !isName(name) || names.indexOf(name) !== i);
    if (wrong !== undefined)
      throw new PalisadeError('invalid_input', `${JSON.stringify(wrong)} cannot name a sink, or names two`);
    if (names.length > 0)
      await options.database.write(async (tx) => {
        for (const name of names) await addSink(tx, name);
      });
    return new ResultSinks(options);
  }

  /** Offers what has ended once more and stops; what a sink has not taken after `graceMs` is offered by the next process. */
  async close(graceMs = CLOSE_GRACE_MS): Promise<void> {
    const over = new AbortController();
    const last = async (sink: SinkPort, loop: BackgroundLoop): Promise<void> => {
      await loop.stop();
      await this.#offerDue(sink, over.signal).catch((error: unknown) =>
        this.#options.onFault(error, `sink ${sink.name}`),
      );
    };
    // Each by itself: one that hangs keeps nothing from the others.
    const all = Promise.all([...this.#loops].map(([sink, loop]) => last(sink, loop)));
    await Promise.race([all, delay(graceMs, undefined, { signal: over.signal }).catch(() => {})]);
    over.abort();
  }

  async #offerDue(sink: SinkPort, signal: AbortSignal): Promise<void> {
    const { database, wallClock = Date.now } = this.#options;
    for (;;) {
      const due = await database.read((tx) => dueResults(tx, sink.name, wallClock(), AT_ONCE));
      for (const runId of due) {
        if (signal.aborted) return;
        await this.#offer(sink, runId);
      }
      if (due.length < AT_ONCE) return;
    }
  }

  async #offer(sink: SinkPort, runId: string): Promise<void> {
    const { database, onFault, leaseMs = limits.leaseMs } = this.#options;
    const attempt = await database.write((tx) => claimResult(tx, sink.name, runId, leaseMs));
    if (attempt === null) return;
    try {
      await sink.collect(runId);
    } catch (error) {
      // A run that is not kept any more has no result that anybody could take.
      if (!isPalisadeError(error, 'not_found')) {
        onFault(error, `sink ${sink.name}`);
        const pause = Math.min(LAST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(attempt - 1, 20));
        await database.write((tx) => postponeResult(tx, sink.name, runId, pause));
        return;
      }
    }
    await database.write((tx) => forgetResult(tx, sink.name, runId));
  }
}
