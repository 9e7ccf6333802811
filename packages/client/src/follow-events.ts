import { setTimeout as delay } from 'node:timers/promises';
import {
  DEFAULT_PROJECT,
  type EventFrame,
  PalisadeError,
  requestOf,
  subscribeEvents,
} from '@palisade/contracts';
import { answerOf, type RemoteOptions, type Sender, senderTo, unanswered } from './exchange.ts';
import { type ServerSentEvent, serverSentEvents } from './server-sent-events.ts';

export interface FollowOptions {
  /** Ids of at most a hundred runs. */
  readonly runs: readonly string[];
  /** The `id` of the last frame that was handled, of the same runs in the same order: it goes on behind it. From the beginning when absent. */
  readonly after?: string;
  /** Ends the iteration with its reason. */
  readonly signal?: AbortSignal;
}

/** Servers show life every 15 s; a connection that is silent for three times as long is given up. */
const SILENT_MS = 45_000;
const SPREAD_MS = 250;

/**
 * The events of runs as they happen, each run's in its order, each exactly once, until every run is sealed (EX-063, EX-064). A connection
 * that is cut, silent or refused for the moment is opened again behind the last frame that arrived, across restarts of the server, for
 * `patienceMs` at a time; `frame.id` lets another process go on. Raises what the server refuses for good, and `upstream_failed` when it
 * stays away.
 */
export async function* followEvents(
  options: RemoteOptions,
  { runs, after, signal }: FollowOptions,
): AsyncGenerator<EventFrame, void, undefined> {
  const sender = senderTo(options);
  const input = { run: [...runs], ...(after === undefined ? {} : { after }) };
  const { target } = requestOf(subscribeEvents, input, options.project ?? DEFAULT_PROJECT);
  let last: string | undefined;
  for (;;) {
    const connection = await sender.patiently(
      () => Connection.open(sender, options.origin, target, last, signal),
      signal,
    );
    try {
      for (;;) {
        const event = await connection.next();
        if (event === undefined) break;
        if (event.type === 'end') return;
        const frame = frameOf(event.data);
        last = frame.id;
        yield frame;
      }
    } finally {
      connection.close();
    }
    signal?.throwIfAborted();
    // Everybody whom a server lost comes back, and not at the same moment.
    await delay(Math.random() * SPREAD_MS, undefined, signal === undefined ? {} : { signal }).catch(() => {
      throw signal?.reason;
    });
  }
}

function frameOf(data: string): EventFrame {
  try {
    return JSON.parse(data) as EventFrame;
  } catch {
    throw new PalisadeError('upstream_failed', 'the server sent an event that is no JSON');
  }
}

/** One connection of a subscription. */
class Connection {
  readonly #events: AsyncIterator<ServerSentEvent | null>;
  readonly #leaving: AbortController;
  #first: ServerSentEvent | null | undefined;

  private constructor(body: AsyncIterable<Uint8Array>, leaving: AbortController) {
    this.#events = serverSentEvents(body)[Symbol.asyncIterator]();
    this.#leaving = leaving;
  }

  /**
   * Resolves when the server has said something behind its head: one that accepts and hangs up at once is waited for like one that is away.
   * Raises what it refuses, and `upstream_failed`.
   */
  static async open(
    sender: Sender,
    origin: string,
    target: string,
    last: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Connection> {
    const leaving = new AbortController();
    const cut = signal === undefined ? leaving.signal : AbortSignal.any([signal, leaving.signal]);
    const headers = {
      Accept: 'text/event-stream',
      ...(last === undefined ? {} : { 'Last-Event-ID': last }),
    };
    const late = setTimeout(() => leaving.abort(new Error('it took too long')), sender.attemptMs);
    try {
      const response = await sender.send(target, { method: 'GET', headers }, cut);
      const isStream = (response.headers.get('content-type') ?? '').startsWith('text/event-stream');
      if (response.status !== 200 || !isStream || response.body === null) {
        await answerOf(response, origin);
        throw new PalisadeError('upstream_failed', 'the server answered with no event stream', {
          next: 'check the address of the server',
        });
      }
      const connection = new Connection(response.body, leaving);
      const first = await connection.#events.next();
      if (first.done === true) throw unanswered(origin, new Error('the stream ended before it began'));
      connection.#first = first.value;
      return connection;
    } catch (error) {
      leaving.abort();
      signal?.throwIfAborted();
      throw error instanceof PalisadeError ? error : unanswered(origin, error);
    } finally {
      clearTimeout(late);
    }
  }

  /** The next event; undefined when the connection is gone, whyever. */
  async next(): Promise<ServerSentEvent | undefined> {
    for (;;) {
      const first = this.#first;
      this.#first = undefined;
      if (first !== undefined && first !== null) return first;
      const silent = setTimeout(() => this.close(), SILENT_MS);
      try {
        const { done, value } = await this.#events.next();
        if (done === true) return undefined;
        if (value !== null) return value;
      } catch {
        return undefined;
      } finally {
        clearTimeout(silent);
      }
    }
  }

  close(): void {
    this.#leaving.abort();
  }
}
