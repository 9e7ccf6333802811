import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { type AttemptClaim, type AttemptIntent, faultPoint, limits } from '@palisade/contracts';
import { nameProcess, signalNamed, verdictOn } from '@palisade/process';
import type { AttemptDirectory } from './attempt-directory.ts';
import { Pulse } from './pulse.ts';

/** How workers are started and watched. */
export interface WorkerOptions {
  /** Program and first arguments that start a worker; the attempt's directory is appended. */
  readonly command: readonly [string, ...string[]];
  /** Environment the worker starts with; the agent's environment is made from it by the firewall. */
  readonly env: Readonly<Record<string, string>>;
  /** How long a worker that cannot be judged from here may show no life before it counts as gone, in ms. */
  readonly silenceMs?: number;
  /** Told of trouble that an attempt outlives. */
  readonly onFault?: (error: unknown, attemptId: string) => void;
}

/** How long after its own deadline or a polite cancel a worker may take before it is killed. */
const WORKER_GRACE_MS = 25_000;
export const POLL_MS = 100;

/** The process that carries one attempt out: started or found again, watched until it is gone, told to stop. */
export class AttemptWorker {
  readonly #options: WorkerOptions;
  readonly #intent: AttemptIntent;
  readonly #directory: AttemptDirectory;
  readonly #detached: AbortSignal;
  readonly #pulse: Pulse;
  /** By name, whoever started it; null when there is none. */
  #name: string | null = null;
  /** Of a worker that this process started. */
  #child: ChildProcess | null = null;
  #isCanceled = false;
  #killAt = Number.POSITIVE_INFINITY;

  /** `detached` ends the watch with its reason, and leaves the worker alone. */
  constructor(
    options: WorkerOptions,
    intent: AttemptIntent,
    directory: AttemptDirectory,
    detached: AbortSignal,
  ) {
    this.#options = options;
    this.#intent = intent;
    this.#directory = directory;
    this.#detached = detached;
    this.#pulse = new Pulse(options.silenceMs ?? limits.leaseMs);
    detached.addEventListener('abort', () => this.#child?.unref(), { once: true });
  }

  /** The worker's process; null when none is known. */
  get name(): string | null {
    return this.#name;
  }

  get isCanceled(): boolean {
    return this.#isCanceled;
  }

  /** Asks for the end, and sees to it when it does not come in time; idempotent. */
  cancel(): void {
    if (this.#isCanceled) return;
    this.#isCanceled = true;
    this.#killAt = Math.min(this.#killAt, Date.now() + WORKER_GRACE_MS);
    this.#signal('SIGTERM');
  }

  /** Watches a worker that an earlier owner of the attempt started; null when there never was one. */
  follow(name: string | null): void {
    this.#name = name;
    if (this.#isCanceled) this.#signal('SIGTERM');
  }

  /** Starts one, unless the attempt was canceled already. When this fails there is none. */
  async start(): Promise<void> {
    const { spec, secrets } = await this.#intent.spec();
    await this.#directory.prepare(spec);
    if (this.#isCanceled && (await this.#directory.giveUp())) return;
    const handOver = `${JSON.stringify(secrets)}\n`;
    const [program, ...args] = this.#options.command;
    const child = spawn(program, [...args, this.#directory.path], {
      detached: true,
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
      env: this.#environment(),
    });
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      // Stays attached: a signal that cannot be sent is an event of the child too.
      child.on('error', reject);
    });
    this.#child = child;
    this.#name = child.pid === undefined ? null : nameProcess(child.pid);
    faultPoint('fire.after-spawn');
    const pipe = child.stdio[3];
    if (pipe !== null && pipe !== undefined && 'end' in pipe) {
      // A worker that gives up early closes its end; that shows in its exit, not here.
      pipe.on('error', () => {});
      pipe.end(handOver);
    }
    if (this.#detached.aborted) child.unref();
    else if (this.#isCanceled) this.#signal('SIGTERM');
  }

  /** A fault armed by the environment hits the first attempt only: the second must show the recovery. */
  #environment(): Record<string, string> {
    const { PALISADE_FAULT: fault, ...env } = this.#options.env;
    return fault === undefined || this.#intent.attempt > 1 ? env : { ...env, PALISADE_FAULT: fault };
  }

  /** Waits until the worker is gone, or killed because its time is over. */
  async untilGone(): Promise<void> {
    this.#killAt = Math.min(this.#killAt, this.#intent.deadlineAt + WORKER_GRACE_MS);
    const child = this.#child;
    let exited = child === null || child.exitCode !== null || child.signalCode !== null;
    child?.once('exit', () => {
      exited = true;
    });
    const gone =
      child === null || exited ? null : new Promise<void>((resolve) => child.once('exit', () => resolve()));
    for (;;) {
      this.#detached.throwIfAborted();
      if (child !== null ? exited : await this.#isGone()) return;
      if (Date.now() >= this.#killAt) this.#signal('SIGKILL');
      const tick = delay(gone === null ? POLL_MS : 1_000, undefined, { signal: this.#detached });
      await (gone === null ? tick : Promise.race([gone, tick]));
    }
  }

  /**
   * Whether a worker that another process started is gone. One that cannot be judged from here has ended
   * when it left its result; it counts as gone when it shows no life any more, or its time is over and it
   * was told: it stops itself by its own clock, and finds its claim removed if it ever goes on (FF-046).
   */
  async #isGone(): Promise<boolean> {
    const verdict = this.#name === null ? 'dead' : verdictOn(this.#name);
    if (verdict !== 'unknown') return verdict === 'dead';
    if (await this.#directory.hasResult().catch(() => false)) return true;
    return this.#pulse.isSilent(await this.#directory.signOfLife()) || Date.now() >= this.#killAt;
  }

  #signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    const child = this.#child;
    if (child !== null) {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      return;
    }
    const name = this.#name;
    if (name === null) return;
    const reach = async (): Promise<void> =>
      verdictOn(name) === 'unknown' ? this.#directory.askToStop() : signalNamed(name, signal);
    void reach().catch((error: unknown) => this.#options.onFault?.(error, this.#intent.runId));
  }
}

/** The worker that claimed the attempt, by the name of its process. */
export function workerOf(claim: AttemptClaim | null): string | null {
  return claim?.by === 'worker' ? claim.process : null;
}
