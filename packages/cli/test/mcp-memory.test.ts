import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LineTransport } from '../src/mcp/line-transport.ts';
import { BIN, Place } from './place.ts';

interface Answer {
  readonly id: number | string | null;
  readonly result?: { readonly structuredContent?: object };
  readonly error?: { readonly code: number };
}

function repository(): Place {
  const place = new Place({ runs: [] });
  execFileSync('git', ['init', '--quiet', '-b', 'main'], { cwd: place.directory, env: place.env() });
  return place;
}

const request = (id: number, method: string, params: object): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });
const claim = (id: number): string =>
  request(id, 'tools/call', {
    name: 'console_claim_acquire',
    arguments: { session: `codex:${id}`, paths: [`src/${id}.ts`] },
  });
const hello = request(0, 'initialize', {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
});
const answersIn = (text: string): Answer[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Answer);

describe('pal mcp memory', () => {
  it.each(['a file', 'a pipe'])('answers everything that %s asks before it leaves', async (how) => {
    using place = repository();
    const ids = Array.from({ length: 15 }, (_, at) => at + 1);
    const lines = [
      hello,
      JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }),
      ...ids.map(claim),
    ];
    const options = { cwd: place.directory, env: place.env(), encoding: 'utf8' } as const;
    const file = join(place.directory, 'requests.txt');
    // The last line may lack its end.
    writeFileSync(file, lines.join('\n'));
    const { status, stdout } = spawnSync(process.execPath, [BIN, 'mcp', 'memory'], {
      ...options,
      ...(how === 'a file'
        ? { stdio: [openSync(file, 'r'), 'pipe', 'inherit'] }
        : { input: lines.join('\n') }),
    });
    expect(status).toBe(0);
    const answers = answersIn(stdout);
    expect(answers.map(({ id }) => Number(id)).toSorted((one, other) => one - other)).toEqual([0, ...ids]);
    for (const { id, result } of answers)
      if (id !== 0) expect(result?.structuredContent).toMatchObject({ status: 'acquired' });
    const held = await place.pal(['console', 'claim-list', '--format', 'id']);
    expect(held.stdout.trim().split('\n')).toHaveLength(ids.length);
  });

  it('answers a line that is no JSON or no message, and goes on', () => {
    using place = repository();
    const { status, stdout } = spawnSync(process.execPath, [BIN, 'mcp', 'memory'], {
      cwd: place.directory,
      env: place.env(),
      encoding: 'utf8',
      input: [hello, '{"jsonrpc":', '[]', '{"id":7}', '', 'null', claim(1)].join('\n'),
    });
    expect(status).toBe(0);
    const answers = answersIn(stdout);
    expect(answers.flatMap(({ id, error }) => (error === undefined ? [] : [[id, error.code]]))).toEqual([
      [null, -32_700],
      [null, -32_600],
      [7, -32_600],
      [null, -32_600],
    ]);
    expect(answers.flatMap(({ id, result }) => (result === undefined ? [] : [id]))).toEqual([0, 1]);
  });

  it('leaves when it is interrupted, though its input is open', async () => {
    using place = repository();
    const child = spawn(process.execPath, [BIN, 'mcp', 'memory'], {
      cwd: place.directory,
      env: place.env(),
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    child.stdin.write(`${hello}\n`);
    await once(child.stdout, 'data');
    const ended = once(child, 'exit');
    child.kill('SIGINT');
    await ended;
  });

  it('waits for answers no longer than it is told, nor for what was called off', async () => {
    const written: string[] = [];
    const transport = new LineTransport((text) => written.push(text));
    const { signal } = new AbortController();
    const until = async (ms: number): Promise<number> => {
      const from = performance.now();
      await transport.answered(ms, signal);
      return performance.now() - from;
    };
    transport.take(claim(1));
    expect(await until(50)).toBeGreaterThan(45);
    transport.take(
      JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }),
    );
    expect(await until(10_000)).toBeLessThan(1000);
    transport.take(claim(2));
    setTimeout(() => void transport.send({ jsonrpc: '2.0', id: 2, result: {} }), 20);
    expect(await until(10_000)).toBeLessThan(5000);
    expect(written).toHaveLength(1);
  });
});
