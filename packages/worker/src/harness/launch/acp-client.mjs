/*
 * Runs inside the sandbox, between the launcher and an agent that speaks the Agent Client Protocol, version 1
 * (JSON-RPC 2.0, one message a line): gives the agent one prompt, answers what it asks, and tells on standard
 * output, as lines of JSON, what became of it. Plain JavaScript without imports of ours, like the launcher.
 *
 * Its arguments are the agent's command line, standard input is one JSON text: `{prompt, permission, mode}`. Nobody is there to be asked, so what
 * the permission does not cover is refused. The agent is given no server and no file system or terminal of a
 * client's: it has the workspace itself.
 */
import { spawn } from 'node:child_process';

const PROTOCOL = 1;
/** Kinds of tools that count as editing of the work: reading what is there, and changing files. */
const EDITING = ['read', 'edit', 'search', 'think'];
/** How long an agent that has answered may take to leave by itself. */
const LEAVE_MS = 1_000;
/** After so long a silence what was said is worth showing, although more may follow. */
const LULL_MS = 500;
const METHOD_NOT_FOUND = -32_601;

/** @type {Buffer[]} */
const pieces = [];
for await (const piece of process.stdin) pieces.push(piece);
const { prompt, permission, mode } = JSON.parse(Buffer.concat(pieces).toString('utf8'));

const tell = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
const [program, ...args] = process.argv.slice(2);
const agent = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
agent.stdin.on('error', () => {});
/** @type {Map<number, { resolve: (value: any) => void, reject: (error: Error) => void }>} */
const waiting = new Map();
/** Kinds of tools under the ids of their calls. */
const kinds = new Map();
let lastId = 0;
let lull;

const gone = new Promise((resolve) => {
  agent.on('error', (error) => resolve(`it could not be started: ${error.code}`));
  agent.on('close', (code, signal) => resolve(`it ended with ${signal ?? `status ${code}`}`));
});
/** Pieces of a line whose end has not come. @type {Buffer[]} */
let held = [];
agent.stdout.on('data', (bytes) => {
  let start = 0;
  for (let end = bytes.indexOf(0x0a); end !== -1; end = bytes.indexOf(0x0a, start)) {
    take(Buffer.concat([...held, bytes.subarray(start, end)]).toString('utf8'));
    held = [];
    start = end + 1;
  }
  held.push(bytes.subarray(start));
});

try {
  const work = converse();
  work.catch(() => {});
  const early = gone.then((why) => Promise.reject(new Error(why)));
  const { stopReason, usage } = await Promise.race([work, early]);
  tell({ type: 'end', stop_reason: stopReason, usage });
  process.exitCode = stopReason === 'end_turn' ? 0 : 1;
} catch (error) {
  tell({ type: 'failed', message: error.message });
  process.exitCode = 1;
}
agent.stdin.end();
const timer = setTimeout(() => agent.kill('SIGKILL'), LEAVE_MS);
await gone;
clearTimeout(timer);
process.exit();

async function converse() {
  const { protocolVersion, agentInfo } = await request('initialize', {
    protocolVersion: PROTOCOL,
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    clientInfo: { name: 'palisade', version: '1' },
  });
  if (protocolVersion !== PROTOCOL) throw new Error(`it speaks version ${protocolVersion} of the protocol`);
  const { sessionId, modes } = await request('session/new', { cwd: process.cwd(), mcpServers: [] });
  tell({ type: 'session', id: sessionId, agent: agentInfo });
  if (mode !== undefined) {
    if (!(modes?.availableModes ?? []).some(({ id }) => id === mode))
      throw new Error(`it has no mode ${mode}`);
    await request('session/set_mode', { sessionId, modeId: mode });
  }
  return request('session/prompt', { sessionId, prompt: [{ type: 'text', text: prompt }] });
}

function request(method, params) {
  const id = ++lastId;
  send({ id, method, params });
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
}

function send(message) {
  agent.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

function take(line) {
  let message;
  try {
    message = JSON.parse(line);
  } catch {
    // Some agents print words between their messages: they are shown as they are.
    if (line.trim() !== '') process.stdout.write(`${line}\n`);
    return;
  }
  if (typeof message !== 'object' || message === null) return;
  const { id, method, params, result, error } = message;
  if (method === undefined) {
    const asked = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) asked?.resolve(result ?? {});
    else asked?.reject(new Error(`${error?.message ?? 'an error'} ${detailOf(error?.data)}`.trim()));
  } else if (method === 'session/update') {
    update(params?.update ?? {});
  } else if (method === 'session/request_permission') {
    send({ id, result: { outcome: decide(params ?? {}) } });
  } else if (id !== undefined) {
    send({ id, error: { code: METHOD_NOT_FOUND, message: `there is no ${method} here` } });
  }
}

function detailOf(data) {
  return data === undefined || data === null ? '' : JSON.stringify(data).slice(0, 500);
}

function update(change) {
  switch (change.sessionUpdate) {
    case 'tool_call':
    case 'tool_call_update':
      if (typeof change.kind === 'string') kinds.set(change.toolCallId, change.kind);
      break;
    case 'agent_message_chunk':
      clearTimeout(lull);
      lull = setTimeout(() => tell({ type: 'lull' }), LULL_MS);
      break;
    case 'usage_update':
      break;
    default:
      return;
  }
  tell({ type: 'update', update: change });
}

/** What nobody allowed is refused, also when the agent offers no way to refuse. */
function decide({ toolCall = {}, options = [] }) {
  const kind = toolCall.kind ?? kinds.get(toolCall.toolCallId) ?? 'other';
  const isAllowed = permission === 'bypass' || (permission === 'accept-edits' && EDITING.includes(kind));
  const wanted = isAllowed ? ['allow_once', 'allow_always'] : ['reject_once', 'reject_always'];
  const option = wanted.flatMap((each) => options.filter((offered) => offered.kind === each))[0];
  if (!isAllowed) tell({ type: 'denied', kind, title: toolCall.title });
  return option === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId: option.optionId };
}
