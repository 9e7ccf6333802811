import { LONGEST_TIMER_MS, PalisadeError } from '@palisade/contracts';

/** Why an attempt has to end before its work is done. */
export type StopCause =
  | { readonly kind: 'canceled' }
  | { readonly kind: 'deadline' }
  | { readonly kind: 'fault'; readonly error: PalisadeError };

/**
 * The one place that decides that an attempt must stop: a cancel from outside, its deadline, or a
 * fault that makes going on pointless. The first cause wins and stays.
 */
export class Stop {
  readonly #controller = new AbortController();
  readonly #deadlineAt: number;
  readonly #outer: AbortSignal | undefined;
  #timer: NodeJS.Timeout | undefined;
  #cause: StopCause | null = null;

  /**
   * @param deadlineAt Unix ms after which nothing may go on (DI-174)
   * @param outer aborts when the attempt is canceled
   */
  constructor(deadlineAt: number, outer: AbortSignal | undefined) {
    this.#deadlineAt = deadlineAt;
    this.#outer = outer;
    if (outer?.aborted === true) this.#onCancel();
    else outer?.addEventListener('abort', this.#onCancel, { once: true });
    this.#arm();
  }

  /** Aborts at the first cause; given to every program of the attempt. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get cause(): StopCause | null {
    return this.#cause;
  }

  /** Milliseconds until the deadline, at least 1 so that it can bound a program. */
  remainingMs(): number {
    return Math.max(1, this.#deadlineAt - Date.now());
  }

  /** Ends the attempt because of a fault of its surroundings, e.g. a full disk. */
  fault(error: PalisadeError): void {
    this.#end({ kind: 'fault', error });
  }

  /** Throws {@link StoppedError} once there is a cause. */
  check(): void {
    if (this.#cause !== null) throw new StoppedError(this.#cause);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#outer?.removeEventListener('abort', this.#onCancel);
  }

  readonly #onCancel = (): void => this.#end({ kind: 'canceled' });

  #arm(): void {
    const left = this.#deadlineAt - Date.now();
    if (left <= 0) this.#end({ kind: 'deadline' });
    else this.#timer = setTimeout(() => this.#arm(), Math.min(left, LONGEST_TIMER_MS));
  }

  #end(cause: StopCause): void {
    if (this.#cause !== null) return;
    this.#cause = cause;
    this.#controller.abort();
  }
}

/** Thrown between two steps of an attempt that has to stop. */
export class StoppedError extends Error {
  override readonly name = 'StoppedError';
  readonly stop: StopCause;

  constructor(stop: StopCause) {
    super(`the attempt was stopped: ${stop.kind}`);
    this.stop = stop;
  }
}
