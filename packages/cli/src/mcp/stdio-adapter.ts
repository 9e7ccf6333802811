import { canonicalJson } from '@palisade/contracts';
import type { Mutation, MutationJournal } from '../server/mutation-journal.ts';

type Json = Readonly<Record<string, unknown>>;

/** Sends one JSON-RPC message to the server's tools; null for a notification. Raises when there is no answer that can be read. */
export type Send = (message: Json) => Promise<Json | null>;

const METHODS = new Set([
  'initialize',
  'ping',
  'tools/list',
  'tools/call',
  'notifications/initialized',
  'notifications/cancelled',
]);
export const PARSE_ERROR = -32_700;
export const INVALID_REQUEST = -32_600;
const METHOD_NOT_FOUND = -32_601;
const INVALID_PARAMS = -32_602;
const INTERNAL = -32_603;

const OWN_TOOLS = [
  {
    name: 'transport_status',
    title: 'Whether changes are written down before they are sent, and whether the outcome of one is unknown',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  {
    name: 'transport_retry',
    title: 'Send the change whose outcome is unknown again, exactly as it was; without one, the latest',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  },
];

/**
 * Speaks for one client on standard input and output to the tools of a server (AO-138). What reads goes through. What changes something
 * — it carries an idempotency key — is written down, then sent, one at a time; while the outcome of one is unknown no other is sent, until
 * it was sent again and answered (AO-142, AO-143).
 */
export class StdioAdapter {
  readonly #journal: MutationJournal;
  readonly #send: Send;
  readonly #session: string | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  /** @param session id of the harness session that everything is sent in, for whoever asks */
  constructor(journal: MutationJournal, send: Send, session?: string) {
    this.#journal = journal;
    this.#send = send;
    this.#session = session;
  }

  /** What a line is answered with; null when it is not. It never throws. */
  async answer(line: string): Promise<Json | null> {
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      return failure(null, PARSE_ERROR, 'the line is not JSON');
    }
    if (typeof message !== 'object' || message === null || Array.isArray(message))
      return failure(null, INVALID_REQUEST, 'a line is one JSON-RPC message');
    const { id, method, params } = message as { id?: unknown; method?: unknown; params?: unknown };
    const isNotification = id === undefined;
    if (typeof method !== 'string' || !METHODS.has(method))
      return isNotification ? null : failure(id, METHOD_NOT_FOUND, 'there is no such method here');
    try {
      if (method === 'tools/call') return await this.#call(id, params as Json | undefined, message as Json);
      const answer = await this.#send(message as Json);
      return isNotification ? null : method === 'tools/list' ? withOwnTools(answer) : answer;
    } catch (error) {
      return isNotification ? null : failure(id, INTERNAL, `no answer from the server: ${nameOf(error)}`);
    }
  }

  async #call(id: unknown, params: Json | undefined, message: Json): Promise<Json | null> {
    const { name, arguments: args = {} } = (params ?? {}) as { name?: unknown; arguments?: unknown };
    if (id === undefined || typeof name !== 'string' || typeof args !== 'object' || args === null)
      return id === undefined ? null : failure(id, INVALID_PARAMS, 'a call names a tool and its arguments');
    if (name === 'transport_status') return result(id, this.#status());
    if (name === 'transport_retry') return this.#inTurn(() => this.#retry(id));
    const { idempotency_key: key } = args as { idempotency_key?: unknown };
    if (typeof key !== 'string') return this.#send(message);
    return this.#inTurn(() => this.#change(id, { key, tool: name, args: canonicalJson(args) }));
  }

  #status(): Json {
    const pending = this.#journal.pending();
    return {
      durable_mutation_journal: true,
      harness_session: this.#session ?? null,
      pending: pending === undefined ? null : { tool: pending.tool, idempotency_key: pending.key },
    };
  }

  async #change(id: unknown, wanted: Omit<Mutation, 'isPending'>): Promise<Json> {
    const pending = this.#journal.pending();
    const known = this.#journal.find(wanted.key);
    if (known !== undefined && (known.tool !== wanted.tool || known.args !== wanted.args))
      return refusal(id, 'idempotency_mismatch', 'the key was used for another change', 'take a new key');
    if (pending !== undefined && pending.key !== wanted.key)
      return refusal(
        id,
        'invalid_state',
        `the outcome of ${pending.tool} is unknown`,
        'call transport_retry',
      );
    if (known === undefined) {
      if (!this.#journal.hasRoom(wanted.args))
        return refusal(id, 'too_large', 'the journal is full', 'start with a new --state-dir');
      this.#journal.begin(wanted);
    }
    return this.#sendChange(id, wanted);
  }

  async #retry(id: unknown): Promise<Json> {
    const change = this.#journal.pending() ?? this.#journal.latest();
    if (change === undefined) return refusal(id, 'not_found', 'nothing was sent yet', 'call a tool');
    return this.#sendChange(id, change);
  }

  async #sendChange(id: unknown, { key, tool, args }: Omit<Mutation, 'isPending'>): Promise<Json> {
    const params = { name: tool, arguments: JSON.parse(args) as Json };
    let answer: Json | null;
    try {
      answer = await this.#send({ jsonrpc: '2.0', id, method: 'tools/call', params });
    } catch (error) {
      return refusal(
        id,
        'upstream_failed',
        `no answer: ${nameOf(error)}; the change may have been made`,
        'call transport_retry',
      );
    }
    if (answer !== null && isCertain(answer)) this.#journal.settle(key);
    return answer ?? failure(id, INTERNAL, 'the server answered nothing');
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(work);
    this.#turn = mine.catch(() => {});
    return mine;
  }
}

/** True of an answer after which nothing about the change is open: it was made, or it was refused for good. */
function isCertain({ result: told, error }: Json): boolean {
  if (error !== undefined) return (error as { code?: unknown }).code === INVALID_PARAMS;
  const { isError, content } = (told ?? {}) as { isError?: unknown; content?: readonly { text?: unknown }[] };
  if (isError !== true) return Array.isArray(content);
  try {
    const { status, retryable } = JSON.parse(String(content?.[0]?.text)) as Json;
    return retryable === false && typeof status === 'number' && status >= 400 && status < 500;
  } catch {
    return false;
  }
}

function withOwnTools(answer: Json | null): Json | null {
  const { tools } = (answer?.['result'] ?? {}) as { tools?: unknown };
  if (answer === null || !Array.isArray(tools)) return answer;
  return {
    ...answer,
    result: { ...(answer['result'] as Json), tools: [...(tools as Json[]), ...OWN_TOOLS] },
  };
}

function result(id: unknown, told: Json): Json {
  return {
    jsonrpc: '2.0',
    id,
    result: { content: [{ type: 'text', text: JSON.stringify(told) }], structuredContent: told },
  };
}

function refusal(id: unknown, code: string, detail: string, next: string): Json {
  const text = JSON.stringify({ code, detail, next });
  return { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }], isError: true } };
}

export function failure(id: unknown, code: number, message: string): Json {
  return { jsonrpc: '2.0', id: id ?? null, error: { code, message } };
}

/** Of a fault its name alone: its text may hold what was sent. */
function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown fault';
}
