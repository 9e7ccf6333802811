import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { CLI, palisade } from '../support/installation.ts';
import { cuttingHttpProxy } from '../support/cutting-http-proxy.ts';
import { place } from '../support/place.ts';
import { served } from '../support/served.ts';

/** `pal mcp stdio` as a client starts it. */
function adapter(directory: string, args: readonly string[], env: Readonly<Record<string, string>>) {
  const child: ChildProcess = spawn(process.execPath, [CLI, 'mcp', 'stdio', ...args], {
    cwd: directory,
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exit = new Promise<number | null>((resolve) => child.once('close', resolve));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exit;
  });
  const waiting = new Map<number, (answer: Record<string, unknown>) => void>();
  if (child.stdout === null) throw new Error('it has no standard output');
  createInterface({ input: child.stdout }).on('line', (line) => {
    const answer = JSON.parse(line) as { id: number };
    waiting.get(answer.id)?.(answer);
  });
  let id = 0;
  const ask = (method: string, params: object = {}): Promise<Record<string, unknown>> => {
    id += 1;
    child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return new Promise((resolve) => waiting.set(id, resolve));
  };
  const call = async (name: string, args: object = {}) => {
    const { result } = (await ask('tools/call', { name, arguments: args })) as {
      result: { content: { text: string }[] };
    };
    return JSON.parse(result.content[0]?.text ?? '') as Record<string, unknown>;
  };
  return { child, exit, ask, call };
}

it('AO-145: the answer to a change is cut, the adapter killed: another one learns what became of it, and nothing is done twice', {
  timeout: 120_000,
}, async () => {
  const { root, home, env } = place();
  const server = await served(root, env);
  const proxy = await cuttingHttpProxy(server.url);
  const issued = await palisade(root, ['principal', 'create', 'helper', '--json'], env);
  const { token } = JSON.parse(issued.stdout) as { token: string };
  writeFileSync(join(home, 'token'), token);
  expect((await palisade(home, ['login', proxy.url, '--file', join(home, 'token')], env)).code).toBe(0);
  const args = ['--server', proxy.url, '--state-dir', join(home, 'state')];

  const first = adapter(home, args, env);
  expect(
    await first.ask('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 't', version: '1' },
    }),
  ).toMatchObject({
    result: { serverInfo: { name: 'palisade' } },
  });
  expect(JSON.stringify(await first.ask('tools/list'))).toContain('transport_retry');
  proxy.state.cuts = true;
  const plan = { items: [{ id: 'a', command: 'true' }] };
  expect(await first.call('plans_submit', { plan, idempotency_key: 'one' })).toMatchObject({
    code: 'upstream_failed',
  });
  expect((await palisade(home, ['mcp', 'stdio', ...args], env)).stderr).toContain('another adapter uses');
  first.child.kill('SIGKILL');
  await first.exit;

  proxy.state.cuts = false;
  const second = adapter(home, args, env);
  expect(await second.call('transport_status')).toMatchObject({ pending: { tool: 'plans_submit' } });
  const answer = await second.call('transport_retry');
  expect(await second.call('transport_retry')).toEqual(answer);
  const runs = (await second.call('runs_list')) as { data: { id: string }[] };
  expect(runs.data).toHaveLength(1);
  second.child.stdin?.end();
  expect(await second.exit).toBe(0);
  expect(server.log()).not.toContain(token);
});
