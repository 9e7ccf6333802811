import { setTimeout as delay } from 'node:timers/promises';
import type { InboxMessage } from '@palisade/contracts';
import type { AttemptDirectory } from './attempt-directory.ts';

/** How often is looked how far the worker is while something is on its way to it: at first, and at last. */
const LOOK_MS = 100;
const SLOW_LOOK_MS = 2_000;

export interface MailboxOptions {
  readonly directory: Pick<AttemptDirectory, 'putMessage' | 'delivered'>;
  /** Resolves when the worker's directory is there; false when there is no worker. */
  readonly ready: Promise<boolean>;
  /** Ends everything at once: the run has a new owner. */
  readonly detached: AbortSignal;
  readonly onDelivered: (through: number) => void;
  readonly onFault: (error: unknown) => void;
}

/**
 * Messages on their way to the worker of one attempt (DI-121): files in the attempt's directory, and back the number of the last one that
 * lies in the agent's inbox. Looks only while something is on its way. What cannot be written is tried again as long as the
 * worker lives, and told once.
 */
export class Mailbox {
  readonly #options: MailboxOptions;
  readonly #closed = new AbortController();
  #waiting: InboxMessage[] = [];
  /** The last message that was put in. */
  #last = 0;
  #told = 0;
  #hasFault = false;
  #work: Promise<void> | null = null;

  constructor(options: MailboxOptions) {
    this.#options = options;
    options.detached.addEventListener('abort', () => this.#closed.abort(), { once: true });
  }

  /** Takes messages in their order. One that was put in before changes nothing. */
  put(messages: readonly InboxMessage[]): void {
    const fresh = messages.filter(({ seq }) => seq > this.#last);
    if (fresh.length === 0 || this.#closed.signal.aborted) return;
    this.#last = Math.max(...fresh.map(({ seq }) => seq));
    this.#waiting.push(...fresh);
    this.#work ??= this.#deliver();
  }

  /** The worker is gone: looks once more how far it came. Nothing is told after it. */
  async close(): Promise<void> {
    this.#closed.abort();
    await this.#work;
    // Also what an earlier owner of the attempt had handed on.
    await this.#look();
  }

  async #deliver(): Promise<void> {
    try {
      if (await this.#options.ready) await this.#handOn();
    } finally {
      this.#work = null;
    }
  }

  async #handOn(): Promise<void> {
    const { directory } = this.#options;
    for (let wait = LOOK_MS; !this.#closed.signal.aborted; wait = Math.min(SLOW_LOOK_MS, wait * 1.5)) {
      try {
        for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
          await directory.putMessage(next);
          this.#waiting.shift();
          wait = LOOK_MS;
        }
      } catch (error) {
        this.#tell(error);
      }
      if (this.#closed.signal.aborted) return;
      await this.#look();
      if (this.#told >= this.#last && this.#waiting.length === 0) return;
      await delay(wait, undefined, { signal: this.#closed.signal }).catch(() => {});
    }
  }

  async #look(): Promise<void> {
    try {
      const through = await this.#options.directory.delivered();
      if (through <= this.#told || this.#options.detached.aborted) return;
      this.#told = through;
      this.#options.onDelivered(through);
    } catch (error) {
      this.#tell(error);
    }
  }

  #tell(error: unknown): void {
    if (this.#hasFault) return;
    this.#hasFault = true;
    this.#options.onFault(error);
  }
}
