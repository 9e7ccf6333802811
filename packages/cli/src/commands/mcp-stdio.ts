import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { boundedJson } from '@palisade/client';
import { limits, type PresentedSession, SESSION_HEADER, SESSION_PROOF_HEADER } from '@palisade/contracts';
import type { Invocation } from '../invocation.ts';
import { MutationJournal } from '../server/mutation-journal.ts';
import { messageLines } from '../mcp/message-lines.ts';
import { type Send, StdioAdapter } from '../mcp/stdio-adapter.ts';
import { chosenProject } from '../server/chosen-project.ts';
import { credentialFor } from '../server/credentials.ts';
import { type ServerAccess, serverCaller } from '../server/server-caller.ts';
import { SessionFile } from '../server/session-file.ts';
import { onlyKnownServer, setServer } from '../server/set-server.ts';
import { sessionName, SESSIONS, stateDirectory } from '../server/state-directory.ts';
import type { mcpStdioCommand } from '../tree/server-commands.ts';
import { UsageError } from '../tree/usage-error.ts';
import type { Handler } from './handler.ts';

/** A call may wait a minute for news; then the answer is on its way. */
const ANSWER_MS = 120_000;

/** `pal mcp stdio`: until standard input ends. Only JSON-RPC goes to standard output. */
export const execute: Handler<typeof mcpStdioCommand> = async (invocation, _args, flags) => {
  const { originOf } = await import('@palisade/client');
  const { config, env } = invocation;
  const origin = flags.server === undefined ? setServer(config) : originOf(flags.server);
  // Only the flag's: a setting would give every adapter the same one.
  const directory = config.layers('state_dir').find(({ source }) => source === 'flag')?.value;
  if (origin === undefined)
    throw new UsageError('it needs --server', {
      why: 'no server is set',
      next: `pal mcp stdio --server ${onlyKnownServer(env) ?? 'ORIGIN'} --state-dir ${directory ?? 'DIR'}`,
    });
  if (directory === undefined)
    throw new UsageError('it needs --state-dir', {
      why: 'each change is written down in a directory before it is sent to the server',
      next: `pal mcp stdio --server ${origin} --state-dir DIR`,
    });
  const access = credentialFor(origin, env);
  if (access === undefined)
    throw new UsageError(`there is no credential for ${origin}`, { next: `pal login ${origin}` });
  const session = await sessionHere(invocation, access);
  // A key means nothing in another session: what is pending in one is sent again in no other.
  const identity = session === undefined ? access.token : JSON.stringify([access.token, session]);
  const journal = await MutationJournal.open(directory, origin, identity);
  const adapter = new StdioAdapter(journal, sendTo(access, session), session?.session);
  const open = new Set<Promise<void>>();
  try {
    for await (const line of messageLines(invocation.stdin)) {
      const answering = adapter.answer(line).then((answer) => {
        if (answer !== null) invocation.out.write(`${JSON.stringify(answer)}\n`);
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

/** The session that was started here (`pal session start`) for that server and the project that its tools mean. */
async function sessionHere(
  { config, env }: Invocation,
  access: ServerAccess,
): Promise<PresentedSession | undefined> {
  // --state-dir is the adapter's own.
  const named = config
    .layers('state_dir')
    .find(({ source, value }) => source !== 'flag' && value !== undefined);
  const state = stateDirectory(named?.value, env);
  if (!existsSync(join(state, SESSIONS))) return undefined;
  const project = config.get('project') ?? (await chosenProject(serverCaller(access)));
  const session = sessionName(config.get('session'));
  return new SessionFile({ ...access, stateDirectory: state, project, session }).presented();
}

/** Sends messages to `/mcp` of a server, and to nowhere else: redirects are not followed. */
function sendTo({ origin, token }: ServerAccess, session: PresentedSession | undefined): Send {
  const inSession =
    session?.session === undefined
      ? {}
      : { [SESSION_HEADER]: session.session, [SESSION_PROOF_HEADER]: session.proof };
  return async (message) => {
    const response = await fetch(`${origin}/mcp`, {
      method: 'POST',
      redirect: 'error',
      signal: AbortSignal.timeout(ANSWER_MS),
      headers: {
        Authorization: `Bearer ${token}`,
        ...inSession,
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify(message),
    });
    if (response.status === 202) return null;
    const told = await boundedJson(response, { origin, maxBytes: limits.answerBytes });
    if (typeof told === 'object' && told !== null && 'jsonrpc' in told) return told;
    const error = new Error(`the server answered ${response.status}`);
    // What a client is told of a fault is its name.
    error.name = `HTTP ${response.status}`;
    throw error;
  };
}
