import type { ExecResult, ExecSpec, Sandbox, SandboxProtection } from '@palisade/contracts';
import { ExecQueue } from './exec-queue.ts';
import { canceledEarly, notStarted, specFault } from './exec-result.ts';

/**
 * A sandbox that runs one program at a time, in the order they were asked for. What cannot be run is said
 * and not tried; destroying it stops the program that runs and lets none start after it.
 */
export abstract class SerialSandbox implements Sandbox {
  abstract readonly workspacePath: string;
  abstract readonly uid: number | null;
  #posture: readonly SandboxProtection[];
  readonly #queue = new ExecQueue();
  readonly #destroying = new AbortController();

  /** @param posture what holds whatever the programs see; the rest is claimed when it is proved */
  constructor(posture: readonly SandboxProtection[]) {
    this.#posture = posture;
  }

  get posture(): readonly SandboxProtection[] {
    return this.#posture;
  }

  /** Adds what was proved in the sandbox itself. */
  claim(proved: readonly SandboxProtection[]): void {
    this.#posture = [...proved, ...this.#posture];
  }

  exec(spec: ExecSpec): Promise<ExecResult> {
    const signal = AbortSignal.any([
      this.#destroying.signal,
      ...(spec.signal === undefined ? [] : [spec.signal]),
    ]);
    return this.#queue.run(async () => {
      if (this.#destroying.signal.aborted) return notStarted('the sandbox is destroyed');
      if (signal.aborted) return canceledEarly();
      const fault = specFault(spec);
      return fault === null ? this.run({ ...spec, signal }) : notStarted(fault);
    });
  }

  async destroy(): Promise<void> {
    this.#destroying.abort();
    await this.#queue.idle();
    await this.dismantle();
  }

  /** Runs a program that can be run, while no other one does. */
  protected abstract run(spec: ExecSpec): Promise<ExecResult>;

  /** Ends whatever is left and frees what was made; no program runs and none will. May be called again. */
  protected abstract dismantle(): Promise<void>;
}
