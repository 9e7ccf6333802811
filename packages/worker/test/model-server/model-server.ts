import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { chatChunks } from './chat-wire.ts';
import { messagesError, messagesEvents } from './messages-wire.ts';
import { responsesError, responsesEvents } from './responses-wire.ts';
import { type ModelRequest, type Script, type Turn, turnFor } from './script.ts';

/** A model that says what a test wrote for it, in the Messages, the Responses and the Chat Completions wire, streamed. */
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
  const frames = framesOf(asked, turn);
  response.writeHead(200, { 'content-type': 'text/event-stream', 'request-id': 'req_scripted' });
  const cutAt = fault === undefined ? frames.length : Math.floor(frames.length / 2);
  for (const frame of frames.slice(0, cutAt)) {
    if (turn.paceMs !== undefined) await delay(turn.paceMs);
    response.write(frame);
  }
  if (fault === 'reset') {
    // What was written has to have left before the connection breaks.
    await delay(50);
    response.destroy();
  } else response.end();
}

/** The frames of the stream in the wire that was asked. */
function framesOf({ path, body }: ModelRequest, turn: Turn): string[] {
  const model = body['model'];
  if (path.endsWith('/chat/completions'))
    return [...chatChunks(turn, model).map((chunk) => JSON.stringify(chunk)), '[DONE]'].map(
      (data) => `data: ${data}\n\n`,
    );
  const events = path.endsWith('/messages') ? messagesEvents(turn, model) : responsesEvents(turn, model);
  return events.map(([type, data]) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
}

async function readRequest(request: IncomingMessage): Promise<ModelRequest> {
  const pieces: Buffer[] = [];
  for await (const piece of request as AsyncIterable<Buffer>) pieces.push(piece);
  const text = Buffer.concat(pieces).toString('utf8');
  const body = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
  const tools = (body['tools'] ?? []) as { name?: string; type?: string; function?: { name: string } }[];
  return {
    path: (request.url ?? '').split('?')[0] ?? '',
    headers: request.headers as Record<string, string>,
    body,
    tools: tools.map((tool) => tool.name ?? tool.function?.name ?? tool.type ?? ''),
    results: countResults(body),
    text,
  };
}

/** Results of tools: blocks of user turns, items of their own or messages, by the wire. */
function countResults(body: Readonly<Record<string, unknown>>): number {
  const items = ((body['input'] ?? []) as { type?: string }[]).filter(
    ({ type }) => type?.endsWith('call_output') === true,
  );
  const messages = (body['messages'] ?? []) as { role?: string; content?: unknown }[];
  const blocks = messages.flatMap(({ content }) =>
    Array.isArray(content) ? (content as { type?: string }[]) : [],
  );
  const results = messages.filter(({ role }) => role === 'tool');
  return items.length + results.length + blocks.filter(({ type }) => type === 'tool_result').length;
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
