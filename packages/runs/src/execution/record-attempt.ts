import { statfs } from 'node:fs/promises';
import {
  type AttemptEnd,
  type AttemptIntent,
  type BlobStore,
  type ErrorCode,
  faultPoint,
} from '@palisade/contracts';
import type { AttemptDirectory } from './attempt-directory.ts';
import { endOf } from './attempt-end.ts';
import { ingestLog, ingestProduct } from './ingest-product.ts';
import { keepTrying } from './keep-trying.ts';

/** What is done with what a worker leaves. */
export interface RecordOptions {
  readonly blobs: BlobStore;
  /**
   * Ends whatever a dead worker left running, by the sandbox provider that started it; null when
   * nobody knows which one that was.
   */
  readonly reap: (attemptId: string, stateDir: string, provider: string | null) => Promise<void>;
  /** Removes the workspace and everything else of an attempt, also what only another identity may touch. */
  readonly release: (attemptDir: string) => Promise<void>;
  /** Told of trouble that an attempt outlives. */
  readonly onFault?: (error: unknown, attemptId: string) => void;
}

/** Free space below which a workspace is removed before its attempt's end is committed. */
const ROOM_BYTES = 64 * 1024 * 1024;
/** What no further try can change: the result itself is wrong. */
export const MALFORMED: readonly ErrorCode[] = ['invalid_model_output', 'too_large'];
const DISBELIEVED: readonly ErrorCode[] = ['integrity_mismatch', 'unsafe_path'];

/** Makes an attempt's end out of what its worker left, once that is gone. */
export class AttemptRecorder {
  readonly #options: RecordOptions;
  readonly #intent: AttemptIntent;
  readonly #directory: AttemptDirectory;
  readonly #detached: AbortSignal;
  readonly #isCanceled: () => boolean;

  /** `detached` ends every try with its reason. */
  constructor(
    options: RecordOptions,
    intent: AttemptIntent,
    directory: AttemptDirectory,
    detached: AbortSignal,
    isCanceled: () => boolean,
  ) {
    this.#options = options;
    this.#intent = intent;
    this.#directory = directory;
    this.#detached = detached;
    this.#isCanceled = isCanceled;
  }

  async record(): Promise<AttemptEnd> {
    // However the worker ended, its attempt has no end, and its locks are held, while anything of it may
    // run on beside a later one (FF-046).
    await this.untilDone(() => reapAttempt(this.#options, this.#intent.runId, this.#directory));
    const result = await this.#keepTrying(() => this.#directory.result(), MALFORMED);
    await this.#makeRoom();
    if (result === null) return this.#endWithoutResult();
    faultPoint('record.before-ingest');
    const ingested = await this.#keepTrying(
      () => ingestProduct(this.#directory, this.#options.blobs, result, this.#intent),
      DISBELIEVED,
    );
    faultPoint('record.after-ingest');
    return endOf(result, ingested);
  }

  /** Tries until it is done, or the run has a new owner: for what a later attempt relies on. */
  untilDone<T>(body: () => Promise<T>, final: readonly ErrorCode[] = []): Promise<T> {
    return this.#try(body, final, async () => true);
  }

  async #endWithoutResult(): Promise<AttemptEnd> {
    const { blobs, onFault } = this.#options;
    const product = await ingestLog(this.#directory, blobs).catch((error: unknown) => {
      onFault?.(error, this.#intent.runId);
      return {};
    });
    const nothing = { product, posture: [] };
    if (this.#isCanceled()) {
      const reason = 'canceled before it left a result';
      return { outcome: 'canceled', code: 'canceled', reason, retryable: false, ...nothing };
    }
    // One rule with the worker's own ending: what had its whole time is not tried again.
    if (Date.now() >= this.#intent.deadlineAt) {
      const reason = 'the deadline of the attempt passed and the worker left no result';
      return { outcome: 'timed_out', code: 'timed_out', reason, retryable: false, ...nothing };
    }
    const reason = 'the worker ended without leaving a result';
    return { outcome: 'lost', code: 'worker_lost', reason, retryable: true, ...nothing };
  }

  /**
   * On a disk that is nearly full the workspace goes before the end is committed: what the agent filled
   * the disk with is often in it, the commit needs room, and nothing reads it after the worker's end.
   */
  async #makeRoom(): Promise<void> {
    const facts = await statfs(this.#directory.path).catch(() => null);
    if (facts === null || facts.bavail * facts.bsize >= ROOM_BYTES) return;
    await this.#options.release(this.#directory.path).catch(() => {});
  }

  /**
   * A finished product is not thrown away for trouble of the machine: what fails is tried again while a
   * result is on disk and nobody canceled it. Without a result nothing is lost with the last try.
   */
  #keepTrying<T>(body: () => Promise<T>, final: readonly ErrorCode[]): Promise<T> {
    const hasResult = () => this.#directory.hasResult().catch(() => true);
    return this.#try(body, final, async () => !this.#isCanceled() && (await hasResult()));
  }

  #try<T>(
    body: () => Promise<T>,
    final: readonly ErrorCode[],
    isPatient: () => Promise<boolean>,
  ): Promise<T> {
    return keepTrying(body, {
      final,
      signal: this.#detached,
      isPatient,
      onFault: (error) => {
        this.#options.onFault?.(error, this.#intent.runId);
        this.#intent.onTrouble?.(error);
      },
    });
  }
}

/** Ends whatever a dead worker of the attempt left running. */
export async function reapAttempt(
  { reap }: Pick<RecordOptions, 'reap'>,
  attemptId: string,
  directory: AttemptDirectory,
): Promise<void> {
  await reap(attemptId, directory.stateDir, await directory.sandboxProvider());
}
