import {
  cancelRun,
  type EventView,
  type EvidenceBundle,
  exportEvidence,
  getRun,
  lacksEngine,
  listMessages,
  type MessageView,
  type OutputLine,
  PalisadeError,
  RUN_TERMINAL,
  type RunState,
  sendMessage,
  type SentMessage,
} from '@palisade/contracts';
import { setTimeout as delay } from 'node:timers/promises';
import type { Calls } from './calls.ts';
import { followEvents } from './follow.ts';
import { ItemResult } from './item-result.ts';
import { orAborted } from './or-aborted.ts';
import type { RunDescription } from './run-description.ts';
import { logLines } from './printed.ts';

/** How long a seal may come after the end of a run that an engine of another process owned. */
const SEAL_MS = 30_000;
const SEAL_POLL_MS = 50;

export interface WaitOptions {
  /** Ends the wait, not the run: the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** How a run ended. */
export interface RunResult {
  readonly id: string;
  readonly state: RunState;
  /** True when it ended `completed`: every item is done. */
  readonly ok: boolean;
  readonly reason: string | null;
  /** In the order of the plan. */
  readonly items: readonly ItemResult[];
  /** The item of that id; raises `not_found`. */
  item(id: string): ItemResult;
}

/**
 * A run, taken up by its id: in the process that started it, or in any other that opens the same control plane.
 * It holds nothing: dropping it, or closing the installation, leaves the run as it is.
 */
export class Run {
  readonly id: string;
  readonly #calls: Calls;

  constructor(calls: Calls, id: string) {
    this.#calls = calls;
    this.id = id;
  }

  /** How it stands now. */
  async describe(): Promise<RunDescription> {
    return this.#calls.call(getRun, { run: this.id });
  }

  /** Waits until it has ended, whoever carries it out, and gives what became of it. */
  async result(options: WaitOptions = {}): Promise<RunResult> {
    const { last_seq } = await this.#facts();
    for await (const _ of this.events({ ...options, after: last_seq })) {
      // Only the end is of interest.
    }
    return outcomeOf(this.#calls, this.id);
  }
  /**
   * Its committed events after a position, each exactly once and in order, until it has ended. Whoever kept the `seq` of the
   * last one goes on behind it, in another process too: nothing is missed and nothing comes twice.
   */
  events(options: WaitOptions & { readonly after?: number } = {}): AsyncIterable<EventView> {
    return followEvents(this.#calls, this.id, options.after ?? -1, options.signal);
  }

  /** What an item printed so far, redacted, in whole lines. Default: the last attempt. */
  log(item: string, options: { readonly attempt?: number } = {}): AsyncIterable<OutputLine> {
    return logLines(this.#calls, this.id, item, options.attempt);
  }

  /**
   * Sends a message to the agent of an item that has a channel (`"channel": true`); it is recorded when this resolves, and given to the
   * attempt that runs or the next one. `invalid_state` for an item that takes none or has ended, `too_large` for more than 16 KiB or 256 messages.
   */
  async send(item: string, body: string): Promise<SentMessage> {
    const { message } = await this.#calls.call(sendMessage, { run: this.id, item, body });
    await this.#calls.keepEngine();
    return message;
  }

  /** What an item was sent, oldest first, and which attempts it has come to. */
  async messages(item: string): Promise<readonly MessageView[]> {
    return (await this.#calls.call(listMessages, { run: this.id, item })).data;
  }

  /**
   * Asks for its end: running work is really stopped, which {@link result} waits for. False when it had ended already.
   */
  async cancel(reason?: string): Promise<boolean> {
    try {
      const wish = { run: this.id, ...(reason === undefined ? {} : { reason }) };
      return (await this.#calls.call(cancelRun, wish)).accepted;
    } catch (error) {
      if (RUN_TERMINAL.has((await this.#facts()).run.state)) return false;
      throw error;
    }
  }

  /**
   * Its evidence: what was allowed, what happened, and a signature over it, for anybody who has the installation's public
   * keys. Waits for the seal, which follows the end; `invalid_state` for a run that has not ended.
   */
  async evidence(options: WaitOptions = {}): Promise<EvidenceBundle> {
    const { closed } = this.#calls;
    const stop = options.signal === undefined ? closed : AbortSignal.any([closed, options.signal]);
    const until = performance.now() + SEAL_MS;
    for (;;) {
      const { run } = await this.#facts();
      if (run.sealed || !RUN_TERMINAL.has(run.state) || performance.now() > until) break;
      if (lacksEngine(run, Date.now())) await this.#calls.keepEngine();
      await orAborted(delay(SEAL_POLL_MS), stop);
    }
    return this.#calls.call(exportEvidence, { run: this.id });
  }

  /** The run alone: asked for again and again, whatever the number of its items. */
  #facts(): Promise<RunDescription> {
    return this.#calls.call(getRun, { run: this.id, items: 'none' });
  }
}

/** What became of a run that has ended, as it is recorded. */
export async function outcomeOf(calls: Calls, id: string): Promise<RunResult> {
  const { run, items } = await calls.call(getRun, { run: id });
  const results = items.map((item) => new ItemResult(calls, run.id, item));
  return {
    id: run.id,
    state: run.state,
    ok: run.state === 'completed',
    reason: run.reason ?? null,
    items: results,
    item(id) {
      const found = results.find((item) => item.id === id);
      if (found === undefined) throw new PalisadeError('not_found', `run ${run.id} has no item ${id}`);
      return found;
    },
  };
}
