import type { ClientRequest, IncomingMessage } from 'node:http';
import { isIP, type LookupFunction } from 'node:net';
import { foreignFault, isPalisadeError, PalisadeError } from '@palisade/contracts';
import { hostOf } from './egress-policy.ts';

/** What is sent, and how much may come back. */
export interface Message {
  readonly method: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Uint8Array | undefined;
  readonly maxReplyBytes: number;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface ExchangeOptions {
  readonly signal: AbortSignal;
  readonly ca?: string | undefined;
}

/**
 * One request and its whole reply over a connection of its own, to the addresses that `lookup` gives.
 * Raises `upstream_failed` when the peer fails, `too_large` above the bound, whatever the reply claims
 * of its length. Node's HTTP is loaded by the first call, because most processes make none.
 */
export async function exchange(
  url: URL,
  lookup: LookupFunction,
  message: Message,
  { signal, ca }: ExchangeOptions,
): Promise<Reply> {
  const isTls = url.protocol === 'https:';
  const { request: begin } = isTls ? await import('node:https') : await import('node:http');
  const tls = isTls ? await tlsOptions(url, ca) : {};
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown): void =>
      reject(
        isPalisadeError(cause)
          ? cause
          : new PalisadeError('upstream_failed', `the call of ${url.host} failed`, {
              why: foreignFault(cause),
              cause,
            }),
      );
    let request: ClientRequest;
    try {
      request = begin(url, {
        method: message.method,
        headers: headersOf(message),
        agent: false,
        lookup,
        signal,
        ...tls,
      });
    } catch (error) {
      // A header or method that HTTP cannot carry.
      return fail(error);
    }
    request.once('error', fail);
    request.once('response', (response) => {
      collect(response, message.maxReplyBytes, url).then(resolve, (error: unknown) => {
        request.destroy();
        fail(error);
      });
    });
    request.end(message.body);
  });
}

/** The name that the certificate must have is the one that was asked for, not where it was found or what a header says. */
async function tlsOptions(url: URL, ca: string | undefined) {
  const host = hostOf(url);
  return {
    servername: isIP(host) === 0 ? host : '',
    ...(ca === undefined ? {} : { ca: [...(await import('node:tls')).rootCertificates, ca] }),
  };
}

function headersOf({ headers, body }: Message): Record<string, string> {
  return {
    // A packed reply could be small on the wire and without bound in memory.
    'accept-encoding': 'identity',
    ...Object.fromEntries(headers),
    ...(body === undefined ? {} : { 'content-length': String(body.byteLength) }),
    connection: 'close',
  };
}

async function collect(response: IncomingMessage, maxBytes: number, url: URL): Promise<Reply> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes)
      throw new PalisadeError('too_large', `the reply of ${url.host} has more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  const headers = Object.entries(response.headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, typeof value === 'string' ? value : value.join(', ')]],
  );
  return {
    status: response.statusCode ?? 0,
    headers: Object.fromEntries(headers),
    body: Buffer.concat(chunks),
  };
}
