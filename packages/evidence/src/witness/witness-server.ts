import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Witness } from './witness.ts';

/** A proof, a checkpoint and its signatures are far smaller. */
const MAX_BODY_BYTES = 131_072;
/** Whoever sends slower than this is cut off, ms. */
const REQUEST_MS = 10_000;
const MAX_CONNECTIONS = 256;

/** Serves a witness over HTTP: `POST /add-checkpoint`, and nothing else. TLS is for a proxy in front of it. */
export function witnessServer(witness: Witness, onFault: (error: unknown) => void): Server {
  const server = createServer(
    { requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS, keepAliveTimeout: REQUEST_MS },
    (request, response) => {
      answer(witness, request, response).catch((error: unknown) => {
        onFault(error);
        if (!response.headersSent) send(response, 500, 'text/plain; charset=utf-8', 'the witness failed\n');
        else response.destroy();
      });
    },
  );
  server.maxConnections = MAX_CONNECTIONS;
  return server;
}

async function answer(witness: Witness, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.url !== '/add-checkpoint' || request.method !== 'POST') {
    request.resume();
    return send(
      response,
      request.url === '/add-checkpoint' ? 405 : 404,
      'text/plain; charset=utf-8',
      'POST /add-checkpoint\n',
    );
  }
  const body = await read(request);
  if (body === null) {
    response.setHeader('connection', 'close');
    return send(response, 413, 'text/plain; charset=utf-8', 'too large\n');
  }
  const { status, type, body: text } = await witness.addCheckpoint(body);
  send(response, status, type, text);
}

async function read(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) }).end(body);
}
