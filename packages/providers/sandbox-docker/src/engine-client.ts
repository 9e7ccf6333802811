import { readFileSync } from 'node:fs';
import type { IncomingMessage, RequestOptions } from 'node:http';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import type { Image } from './container-options.ts';
import type { EngineAddress } from './engine-address.ts';
import { codeOfError, codeOfMessage, EngineError } from './engine-error.ts';
import { isPinned } from './image-reference.ts';

/** How long the engine may take to answer what it can answer at once; making a container on a busy machine takes longest. */
const ANSWER_MS = 60_000;
/** Most bytes of an answer that are read: those about a container repeat its arguments and environment. */
const ANSWER_BYTES = 32 * 1024 * 1024;

interface Call {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Names the request in errors. */
  readonly what: string;
  /** Statuses that are no error. */
  readonly accept: readonly number[];
  /** False for what ends when a program does. */
  readonly isPrompt?: boolean;
}

/**
 * The few requests of the Docker engine's API that sandboxes need, over HTTP as the engine itself speaks it.
 * Paths carry no version: every engine answers them with its own, and nothing here changed between any two.
 * Every method rejects with an {@link EngineError} and nothing else.
 */
export class EngineClient {
  readonly #address: EngineAddress;

  constructor(address: EngineAddress) {
    this.#address = address;
  }

  async ping(): Promise<void> {
    await this.#call({ method: 'GET', path: '/_ping', what: 'ping', accept: [200] });
  }

  /** An image the engine has. */
  async image(reference: string): Promise<Image> {
    const what = 'inspect image';
    const answer = fieldsOf(
      await this.#call({ method: 'GET', path: `/images/${reference}/json`, what, accept: [200] }),
      what,
    );
    const { Id: id } = answer;
    if (typeof id !== 'string' || !isPinned(id)) throw new EngineError(what, null, 'BAD_ANSWER');
    const { Env: env } = fieldsOf(answer['Config'] ?? {}, what);
    const settings = Array.isArray(env) ? env.filter((entry) => typeof entry === 'string') : [];
    return { id, variables: settings.map((entry) => entry.split('=')[0] ?? '') };
  }

  /** Makes a container that does not run yet. Returns its id. */
  async create(options: object): Promise<string> {
    const what = 'create';
    const answer = await this.#call({
      method: 'POST',
      path: '/containers/create',
      body: options,
      what,
      accept: [201],
    });
    return idOf(fieldsOf(answer, what)['Id'], what);
  }

  /**
   * A connection to a container's streams, before it is started so that nothing is missed. Output and input
   * take one each: what the engine does to the one, e.g. when a program does not read, leaves the other alone.
   * What comes out are frames, see {@link FrameReader}.
   */
  async attach(id: string, which: 'output' | 'input'): Promise<Duplex> {
    const what = `attach ${which}`;
    const streams = which === 'input' ? 'stdin=1&stdout=0&stderr=0' : 'stdin=0&stdout=1&stderr=1';
    const options = await this.#options('POST', `/containers/${id}/attach?stream=1&${streams}`, what);
    const { request } = await this.#http();
    return new Promise((resolve, reject) => {
      const sent = request({ ...options, headers: { connection: 'Upgrade', upgrade: 'tcp' } });
      sent.setTimeout(ANSWER_MS, () => sent.destroy(timedOut()));
      sent.once('upgrade', (_response, socket, head) => {
        socket.setTimeout(0);
        if (head.length > 0) socket.unshift(head);
        resolve(socket);
      });
      sent.once('response', (response) => {
        void readAnswer(response, what).then((text) => {
          reject(refusal(what, response.statusCode ?? 0, text));
          sent.destroy();
        }, reject);
      });
      sent.on('error', (error) => reject(new EngineError(what, null, codeOfError(error))));
      sent.end();
    });
  }

  async start(id: string): Promise<void> {
    await this.#call({ method: 'POST', path: `/containers/${id}/start`, what: 'start', accept: [204, 304] });
  }

  /** The exit status of a container that was started, once it does not run any more. */
  async wait(id: string): Promise<number> {
    const what = 'wait';
    const answer = await this.#call({
      method: 'POST',
      path: `/containers/${id}/wait`,
      query: { condition: 'not-running' },
      what,
      accept: [200],
      isPrompt: false,
    });
    const { StatusCode: status, Error: trouble } = fieldsOf(answer, what);
    if (
      typeof status !== 'number' ||
      !Number.isInteger(status) ||
      (trouble !== undefined && trouble !== null)
    )
      throw new EngineError(what, null, 'BAD_ANSWER');
    return status;
  }

  /** Sends a signal to the first process; one that has ended already is no error. */
  async kill(id: string, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    await this.#call({
      method: 'POST',
      path: `/containers/${id}/kill`,
      query: { signal },
      what: 'kill',
      accept: [204, 404, 409],
    });
  }

  /** True when the kernel killed a process of the container for its memory. */
  async wasOutOfMemory(id: string): Promise<boolean> {
    const what = 'inspect';
    const answer = await this.#call({
      method: 'GET',
      path: `/containers/${id}/json`,
      what,
      accept: [200],
    });
    return fieldsOf(fieldsOf(answer, what)['State'], what)['OOMKilled'] === true;
  }

  /** Ends and removes a container with its anonymous volumes. True when it is gone, false while somebody else removes it. */
  async remove(id: string): Promise<boolean> {
    const { status } = await this.#send({
      method: 'DELETE',
      path: `/containers/${id}`,
      query: { force: '1', v: '1' },
      what: 'remove',
      accept: [204, 404, 409],
    });
    return status !== 409;
  }

  /** Ids of all containers with the label, running or not. */
  async list(label: string): Promise<string[]> {
    const what = 'list';
    const answer = await this.#call({
      method: 'GET',
      path: '/containers/json',
      query: { all: '1', filters: JSON.stringify({ label: [label] }) },
      what,
      accept: [200],
    });
    if (!Array.isArray(answer)) throw new EngineError(what, null, 'BAD_ANSWER');
    return answer.map((entry) => idOf(fieldsOf(entry, what)['Id'], what));
  }

  /** The answer's JSON, or null when it is none (as `OK` of a ping). */
  async #call(call: Call): Promise<unknown> {
    const { text } = await this.#send(call);
    try {
      return JSON.parse(text) as unknown;
    } catch {
      return null;
    }
  }

  async #send(call: Call): Promise<{ readonly status: number; readonly text: string }> {
    const { what } = call;
    const query = call.query === undefined ? '' : `?${new URLSearchParams(call.query).toString()}`;
    const options = await this.#options(call.method, `${call.path}${query}`, what);
    const body = call.body === undefined ? null : Buffer.from(JSON.stringify(call.body), 'utf8');
    const headers =
      body === null ? {} : { 'content-type': 'application/json', 'content-length': body.length };
    const { request } = await this.#http();
    return new Promise((resolve, reject) => {
      const sent = request({ ...options, headers });
      if (call.isPrompt !== false) sent.setTimeout(ANSWER_MS, () => sent.destroy(timedOut()));
      sent.once('response', (response) => {
        const status = response.statusCode ?? 0;
        readAnswer(response, what).then((text) => {
          if (call.accept.includes(status)) resolve({ status, text });
          else reject(refusal(what, status, text));
        }, reject);
      });
      sent.on('error', (error) => reject(new EngineError(what, null, codeOfError(error))));
      sent.end(body ?? undefined);
    });
  }

  /** Loaded when first needed: most commands never speak to an engine. */
  #http(): Promise<typeof import('node:http') | typeof import('node:https')> {
    return isSecure(this.#address) ? import('node:https') : import('node:http');
  }

  async #options(method: Call['method'], path: string, what: string): Promise<RequestOptions> {
    const address = this.#address;
    // One connection for each request: none that the engine closed meanwhile is ever used again.
    const common = { method, path, agent: false as const };
    if (address.kind === 'unix') return { ...common, socketPath: address.path };
    const place = { ...common, host: address.host, port: address.port };
    return address.certificates === null ? place : { ...place, ...identity(address.certificates, what) };
  }
}

function isSecure(address: EngineAddress): boolean {
  return address.kind === 'tcp' && address.certificates !== null;
}

function identity(directory: string, what: string): { ca: Buffer; cert: Buffer; key: Buffer } {
  try {
    const [ca, cert, key] = (['ca.pem', 'cert.pem', 'key.pem'] as const).map((name) =>
      readFileSync(join(directory, name)),
    ) as [Buffer, Buffer, Buffer];
    return { ca, cert, key };
  } catch (error) {
    throw new EngineError(what, null, `CERTIFICATES_${codeOfError(error) ?? 'UNREADABLE'}`);
  }
}

/** The whole answer. Rejects when it is cut off or larger than any honest one. */
async function readAnswer(response: IncomingMessage, what: string): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > ANSWER_BYTES) throw new EngineError(what, null, 'ANSWER_TOO_LARGE');
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof EngineError ? error : new EngineError(what, null, codeOfError(error));
  }
  return Buffer.concat(chunks).toString('utf8');
}

function refusal(what: string, status: number, text: string): EngineError {
  let message: unknown;
  try {
    message = (JSON.parse(text) as { message?: unknown } | null)?.message;
  } catch {
    // No JSON: the status alone has to do.
  }
  return new EngineError(what, status, typeof message === 'string' ? codeOfMessage(message) : null);
}

function fieldsOf(value: unknown, what: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw new EngineError(what, null, 'BAD_ANSWER');
  return value as Record<string, unknown>;
}

/** An id becomes part of paths, so that it must be one. */
function idOf(value: unknown, what: string): string {
  if (typeof value !== 'string' || !/^[0-9a-f]{64}$/.test(value))
    throw new EngineError(what, null, 'BAD_ANSWER');
  return value;
}

function timedOut(): Error {
  return Object.assign(new Error('no answer in time'), { code: 'ETIMEDOUT' });
}
