import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { messagesError, messagesEvents } from './messages-wire.ts';
import { responsesError, responsesEvents } from './responses-wire.ts';
import { type ModelRequest, type Script, type Turn, turnFor } from './script.ts';

/** A model that says what a test wrote for it, in the Messages and the Responses wire, streamed. */
export interface ModelServer {
  /** Base address without a version. */
  readonly url: string;
  /** Everything that was asked, in order. */
  readonly requests: readonly ModelRequest[];
  /** Puts another script in the place of the first. */
  script: Script;
  close(): Promise<void>;
}

/** Starts a scripted model on a free port of the loopback. */
export async function startModelServer(script: Script): Promise<ModelServer> {
  const requests: ModelRequest[] = [];
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  const model = {
    url: '',
    requests,
    script,
    async close(): Promise<void> {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = await readRequest(request);
    requests.push(asked);
    if (asked.path.endsWith('/count_tokens')) return json(response, 200, { input_tokens: 100 });
    await play(asked, turnFor(model.script, asked), response);
  }
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  model.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return model;
}

async function play(asked: ModelRequest, turn: Turn, response: ServerResponse): Promise<void> {
  const { fault } = turn;
  const isMessages = asked.path.endsWith('/messages');
  if (fault === 'silent') return;
  if (typeof fault === 'object') {
    const message = fault.message ?? `scripted failure ${fault.status}`;
    const body = isMessages ? messagesError(fault.status, message) : responsesError(message);
    return json(response, fault.status, body);
  }
  const events = isMessages
    ? messagesEvents(turn, asked.body['model'])
    : responsesEvents(turn, asked.body['model']);
  response.writeHead(200, { 'content-type': 'text/event-stream', 'request-id': 'req_scripted' });
  const cutAt = fault === undefined ? events.length : Math.floor(events.length / 2);
  for (const [type, data] of events.slice(0, cutAt)) {
    if (turn.paceMs !== undefined) await delay(turn.paceMs);
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  }
  if (fault === 'reset') {
    // What was written has to have left before the connection breaks.
    await delay(50);
    response.destroy();
  } else response.end();
}

async function readRequest(request: IncomingMessage): Promise<ModelRequest> {
  const pieces: Buffer[] = [];
  for await (const piece of request as AsyncIterable<Buffer>) pieces.push(piece);
  const text = Buffer.concat(pieces).toString('utf8');
  const body = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
  const tools = (body['tools'] ?? []) as { name?: string; type?: string }[];
  return {
    path: (request.url ?? '').split('?')[0] ?? '',
    headers: request.headers as Record<string, string>,
    body,
    tools: tools.map((tool) => tool.name ?? tool.type ?? ''),
    results: countResults(body),
    text,
  };
}

/** Results of tools: blocks of user turns in one wire, items of their own in the other. */
function countResults(body: Readonly<Record<string, unknown>>): number {
  const items = ((body['input'] ?? []) as { type?: string }[]).filter(
    ({ type }) => type?.endsWith('call_output') === true,
  );
  const blocks = ((body['messages'] ?? []) as { content?: unknown }[]).flatMap(({ content }) =>
    Array.isArray(content) ? (content as { type?: string }[]) : [],
  );
  return items.length + blocks.filter(({ type }) => type === 'tool_result').length;
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
