import { DEFAULT_PROJECT, isName, limits, nameAmongAll, PalisadeError } from '@palisade/contracts';
import { BackgroundLoop, type Database, doublingMs, NearClock } from '@palisade/kernel';
import { setTimeout as delay } from 'node:timers/promises';
import { addSink, claimResult, dueResults, forgetResult, hasResults, postponeResult } from './sink-store.ts';

/** How often it is looked whether a run has ended. */
const LOOK_MS = 500;
const AT_ONCE = 50;
/** How long closing waits for what is being offered. */
const CLOSE_GRACE_MS = 5_000;
/** Pause before a run is offered again: doubled from the first to the last. */
const FIRST_PAUSE_MS = 1_000;
const LAST_PAUSE_MS = 3_600_000;

/** What takes the results of runs that ended; `Result` is what it is given of one. */
export interface SinkPort<Result> {
  /** Names it across restarts: what it has taken is not offered to this name again. */
  readonly name: string;
  /** What became of a run; null, and nothing else, says that the run is not kept any more and has no result to give. */
  readonly load: (runId: string) => Promise<Result | null>;
  /** Resolves when it has the result; a rejection, whatever it says, is another try later. */
  readonly collect: (result: Result) => Promise<void>;
}

export interface ResultSinksOptions<Result> {
  readonly database: Database;
  /** Whose runs they are given; the default one when absent. */
  readonly project?: string | undefined;
  readonly sinks: readonly SinkPort<Result>[];
  /** Told of a sink that does not take a result, of a result that went with its run, and of trouble with the outbox. */
  readonly onFault: (error: unknown, about: string) => void;
  /** How long a run is left to a process that offered it and died; `limits.leaseMs` by default. */
  readonly leaseMs?: number;
  readonly wallClock?: () => number;
}

/**
 * Offers every run that ended to the sinks of this process (DI-085), each run at least once to each name: a sink
 * that dies or throws gets it again, also in another process. As long as a sink is at a run, no other process
 * offers it that run. Sinks are served side by side and each one run after
 * another, so that one that is slow, throws or hangs keeps nothing waiting but itself.
 */
export class ResultSinks<Result> {
  readonly #options: ResultSinksOptions<Result>;
  readonly #clock: NearClock;
  readonly #loops: ReadonlyMap<SinkPort<Result>, BackgroundLoop>;
  /** Aborts when closing waits no longer: what is being offered then is given up. */
  readonly #over = new AbortController();

  private constructor(options: ResultSinksOptions<Result>) {
    this.#options = options;
    this.#clock = new NearClock(options.database, options.wallClock);
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
  static async start<Result>(options: ResultSinksOptions<Result>): Promise<ResultSinks<Result>> {
    const names = options.sinks.map(({ name }) => name);
    const wrong = names.find((name, i) => !isName(name) || names.indexOf(name) !== i);
    if (wrong !== undefined)
      throw new PalisadeError('invalid_input', `${JSON.stringify(wrong)} cannot name a sink, or names two`);
    if (names.length > 0)
      await options.database.write(async (tx) => {
        for (const name of names) await addSink(tx, options.project ?? DEFAULT_PROJECT, name);
      });
    return new ResultSinks(options);
  }

  /** Offers what has ended once more and stops; what a sink has not taken after `graceMs` is offered by the next process. */
  async close(graceMs = CLOSE_GRACE_MS): Promise<void> {
    const { signal } = this.#over;
    const last = async (sink: SinkPort<Result>, loop: BackgroundLoop): Promise<void> => {
      await loop.stop();
      await this.#offerDue(sink, signal).catch((error: unknown) =>
        this.#options.onFault(error, `sink ${sink.name}`),
      );
    };
    // Each by itself: one that hangs keeps nothing from the others.
    const all = Promise.all([...this.#loops].map(([sink, loop]) => last(sink, loop)));
    await Promise.race([all, delay(graceMs, undefined, { signal }).catch(() => {})]);
    this.#over.abort();
  }

  #key({ name }: SinkPort<Result>): string {
    return nameAmongAll(this.#options.project ?? DEFAULT_PROJECT, name);
  }

  async #offerDue(sink: SinkPort<Result>, signal: AbortSignal): Promise<void> {
    const { database } = this.#options;
    const key = this.#key(sink);
    if (!(await database.read((tx) => hasResults(tx, key)))) return;
    for (;;) {
      const now = await this.#clock.now();
      const due = await database.read((tx) => dueResults(tx, key, now, AT_ONCE));
      let offered = 0;
      for (const runId of due) {
        if (signal.aborted) return;
        if (await this.#offer(sink, runId)) offered++;
      }
      // What only looked due, or is in the hands of another process, waits for the next round.
      if (due.length < AT_ONCE || offered === 0) return;
    }
  }

  /** False when the run is not this process's to offer now. */
  async #offer(sink: SinkPort<Result>, runId: string): Promise<boolean> {
    const { database, onFault, leaseMs = limits.leaseMs } = this.#options;
    const about = `sink ${sink.name}`;
    const key = this.#key(sink);
    const attempt = await database.write((tx) => claimResult(tx, key, runId, leaseMs));
    if (attempt === null) return false;
    const ended = new AbortController();
    void this.#keepClaim(key, runId, attempt, ended.signal);
    try {
      const result = await sink.load(runId);
      if (result === null)
        onFault(
          new PalisadeError('not_found', `the run ${runId} was retired before its result was taken`),
          about,
        );
      else await sink.collect(result);
    } catch (error) {
      ended.abort();
      onFault(error, about);
      const pause = doublingMs(attempt, FIRST_PAUSE_MS, LAST_PAUSE_MS);
      await database.write((tx) => postponeResult(tx, key, runId, attempt, pause));
      return true;
    } finally {
      ended.abort();
    }
    await database.write((tx) => forgetResult(tx, key, runId));
    return true;
  }

  /** Keeps a claim until the sink is done with the run, or closing gives it up: however slow a sink is, it is not given the run twice. */
  async #keepClaim(sink: string, runId: string, attempt: number, ended: AbortSignal): Promise<void> {
    const { database, leaseMs = limits.leaseMs } = this.#options;
    const signal = AbortSignal.any([ended, this.#over.signal]);
    const wait = () => delay(leaseMs / 3, undefined, { signal, ref: false }).catch(() => {});
    for (await wait(); !signal.aborted; await wait())
      await database
        .write((tx) => postponeResult(tx, sink, runId, attempt, leaseMs))
        // A database that is away may be back in time.
        .catch(() => {});
  }
}
