import type { Agent, ClientRequest, IncomingMessage, request, ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import type { ModelEndpointDefinition } from '@palisade/contracts';
import type { Redactor } from '../redaction/redactor.ts';
import { downwardHeaders, upwardHeaders } from './relay-headers.ts';
import { RelayFault } from './relay-fault.ts';
import { endpointUrl } from './wire-routes.ts';

export interface RelayLimits {
  readonly requestBytes: number;
  readonly responseBytes: number;
  /** Longest silence of the endpoint before and within an answer. */
  readonly silenceMs: number;
}

/** Where requests go, and what happens to bytes on the way. */
export interface Upstream {
  readonly endpoint: ModelEndpointDefinition;
  readonly credential: string;
  /** Knows the credential: an endpoint that repeats it in an answer does not bring it into the sandbox. */
  readonly redactor: Redactor;
  /** Begins a request in the endpoint's own protocol. */
  readonly begin: typeof request;
  readonly agent: Agent;
  readonly limits: RelayLimits;
  readonly count: (what: 'sent_bytes' | 'received_bytes', bytes: number) => void;
}

/**
 * Passes one request on and its answer back, both as streams. Resolves with the endpoint's status once
 * the answer is given back whole; rejects when it is not. The caller then answers, or cuts what has begun.
 *
 * @param path of the wire, query included
 */
export async function forwardRequest(
  upstream: Upstream,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<number> {
  const { endpoint, limits } = upstream;
  const headers = upwardHeaders(request.headers, endpoint.kind, endpoint.credential, upstream.credential);
  const upward = upstream.begin(endpointUrl(endpoint.url, path), {
    method: 'POST',
    headers,
    agent: upstream.agent,
  });
  upward.setTimeout(limits.silenceMs, () =>
    upward.destroy(new RelayFault(504, `no byte for ${limits.silenceMs} ms`)),
  );
  response.once('close', () => {
    if (!response.writableFinished) upward.destroy();
  });
  const answered = answerOf(upward);
  const sent = send(upstream, request, upward).catch(() => upward.destroy());
  const answer = await answered;
  await giveBack(upstream, answer, response);
  await sent;
  return answer.statusCode ?? 0;
}

/** Not by a pipeline, here nor for the answer: it would destroy the stream that can still tell the agent what went wrong. */
async function send(upstream: Upstream, request: IncomingMessage, upward: ClientRequest): Promise<void> {
  const { requestBytes } = upstream.limits;
  let sent = 0;
  for await (const piece of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    if (upward.destroyed) return;
    sent += piece.length;
    if (sent > requestBytes) {
      upward.destroy(tooLarge(requestBytes));
      return;
    }
    upstream.count('sent_bytes', piece.length);
    if (!upward.write(piece)) await drained(upward);
  }
  upward.end();
}

/** The refusal of a request that is too large. */
export function tooLarge(limit: number): RelayFault {
  return new RelayFault(413, `a request may have ${limit} bytes`);
}

async function giveBack(
  upstream: Upstream,
  answer: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { redactor, limits } = upstream;
  const status = answer.statusCode ?? 0;
  const encoding = answer.headers['content-encoding'] ?? 'identity';
  // Not the agent's credential was refused but the operator's: no further try of the agent's can help.
  if (status === 401) throw abandon(answer, 'it refuses its credential (401), so its secret is wrong', 400);
  if (status >= 300 && status < 400)
    throw abandon(answer, `it answered with a redirect (${status}), which is not followed`);
  if (encoding !== 'identity') throw abandon(answer, 'it answered in an encoding that was not asked for');
  response.writeHead(
    status,
    downwardHeaders(answer.headers, (text) => redactor.text(text)),
  );
  response.flushHeaders();
  const clean = redactor.stream();
  let received = 0;
  for await (const piece of answer as AsyncIterable<Buffer>) {
    if (response.destroyed) return;
    received += piece.length;
    upstream.count('received_bytes', piece.length);
    if (received > limits.responseBytes)
      throw new RelayFault(502, `an answer may have ${limits.responseBytes} bytes`);
    if (!response.write(clean.push(piece))) await drained(response);
  }
  response.end(clean.end());
}

function abandon(answer: IncomingMessage, why: string, status = 502): RelayFault {
  answer.destroy();
  return new RelayFault(status, why);
}

function answerOf(upward: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    upward.once('response', resolve);
    // Stays: a request may fail more than once.
    upward.on('error', reject);
    upward.once('close', () => reject(new RelayFault(502, 'the connection was closed without an answer')));
  });
}

/** Resolves when more can be written, or nothing any more. */
function drained(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      stream.off('drain', go);
      stream.off('close', go);
      resolve();
    };
    stream.on('drain', go);
    stream.on('close', go);
    if (stream.destroyed) go();
  });
}
