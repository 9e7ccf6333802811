import { setTimeout as delay } from 'node:timers/promises';
import {
  type AttemptClaim,
  type AttemptEnd,
  type AttemptIntent,
  type Execution,
  type Executor,
  type InboxMessage,
  PalisadeError,
  type WorkerProcess,
} from '@palisade/contracts';
import { verdictOn } from '@palisade/process';
import { AttemptDirectory } from './attempt-directory.ts';
import { brokenEnd } from './attempt-end.ts';
import { AttemptWorker, POLL_MS, type WorkerOptions, workerOf } from './attempt-worker.ts';
import { Mailbox } from './mailbox.ts';
import { AttemptRecorder, MALFORMED, reapAttempt, type RecordOptions } from './record-attempt.ts';

export interface WorkerExecutorOptions extends WorkerOptions, RecordOptions {
  readonly name: string;
  /** Directory of all attempts of this control plane. */
  readonly root: string;
  /** True while the end of the attempt is not committed: what it left may be the only copy of its product. */
  readonly isOpen: (attemptId: string) => Promise<boolean>;
}

/** Carries out attempts by one detached worker process each: it outlives this process and can be found again. */
export function workerExecutor(options: WorkerExecutorOptions): Executor {
  return {
    name: options.name,
    fire: (intent) => new WorkerExecution(options, intent, 'fire'),
    async discard(attemptId) {
      const directory = new AttemptDirectory(options.root, attemptId);
      await assertRecorded(options, directory, attemptId);
      // By what the directory holds the rest of the attempt is known: it goes first.
      await reapAttempt(options, attemptId, directory);
      await remove(options, directory);
    },
    async recover(intent) {
      const directory = new AttemptDirectory(options.root, intent.runId);
      if (await directory.hasResult())
        return { how: 'adopted', execution: new WorkerExecution(options, intent, 'observe') };
      const gaveUp = await directory.giveUp();
      const worker = gaveUp ? null : workerOf(await waitForClaim(directory));
      if (worker !== null && verdictOn(worker) !== 'dead')
        return { how: 'reattached', execution: new WorkerExecution(options, intent, 'observe') };
      // The worker may have finished between the first look and its death.
      const how = (await directory.hasResult()) ? 'adopted' : 'lost';
      return { how, execution: new WorkerExecution(options, intent, 'observe') };
    },
  };
}

class WorkerExecution implements Execution {
  readonly started: Promise<WorkerProcess | null>;
  readonly ended: Promise<AttemptEnd>;
  readonly #start = Promise.withResolvers<WorkerProcess | null>();
  readonly #options: WorkerExecutorOptions;
  readonly #attemptId: string;
  readonly #directory: AttemptDirectory;
  readonly #detached = new AbortController();
  readonly #worker: AttemptWorker;
  readonly #recorder: AttemptRecorder;
  /** Null for an agent that takes no messages. */
  readonly #mailbox: Mailbox | null;

  constructor(options: WorkerExecutorOptions, intent: AttemptIntent, mode: 'fire' | 'observe') {
    const { signal } = this.#detached;
    this.#options = options;
    this.#attemptId = intent.runId;
    this.#directory = new AttemptDirectory(options.root, intent.runId);
    this.#worker = new AttemptWorker(options, intent, this.#directory, signal);
    const isCanceled = () => this.#worker.isCanceled;
    this.#recorder = new AttemptRecorder(options, intent, this.#directory, signal, isCanceled);
    this.started = this.#start.promise;
    const { onDelivered } = intent;
    this.#mailbox =
      onDelivered === undefined
        ? null
        : new Mailbox({
            directory: this.#directory,
            ready: this.started.then((worker) => worker !== null),
            detached: signal,
            onDelivered,
            onFault: (error) => options.onFault?.(error, intent.runId),
          });
    this.ended = this.#run(mode).catch((error: unknown) => brokenEnd(error, 'provider_failed'));
    // Whatever went wrong before a worker was known: there is none.
    void this.ended.then(() => this.#start.resolve(null));
  }

  cancel(): void {
    this.#worker.cancel();
  }

  deliver(messages: readonly InboxMessage[]): void {
    this.#mailbox?.put(messages);
  }

  detach(): void {
    this.#detached.abort();
  }

  async release(): Promise<void> {
    await assertRecorded(this.#options, this.#directory, this.#attemptId);
    await remove(this.#options, this.#directory);
  }

  /** Fails only where there is no worker, or none any more and nothing of it, or the run has a new owner. */
  async #run(mode: 'fire' | 'observe'): Promise<AttemptEnd> {
    if (mode === 'fire') await this.#worker.start();
    else {
      // A claim that says nothing names no worker; what is left of one is reaped all the same.
      const claim = await this.#recorder
        .untilDone(() => this.#directory.claim(), MALFORMED)
        .catch(() => null);
      this.#detached.signal.throwIfAborted();
      this.#worker.follow(workerOf(claim));
    }
    this.#start.resolve(this.#worker.name);
    await this.#worker.untilGone();
    await this.#mailbox?.close();
    return this.#recorder.record();
  }
}

async function assertRecorded(
  options: WorkerExecutorOptions,
  directory: AttemptDirectory,
  attemptId: string,
): Promise<void> {
  if ((await directory.hasResult()) && (await options.isOpen(attemptId)))
    throw new PalisadeError('invalid_state', `the product of attempt ${attemptId} is not recorded yet`);
}

async function remove(options: WorkerExecutorOptions, directory: AttemptDirectory): Promise<void> {
  await options.release(directory.path);
  await directory.remove();
}

/** A claim file exists but may still be empty: its writer is between create and write, or died there. */
async function waitForClaim(directory: AttemptDirectory): Promise<AttemptClaim | null> {
  for (let i = 0; i < 20; i++) {
    const claim = await directory.claim().catch(() => null);
    if (claim !== null) return claim;
    await delay(POLL_MS);
  }
  return null;
}
