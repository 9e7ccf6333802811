import {
  type CallContext,
  type Operation,
  type OperationCaller,
  PalisadeError,
  retryTemporary,
} from '@palisade/contracts';
import type * as z from 'zod';

/** How long a call is made again while the database is busy, ms. */
const PATIENCE_MS = 3_000;

/** What the parts of an open installation share: its operations while it is open, and someone who sees to an engine. */
export class Calls implements OperationCaller {
  readonly #caller: OperationCaller;
  readonly #closed = new AbortController();
  readonly #keepEngine: () => Promise<void>;
  /** Operations under way; closing waits for them. */
  readonly #pending = new Set<Promise<unknown>>();

  constructor(caller: OperationCaller, keepEngine: () => Promise<void>) {
    this.#caller = caller;
    this.#keepEngine = keepEngine;
  }

  /** Aborts when the installation is closed. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  /**
   * Calls an operation, again for a moment when the failure is temporary: a change carries a key by which it is
   * made once. Raises `invalid_state` after {@link close}.
   */
  async call<Op extends Operation>(
    operation: Op,
    input: z.input<Op['input']>,
    context: Partial<CallContext> = {},
  ): Promise<z.output<Op['output']>> {
    this.assertOpen();
    const keyed = operation.effect === 'read' ? context : { idempotencyKey: crypto.randomUUID(), ...context };
    const answer = retryTemporary(() => this.#caller.call(operation, input, keyed), {
      patienceMs: PATIENCE_MS,
      signal: this.closed,
    });
    this.#pending.add(answer);
    try {
      return await answer;
    } finally {
      this.#pending.delete(answer);
    }
  }

  assertOpen(): void {
    if (this.#closed.signal.aborted) throw closedError();
  }

  /** Sees to it that runs which nobody owns are taken up, in the way this installation was opened. */
  keepEngine(): Promise<void> {
    return this.#keepEngine();
  }

  /** Refuses every later call, ends every wait, and resolves when no call is under way. */
  async close(): Promise<void> {
    this.#closed.abort(closedError());
    await Promise.allSettled(this.#pending);
  }
}

function closedError(): PalisadeError {
  return new PalisadeError('invalid_state', 'the installation was closed', {
    why: 'its runs go on: open it again and take them up by their ids',
  });
}
