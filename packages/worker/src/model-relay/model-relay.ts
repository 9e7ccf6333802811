import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { join } from 'node:path';
import {
  MODEL_CREDENTIAL,
  type ModelEndpointDefinition,
  type ModelTraffic,
  PalisadeError,
} from '@palisade/contracts';
import { Redactor } from '../redaction/redactor.ts';
import { forwardRequest, type RelayLimits, tooLarge, type Upstream } from './forward-request.ts';
import { RelayFault, toRelayFault } from './relay-fault.ts';
import { credentialOf } from './relay-headers.ts';
import { refuse } from './relay-refusal.ts';
import { listenInDirectory } from './socket-in-directory.ts';
import { vettedLookup } from './vetted-lookup.ts';
import { allowedRoutes, routeOf } from './wire-routes.ts';

/*
 * The one way from a sandbox to a model. The sandbox sees a unix socket; what comes in there is passed
 * on to the operator's endpoint when it is a request of the wire and carries the attempt's placeholder,
 * which is replaced by the real credential. The credential is in this process only: it never goes down,
 * not even when the endpoint repeats it in an answer.
 *
 * Threat: everything that comes up the socket is the agent's, everything that comes down is the
 * endpoint's. Neither chooses where the other's bytes go: the address is the operator's, redirects are
 * not followed, and a name is judged by what it resolves to at each connection.
 */

/** Name of the socket in its directory. */
const SOCKET = 'relay.sock';
const LIMITS: RelayLimits = {
  // More than the biggest request the vendors take.
  requestBytes: 64 * 1024 * 1024,
  responseBytes: 256 * 1024 * 1024,
  // A model may think long before it answers.
  silenceMs: 600_000,
};
const MAX_CONNECTIONS = 64;
const MAX_TROUBLES = 8;

export interface RelayOptions {
  /** Holds the socket; made when it is missing. */
  readonly directory: string;
  readonly endpoint: ModelEndpointDefinition;
  readonly credential: string;
  readonly limits?: Partial<RelayLimits>;
}

type Http = typeof import('node:http');
type Https = typeof import('node:https');

export class ModelRelay {
  /** Directory to show the sandbox read-only. */
  readonly directory: string;
  readonly socketPath: string;
  /** What the sandbox has in place of the credential. */
  readonly placeholder = `placeholder-${randomBytes(32).toString('base64url')}`;
  readonly #upstream: Upstream;
  readonly #server: Server;
  readonly #troubles = new Set<string>();
  readonly #counts = { requests: 0, failed: 0, refused: 0, sent_bytes: 0, received_bytes: 0 };
  #closeSocket: () => void = () => {};

  private constructor(
    { directory, endpoint, credential, limits }: RelayOptions,
    http: Http,
    client: Http | Https,
  ) {
    this.directory = directory;
    this.socketPath = join(directory, SOCKET);
    const agent = { keepAlive: true, maxSockets: MAX_CONNECTIONS, lookup: vettedLookup(endpoint) };
    this.#upstream = {
      endpoint,
      credential,
      redactor: new Redactor({ [MODEL_CREDENTIAL]: credential }),
      begin: client.request,
      agent: new client.Agent(agent),
      limits: { ...LIMITS, ...limits },
      count: (what, bytes) => {
        this.#counts[what] += bytes;
      },
    };
    this.#server = http.createServer({ requestTimeout: LIMITS.silenceMs, maxHeaderSize: 64 * 1024 });
    this.#server.maxConnections = MAX_CONNECTIONS;
    this.#server.on('request', (request, response) => void this.#serve(request, response));
  }

  /** Opens the relay. Raises `provider_failed` when there can be no socket. */
  static async open(options: RelayOptions): Promise<ModelRelay> {
    // Loaded by attempts that have a model, and by no other: it is a tenth of a worker's start.
    const http = await import('node:http');
    const client = options.endpoint.url.startsWith('https:') ? await import('node:https') : http;
    const relay = new ModelRelay(options, http, client);
    try {
      relay.#closeSocket = await listenInDirectory(relay.#server, options.directory, SOCKET);
    } catch (error) {
      throw new PalisadeError('provider_failed', 'the relay to the model cannot listen', { cause: error });
    }
    return relay;
  }

  /** What passed so far. */
  get traffic(): ModelTraffic {
    return { endpoint: this.#upstream.endpoint.name, ...this.#counts };
  }

  /** What went wrong between here and the endpoint, each kind once, for the operator. */
  get troubles(): readonly string[] {
    return [...this.#troubles];
  }

  /** Ends every connection and removes the socket. Idempotent. */
  close(): void {
    this.#closeSocket();
    this.#closeSocket = () => {};
    this.#server.closeAllConnections();
    this.#upstream.agent.destroy();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { endpoint, limits } = this.#upstream;
    const route = routeOf(endpoint.kind, request.method, request.url);
    if (route.kind === 'hello') {
      response.end();
      return;
    }
    let refusal: RelayFault | null = null;
    if (route.kind === 'unknown')
      refusal = new RelayFault(404, `this relay passes on ${allowedRoutes(endpoint.kind)} and nothing else`);
    else if (!sameText(credentialOf(request.headers) ?? '', this.placeholder))
      refusal = new RelayFault(401, 'the credential is not the one this attempt was given');
    else if (Number(request.headers['content-length'] ?? 0) > limits.requestBytes)
      refusal = tooLarge(limits.requestBytes);
    if (refusal !== null || route.kind === 'unknown') {
      this.#counts.refused++;
      // What was sent is read to its end, or the answer would be lost in a reset.
      request.resume();
      if (refusal !== null) refuse(response, endpoint.kind, refusal);
      return;
    }
    this.#counts.requests++;
    try {
      const status = await forwardRequest(this.#upstream, route.path, request, response);
      if (status < 400) return;
      this.#counts.failed++;
      this.#note(`the model endpoint ${endpoint.name} answered ${status}${hintFor(status)}`);
    } catch (error) {
      this.#counts.failed++;
      this.#fail(request, response, toRelayFault(error));
    }
  }

  /** An answer that has begun can only be cut, and must be: a clean end would say that it was whole (FF-122). */
  #fail(request: IncomingMessage, response: ServerResponse, fault: RelayFault): void {
    const { endpoint } = this.#upstream;
    const text = `the model endpoint ${endpoint.name} (${new URL(endpoint.url).host}) failed: ${fault.message}`;
    // An agent that hung up wants no answer, and it is no trouble of the endpoint.
    if (response.destroyed) return;
    this.#note(text);
    request.resume();
    if (response.headersSent) response.destroy();
    else refuse(response, endpoint.kind, new RelayFault(fault.status, text));
  }

  #note(text: string): void {
    if (this.#troubles.size < MAX_TROUBLES) this.#troubles.add(text);
  }
}

function hintFor(status: number): string {
  if (status === 403) return ': its secret may lack a permission';
  return status === 429 ? ': its limit is reached' : '';
}

function sameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
