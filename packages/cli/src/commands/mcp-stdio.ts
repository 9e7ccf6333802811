import { MutationJournal } from '../server/mutation-journal.ts';
import { MAX_LINE, type Send, StdioAdapter } from '../mcp/stdio-adapter.ts';
import { tokenFor } from '../server/credentials.ts';
import type { mcpStdioCommand } from '../tree/server-commands.ts';
import { UsageError } from '../tree/usage-error.ts';
import type { Handler } from './handler.ts';

/** A call may wait a minute for news; then the answer is on its way. */
const ANSWER_MS = 120_000;

/** `pal mcp stdio`: until standard input ends. Only JSON-RPC goes to standard output. */
export const execute: Handler<typeof mcpStdioCommand> = async (invocation, _args, flags) => {
  const { originOf } = await import('@palisade/client');
  const server = flags.server ?? invocation.config.get('server');
  // Only the flag's: a setting would give every adapter the same one.
  const directory = invocation.config.layers('state_dir').find(({ source }) => source === 'flag')?.value;
  if (server === undefined || directory === undefined) {
    const missing = [server === undefined ? '--server' : '', directory === undefined ? '--state-dir' : ''];
    throw new UsageError(`it needs ${missing.filter((name) => name !== '').join(' and ')}`, {
      why: 'each change is written down in a directory before it is sent to the server',
      next: 'pal mcp stdio --server ORIGIN --state-dir DIR',
    });
  }
  const origin = originOf(server);
  const token = tokenFor(origin, invocation.env);
  if (token === undefined)
    throw new UsageError(`there is no credential for ${origin}`, { next: `pal login ${origin}` });
  const journal = await MutationJournal.open(directory, origin, token);
  const adapter = new StdioAdapter(journal, sendTo(origin, token));
  const open = new Set<Promise<void>>();
  try {
    for await (const line of lines(invocation.stdin)) {
      const answering = adapter.answer(line).then((answer) => {
        if (answer !== null) invocation.out.line(JSON.stringify(answer));
        open.delete(answering);
      });
      open.add(answering);
    }
    await Promise.all(open);
  } finally {
    journal.close();
  }
  return 0;
};

/** Sends messages to `/mcp` of a server, and to nowhere else: redirects are not followed. */
function sendTo(origin: string, token: string): Send {
  return async (message) => {
    const response = await fetch(`${origin}/mcp`, {
      method: 'POST',
      redirect: 'error',
      signal: AbortSignal.timeout(ANSWER_MS),
      headers: {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify(message),
    });
    if (response.status === 202) return null;
    const told: unknown = await response.json();
    if (typeof told === 'object' && told !== null && 'jsonrpc' in told) return told;
    const error = new Error(`the server answered ${response.status}`);
    // What a client is told of a fault is its name.
    error.name = `HTTP ${response.status}`;
    throw error;
  };
}

/** Lines of a stream. Raises a UsageError for one that is longer than any message may be. */
async function* lines(stream: NodeJS.ReadableStream): AsyncIterable<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const part of stream) {
    rest += typeof part === 'string' ? part : decoder.decode(part, { stream: true });
    const whole = rest.split('\n');
    rest = whole.pop() ?? '';
    for (const line of whole) if (line.trim() !== '') yield line;
    if (rest.length > MAX_LINE) throw new UsageError(`a line is longer than ${MAX_LINE} characters`);
  }
  if (rest.trim() !== '') yield rest;
}
