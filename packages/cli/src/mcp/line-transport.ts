import { setTimeout as delay } from 'node:timers/promises';
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/server';
import { failure, INVALID_REQUEST, PARSE_ERROR } from './stdio-adapter.ts';

/**
 * JSON-RPC by lines for a server in this process. Unlike the SDK's own it answers lines that are no message, and stays open behind the
 * last line until what was asked is answered.
 */
export class LineTransport implements Transport {
  onmessage?: Transport['onmessage'];
  onclose?: Transport['onclose'];
  onerror?: Transport['onerror'];
  readonly #write: (text: string) => void;
  /** Ids of requests without an answer. */
  readonly #open = new Set<unknown>();
  #onIdle: () => void = () => {};

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  start(): Promise<void> {
    return Promise.resolve();
  }

  /** Hands a line to the server. */
  take(line: string): void {
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      return this.#refuse(null, PARSE_ERROR, 'the line is not JSON');
    }
    if (!isJSONRPCRequest(message) && !isJSONRPCNotification(message) && !isJSONRPCResponse(message)) {
      const { id } = Object(message) as { id?: unknown };
      return this.#refuse(
        typeof id === 'string' || typeof id === 'number' ? id : null,
        INVALID_REQUEST,
        'a line is one JSON-RPC message',
      );
    }
    if (isJSONRPCRequest(message)) this.#open.add(message.id);
    else if ('method' in message && message.method === 'notifications/cancelled')
      this.#settle(message.params?.['requestId']);
    this.onmessage?.(message);
  }

  send(message: JSONRPCMessage): Promise<void> {
    this.#write(serializeMessage(message));
    if (isJSONRPCResponse(message)) this.#settle(message.id);
    return Promise.resolve();
  }

  /** Until every request is answered, for at most so many ms, or until the signal is aborted. */
  async answered(withinMs: number, signal: AbortSignal): Promise<void> {
    if (this.#open.size === 0) return;
    const over = new AbortController();
    await Promise.race([
      new Promise<void>((resolve) => (this.#onIdle = resolve)),
      delay(withinMs, undefined, { signal: AbortSignal.any([signal, over.signal]) }).catch(() => undefined),
    ]);
    over.abort();
  }

  close(): Promise<void> {
    this.onclose?.();
    return Promise.resolve();
  }

  #settle(id: unknown): void {
    this.#open.delete(id);
    if (this.#open.size === 0) this.#onIdle();
  }

  #refuse(id: string | number | null, code: number, message: string): void {
    this.#write(`${JSON.stringify(failure(id, code, message))}\n`);
  }
}
