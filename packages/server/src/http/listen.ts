import { createServer } from 'node:http';
import { isIP, type AddressInfo } from 'node:net';
import { PalisadeError } from '@palisade/contracts';
import { getRequestListener, RequestError } from '@hono/node-server';
import type { Hono } from 'hono';
import { Connections } from './connections.ts';
import { refuseHead } from './refuse-head.ts';

/** Where to listen; the port 0 takes a free one. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** A slow or silent client holds a connection no longer than these, ms. */
const HEADERS_MS = 10_000;
const REQUEST_MS = 60_000;
const KEEP_ALIVE_MS = 65_000;
const HEADER_BYTES = 16 * 1024;
/** A connection on which nothing moves in either direction, as when somebody reads no answer; streams have their signs of life. */
const SILENT_MS = 300_000;
const MAX_CONNECTIONS = 10_000;
/** Requests under way when the server stops get this long. */
const DRAIN_MS = 10_000;

export interface Listening {
  readonly url: string;
  /** Takes no more connections, lets requests under way end for at most `drainMs`, then cuts what is left. */
  close(drainMs?: number): Promise<void>;
}

/** `host:port` as somebody writes it; `[::1]:80` for IPv6. Raises `invalid_input`. */
export function parseListen(text: string): ListenAddress {
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  const port = Number(digits);
  if (host === undefined || port > 65_535)
    throw new PalisadeError('invalid_input', `${text} is not an address to listen on`, {
      next: 'give HOST:PORT, e.g. 127.0.0.1:7420',
    });
  return { host, port };
}

/** True for addresses that only this machine reaches. */
export function isLoopback(host: string): boolean {
  if (host === 'localhost' || host === '::1') return true;
  return isIP(host) === 4 && host.startsWith('127.');
}

/** Refuses to listen in the open unless it is said that something before it terminates TLS: tokens would cross the network in clear. */
export function assertSheltered({ host }: ListenAddress, behindTls: boolean): void {
  if (behindTls || isLoopback(host)) return;
  throw new PalisadeError(
    'requirements_unmet',
    `${host} is reached from outside this machine, and there is no TLS`,
    {
      next: 'listen on 127.0.0.1, or put a TLS proxy in front and say so: --behind-tls',
    },
  );
}

/** Serves an application over HTTP. `onRefused` is told, in few words of ours, why a connection or a request never reached it. */
export async function listen(
  app: Hono<never>,
  { host, port }: ListenAddress,
  onRefused: (why: string) => void = () => {},
): Promise<Listening> {
  const listener = getRequestListener(app.fetch, {
    errorHandler: (error) => {
      if (!(error instanceof RequestError)) return new Response(null, { status: 500 });
      onRefused('bad_request_target_or_host');
      return new Response(null, { status: 400 });
    },
  });
  const server = createServer(
    {
      maxHeaderSize: HEADER_BYTES,
      headersTimeout: HEADERS_MS,
      requestTimeout: REQUEST_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: 1_000,
    },
    (incoming, outgoing) => void listener(incoming, outgoing),
  );
  server.timeout = SILENT_MS;
  server.on('clientError', (error, socket) => refuseHead(error, socket, onRefused));
  server.on('drop', () => onRefused('too_many_connections'));
  server.maxConnections = MAX_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        new PalisadeError(
          'start_failed',
          `cannot listen on ${host}:${port}: ${error.code ?? 'unknown fault'}`,
          {
            next: 'choose another address: --listen HOST:PORT',
            cause: error,
          },
        ),
      ),
    );
    server.listen(port, host, resolve);
  });
  const connections = new Connections(server);
  const address = server.address() as AddressInfo;
  return {
    url: `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`,
    async close(drainMs = DRAIN_MS) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      connections.drain();
      const cut = setTimeout(() => server.closeAllConnections(), drainMs);
      await closed;
      clearTimeout(cut);
    },
  };
}
