import { randomUUID } from 'node:crypto';
import { remoteCaller } from '@palisade/client';
import {
  getReporter,
  isPalisadeError,
  observeJob,
  type OperationCaller,
  type Reported,
} from '@palisade/contracts';
import type { JobFile, KeptJob, Seen } from './job-file.ts';

/** What the server will never take, whenever it is told: it knows better, or the authority is over. */
const FOR_GOOD = ['authentication_required', 'invalid_state', 'already_exists'] as const;

/** Tells a server of one job with the bearer of its reporter, and writes every report down before it is sent (AO-105). */
export class Reporter {
  readonly #file: JobFile;
  readonly #caller: OperationCaller;
  #kept: KeptJob;
  #turn: Promise<void> = Promise.resolve();

  constructor(file: JobFile, kept: KeptJob, signal: AbortSignal) {
    this.#file = file;
    this.#kept = kept;
    const token = `palr_${kept.reporter_id.slice('rep_'.length)}.${kept.proof}`;
    const caller = remoteCaller({ origin: kept.origin, token, patienceMs: 10_000, attemptMs: 30_000 });
    this.#caller = {
      call: (operation, input, context) => caller.call(operation, input, { signal, ...context }),
    };
  }

  get kept(): KeptJob {
    return this.#kept;
  }

  keep(changed: Partial<KeptJob>): void {
    this.#kept = { ...this.#kept, ...changed };
    this.#file.keep(this.#kept);
  }

  /** The job as the server has it, and whether its process may be started. */
  look(): Promise<Reported> {
    return this.#caller.call(getReporter, { reporter: this.#kept.reporter_id });
  }

  /** Reports what is seen, behind what was not sent before. Raises what may pass; what the server will never take is forgotten. */
  async report(seen: Seen): Promise<void> {
    await this.#inTurn(async () => {
      await this.#send();
      const sequence = this.#kept.sequence + 1;
      this.keep({ sequence, unsent: { sequence, ...seen, key: randomUUID() } });
      await this.#send();
    });
  }

  /** Keeps how it ended, at once, and reports it. */
  async end(seen: Seen): Promise<void> {
    if (this.#kept.end === undefined) this.keep({ phase: 'ended', end: seen });
    if (this.#kept.is_told) return;
    await this.report(this.#kept.end ?? seen);
    this.keep({ is_told: true });
  }

  async #inTurn(body: () => Promise<void>): Promise<void> {
    const mine = this.#turn.then(body);
    this.#turn = mine.catch(() => {});
    await mine;
  }

  async #send(): Promise<void> {
    const { unsent, reporter_id: reporter, producer_id: producer } = this.#kept;
    if (unsent === undefined) return;
    const { key, ...told } = unsent;
    try {
      await this.#caller.call(
        observeJob,
        { reporter, producer_id: producer, ...told },
        { idempotencyKey: key },
      );
    } catch (error) {
      if (!FOR_GOOD.some((code) => isPalisadeError(error, code))) throw error;
    }
    // The end may have been kept meanwhile.
    const { unsent: _, ...rest } = this.#kept;
    this.#kept = rest;
    this.#file.keep(rest);
  }
}
