import type { ServerResponse } from 'node:http';
import type { Caller } from '@palisade/contracts';
import { LARGE_BODY_BYTES, type Load } from './load.ts';

/** Bodies take their share in steps: whoever sends byte by byte is counted as cheaply as anybody. */
const STEP_BYTES = 64 * 1024;

/** By whom what a request holds is counted. */
export interface Holder {
  readonly who: string;
  /** Held to a small share of its own besides, so that one bearer holds up no other. */
  readonly reporter?: string;
}

/** A reporter takes nothing from the agents of its principal, and with however many others no more than one caller. */
export function holderOf({ principal, actor, reporter }: Caller): Holder {
  const who = principal ?? actor;
  return reporter === undefined ? { who } : { who: `reporters of ${who}`, reporter };
}

/**
 * A request, and what it holds of the server: given back when the last byte of its answer was taken or its connection is
 * gone, so that whoever reads slowly or not at all holds what it asked for. Raises `rate_limited` and `overloaded`; see {@link Load}.
 */
export class Exchange {
  readonly #load: Load;
  readonly #who: string;
  /** Null when it is over. */
  #held: (() => void)[] | null = [];
  #steps = 0;
  readonly #makeSignal: () => AbortSignal;
  #signal: AbortSignal | undefined;

  constructor(load: Load, { who, reporter }: Holder, outgoing: ServerResponse, signal: () => AbortSignal) {
    this.#load = load;
    this.#who = who;
    this.#makeSignal = signal;
    if (outgoing.destroyed) this.#release();
    else outgoing.once('close', () => this.#release());
    if (reporter !== undefined) this.#hold(load.reports.take(reporter));
    this.#hold(load.calls.take(this.#who));
  }

  /** Aborted when nobody waits for the answer any more. Made when it is asked for: most calls wait for nothing. */
  get signal(): AbortSignal {
    return (this.#signal ??= this.#makeSignal());
  }

  /** So many bytes of the body have arrived. */
  holdBytes(bytes: number): void {
    for (; this.#steps * STEP_BYTES < bytes; this.#steps++)
      this.#hold(this.#load.bodyBytes.take(this.#who, STEP_BYTES));
  }

  /** The answer is an event stream. */
  holdStream(): void {
    this.#hold(this.#load.streams.take(this.#who));
  }

  /** Work whose length depends on a body of so many bytes: for a large one when it is its turn. */
  async inTurn<T>(bytes: number, work: () => T | Promise<T>): Promise<T> {
    if (bytes <= LARGE_BODY_BYTES) return work();
    return this.#load.turns.take(this.#who, this.signal, async () => work());
  }

  #hold(release: () => void): void {
    if (this.#held === null) release();
    else this.#held.push(release);
  }

  #release(): void {
    for (const release of this.#held ?? []) release();
    this.#held = null;
  }
}
