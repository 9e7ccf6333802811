import { type ChildProcess, spawn } from 'node:child_process';
import { statfs } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type AttemptClaim,
  type BlobStore,
  type ErrorCode,
  faultPoint,
  limits,
  PalisadeError,
  toPalisadeError,
  type WorkerProcess,
} from '@palisade/contracts';
import { nameProcess, signalNamed, verdictOn } from '@palisade/process';
import { AttemptDirectory } from './attempt-directory.ts';
import { endOf } from './attempt-end.ts';
import type { AttemptEnd, AttemptIntent, Execution, Executor } from './executor.ts';
import { ingestLog, ingestProduct } from './ingest-product.ts';
import { keepTrying } from './keep-trying.ts';
import { Pulse } from './pulse.ts';

export interface WorkerExecutorOptions {
  readonly name: string;
  /** Directory of all attempts of this control plane. */
  readonly root: string;
  readonly blobs: BlobStore;
  /** Program and first arguments that start a worker; the attempt's directory is appended. */
  readonly command: readonly [string, ...string[]];
  /** Environment the worker starts with; the agent's environment is made from it by the firewall. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * Ends whatever a dead worker left running, by the sandbox provider that started it; null when
   * nobody knows which one that was.
   */
  readonly reap: (attemptId: string, stateDir: string, provider: string | null) => Promise<void>;
  /** Removes the workspace and everything else of an attempt, also what only another identity may touch. */
  readonly release: (attemptDir: string) => Promise<void>;
  /** True while the end of the attempt is not committed: what it left may be the only copy of its product. */
  readonly isOpen: (attemptId: string) => Promise<boolean>;
  /** How long a worker that cannot be judged from here may show no life before it counts as gone, in ms. */
  readonly silenceMs?: number;
  /** Told of trouble that an attempt outlives. */
  readonly onFault?: (error: unknown, attemptId: string) => void;
}

/** How long after its own deadline or a polite cancel a worker may take before it is killed. */
const WORKER_GRACE_MS = 25_000;
const POLL_MS = 100;
/** Free space below which a workspace is removed before its attempt's end is committed. */
const ROOM_BYTES = 64 * 1024 * 1024;
/** What no further try can change: the result itself is wrong. */
const MALFORMED: readonly ErrorCode[] = ['invalid_model_output', 'too_large'];
const DISBELIEVED: readonly ErrorCode[] = ['integrity_mismatch', 'unsafe_path'];

/** Carries out attempts by one detached worker process each: it outlives this process and can be found again. */
export function workerExecutor(options: WorkerExecutorOptions): Executor {
  return {
    name: options.name,
    fire: (intent) => new WorkerExecution(options, intent, 'fire'),
    discard: (attemptId) => discard(options, new AttemptDirectory(options.root, attemptId), attemptId),
    async recover(intent) {
      const directory = new AttemptDirectory(options.root, intent.runId);
      if (await directory.hasResult())
        return { how: 'adopted', execution: new WorkerExecution(options, intent, 'observe') };
      const gaveUp = await directory.giveUp();
      const claim = gaveUp ? null : await waitForClaim(directory);
      const worker = claim === null ? null : workerOf(claim);
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
  readonly #intent: AttemptIntent;
  readonly #directory: AttemptDirectory;
  readonly #detached = new AbortController();
  readonly #pulse: Pulse;
  /** The worker's process by name; null when this process started it itself, or when there is none. */
  #worker: string | null = null;
  #child: ChildProcess | null = null;
  #cancelled = false;
  #killAt = Number.POSITIVE_INFINITY;

  constructor(options: WorkerExecutorOptions, intent: AttemptIntent, mode: 'fire' | 'observe') {
    this.#options = options;
    this.#intent = intent;
    this.#directory = new AttemptDirectory(options.root, intent.runId);
    this.#pulse = new Pulse(options.silenceMs ?? limits.leaseMs);
    this.started = this.#start.promise;
    this.ended = this.#run(mode).catch((error: unknown): AttemptEnd => {
      // Detached, the work goes on for its new owner; otherwise nothing of a broken attempt may run on.
      if (!this.#detached.signal.aborted) this.#signal('SIGKILL');
      const failure = toPalisadeError(error, 'provider_failed');
      return {
        outcome: 'failed',
        code: failure.code,
        reason: failure.message,
        retryable: failure.facts.retryable,
        product: {},
        posture: [],
      };
    });
    // Whatever went wrong before a worker was known: there is none.
    void this.ended.then(() => this.#start.resolve(null));
  }

  cancel(): void {
    if (this.#cancelled) return;
    this.#cancelled = true;
    this.#killAt = Math.min(this.#killAt, Date.now() + WORKER_GRACE_MS);
    this.#signal('SIGTERM');
  }

  detach(): void {
    this.#detached.abort();
    this.#child?.unref();
  }

  async release(): Promise<void> {
    await discard(this.#options, this.#directory, this.#intent.runId);
  }

  async #run(mode: 'fire' | 'observe'): Promise<AttemptEnd> {
    if (mode === 'fire') await this.#spawn();
    else {
      // A claim that says nothing names no worker; what is left of one is reaped all the same.
      const claim = await this.#keepTrying(() => this.#directory.claim(), MALFORMED).catch(() => null);
      this.#detached.signal.throwIfAborted();
      this.#worker = claim === null ? null : workerOf(claim);
      if (this.#cancelled) this.#signal('SIGTERM');
    }
    this.#start.resolve(this.#worker);
    await this.#untilGone();
    return this.#collect();
  }

  async #spawn(): Promise<void> {
    const { spec, secrets } = await this.#intent.spec();
    await this.#directory.prepare(spec);
    if (this.#cancelled && (await this.#directory.giveUp())) return;
    const [program, ...args] = this.#options.command;
    const child = spawn(program, [...args, this.#directory.path], {
      detached: true,
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
      env: this.#environment(),
    });
    this.#child = child;
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      // Stays attached: a signal that cannot be sent is an event of the child too.
      child.on('error', reject);
    });
    this.#worker = child.pid === undefined ? null : nameProcess(child.pid);
    faultPoint('fire.after-spawn');
    const pipe = child.stdio[3];
    if (pipe !== null && pipe !== undefined && 'end' in pipe) {
      // A worker that gives up early closes its end; that shows in its exit, not here.
      pipe.on('error', () => {});
      pipe.end(`${JSON.stringify(secrets)}\n`);
    }
    if (this.#cancelled) this.#signal('SIGTERM');
  }

  /** A fault armed by the environment hits the first attempt only: the second must show the recovery. */
  #environment(): Record<string, string> {
    const { PALISADE_FAULT: fault, ...env } = this.#options.env;
    return fault === undefined || this.#intent.attempt > 1 ? env : { ...env, PALISADE_FAULT: fault };
  }

  /** Waits until the worker is gone, or killed because its time is over. */
  async #untilGone(): Promise<void> {
    this.#killAt = Math.min(this.#killAt, this.#intent.deadlineAt + WORKER_GRACE_MS);
    const child = this.#child;
    let exited = child === null || child.exitCode !== null || child.signalCode !== null;
    child?.once('exit', () => {
      exited = true;
    });
    const gone =
      child === null || exited ? null : new Promise<void>((resolve) => child.once('exit', () => resolve()));
    for (;;) {
      this.#detached.signal.throwIfAborted();
      if (child !== null ? exited : await this.#isGone()) return;
      if (Date.now() >= this.#killAt) this.#signal('SIGKILL');
      const tick = delay(gone === null ? POLL_MS : 1_000, undefined, { signal: this.#detached.signal });
      await (gone === null ? tick : Promise.race([gone, tick]));
    }
  }

  /**
   * Whether a worker that another process started is gone. One that cannot be judged from here has ended
   * when it left its result; it counts as gone when it shows no life any more, or its time is over and it
   * was told: it stops itself by its own clock, and finds its claim removed if it ever goes on (FF-046).
   */
  async #isGone(): Promise<boolean> {
    const verdict = this.#worker === null ? 'dead' : verdictOn(this.#worker);
    if (verdict !== 'unknown') return verdict === 'dead';
    if (await this.#directory.hasResult()) return true;
    return this.#pulse.isSilent(await this.#directory.signOfLife()) || Date.now() >= this.#killAt;
  }

  async #collect(): Promise<AttemptEnd> {
    // Whatever way the worker ended, nothing of it may run on beside a later attempt (FF-046).
    await this.#keepTrying(async () =>
      this.#options.reap(
        this.#intent.runId,
        this.#directory.stateDir,
        await this.#directory.sandboxProvider(),
      ),
    );
    const result = await this.#keepTrying(() => this.#directory.result(), MALFORMED);
    await this.#makeRoom();
    if (result === null) return this.#endWithoutResult();
    faultPoint('record.before-ingest');
    const product = await this.#keepTrying(
      () => ingestProduct(this.#directory, this.#options.blobs, result, this.#intent),
      DISBELIEVED,
    );
    faultPoint('record.after-ingest');
    return endOf(result, product);
  }

  async #endWithoutResult(): Promise<AttemptEnd> {
    const { blobs, onFault } = this.#options;
    const product = await ingestLog(this.#directory, blobs).catch((error: unknown) => {
      onFault?.(error, this.#intent.runId);
      return {};
    });
    const nothing = { product, posture: [] };
    if (this.#cancelled) {
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
  #keepTrying<T>(body: () => Promise<T>, final: readonly ErrorCode[] = []): Promise<T> {
    return keepTrying(body, {
      final,
      signal: this.#detached.signal,
      isPatient: async () => !this.#cancelled && (await this.#directory.hasResult().catch(() => true)),
      onFault: (error) => {
        this.#options.onFault?.(error, this.#intent.runId);
        this.#intent.onTrouble?.(error);
      },
    });
  }

  #signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    const child = this.#child;
    if (child !== null) {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      return;
    }
    const worker = this.#worker;
    if (worker === null) return;
    const reach = async (): Promise<void> =>
      verdictOn(worker) === 'unknown' ? this.#directory.askToStop() : signalNamed(worker, signal);
    void reach().catch((error: unknown) => this.#options.onFault?.(error, this.#intent.runId));
  }
}

async function discard(
  options: WorkerExecutorOptions,
  directory: AttemptDirectory,
  attemptId: string,
): Promise<void> {
  if ((await directory.hasResult()) && (await options.isOpen(attemptId)))
    throw new PalisadeError('invalid_state', `the product of attempt ${attemptId} is not recorded yet`);
  await options.release(directory.path);
  await directory.remove();
}

/** The worker that claimed the attempt, by the name of its process. */
function workerOf(claim: AttemptClaim): string | null {
  return claim.by === 'worker' ? claim.process : null;
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
