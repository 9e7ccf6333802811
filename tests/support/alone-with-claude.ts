/*
 * Claude Code, a scripted model and a served control plane, alone together: `node alone-with-claude.ts CLAUDE PROJECT TOKEN-FILE`,
 * started in a network namespace of its own, so that nothing else can be reached. Claude has what `pal mcp install claude-code` wrote and is told
 * to start a run and look at it; printed is one line of JSON, what the model was told and what Claude said.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { startModelServer } from '../../packages/worker/test/model-server/model-server.ts';
import type { ModelRequest, Turn } from '../../packages/worker/test/model-server/script.ts';
import { CLI } from './installation.ts';

const [claude = '', root = '', tokenFile = ''] = process.argv.slice(2);

/** What the model would do who is asked to start a run over MCP: start it, look at it, say what it saw. */
function play({ tools, results }: ModelRequest): Turn {
  if (tools.length === 0) return { say: 'a title' };
  const plan = { items: [{ id: 'hello', command: 'echo hello' }] };
  const start = { plan, run_id: 'from-claude', idempotency_key: 'from-claude-1' };
  const turns: readonly Turn[] = [
    { calls: [{ name: 'mcp__palisade__plans_submit', input: start }] },
    { calls: [{ name: 'mcp__palisade__runs_get', input: { run: 'from-claude' } }] },
    { say: 'Started and seen.' },
  ];
  return turns[Math.min(results, turns.length - 1)] ?? {};
}

const model = await startModelServer(play);
const server = spawn(process.execPath, [CLI, 'serve', '--listen', '127.0.0.1:0', '--json'], {
  cwd: root,
  stdio: ['ignore', 'pipe', 'inherit'],
});
const [line] = (await once(createInterface({ input: server.stdout }), 'line')) as [string];
const { url } = JSON.parse(line) as { url: string };

await ended(process.execPath, [CLI, 'mcp', 'install', 'claude-code', '--server', url], {});
const words = ['-p', 'Start a run.', '--output-format', 'json', '--model', 'claude-haiku-4-5'];
const said = await ended(
  claude,
  [
    ...words,
    '--mcp-config',
    join(root, '.mcp.json'),
    '--strict-mcp-config',
    '--allowedTools',
    'mcp__palisade',
  ],
  {
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: 'of-nobody',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    PALISADE_TOKEN: readFileSync(tokenFile, 'utf8').trim(),
  },
);
server.kill('SIGTERM');
await once(server, 'close');
await model.close();
const told = model.requests.map(({ text }) => text);
process.stdout.write(`${JSON.stringify({ said, told })}\n`);

async function ended(program: string, args: readonly string[], env: Record<string, string>): Promise<string> {
  const child = spawn(program, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => (text += part));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${program} ended with ${code}: ${text}`);
  return text;
}
