import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { type HttpRig, httpRig } from '../../test/http-rig.ts';
import { callByHand, EVERYDAY, message, post } from '../../test/mcp-rig.ts';

const LIST = message('tools/list');

/** A request with a Host of its own, which `fetch` does not send. */
function withHeaders(rig: HttpRig, headers: Record<string, string>): Promise<number> {
  const { hostname, port } = new URL(rig.url);
  const body = JSON.stringify(LIST);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path: '/mcp', method: 'POST', headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    });
    sent.on('error', reject).end(body);
  });
}

describe('hostile requests to /mcp', () => {
  it('EX-019: bodies that are too large, deep, compressed, no JSON, batches or no messages are refused as what they are', async () => {
    const rig = await httpRig();
    const token = rig.token(EVERYDAY);
    const deep = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"x":${'['.repeat(5_000)}${']'.repeat(5_000)}}}`;
    for (const [body, headers, status, code] of [
      ['{', {}, 400, -32_700],
      ['', {}, 400, -32_700],
      ['nonsense', {}, 400, -32_700],
      [deep, {}, 413, -32_600],
      ['{}', { 'Content-Encoding': 'gzip' }, 415, -32_600],
      ['{}', { 'Content-Type': 'text/plain' }, 415, -32_600],
      ['{}', { 'Content-Type': 'application/json; x' }, 400, undefined],
      [JSON.stringify([LIST, LIST]), {}, 400, -32_600],
      ['[]', {}, 400, -32_600],
      ['null', {}, 400, undefined],
      ['7', {}, 400, undefined],
      ['{}', {}, 400, undefined],
      ['{"jsonrpc":"1.0","id":1,"method":"tools/list"}', {}, 400, undefined],
      ['{"jsonrpc":"2.0","id":{},"method":"tools/list"}', {}, 400, undefined],
      ['{"jsonrpc":"2.0","id":1,"method":7}', {}, 400, undefined],
      [JSON.stringify(LIST), { Accept: 'text/html' }, 406, undefined],
      [JSON.stringify(LIST), { 'MCP-Protocol-Version': '1999-01-01' }, 400, undefined],
      [JSON.stringify(LIST), { 'MCP-Protocol-Version': 'x'.repeat(9_000) }, 400, undefined],
      [JSON.stringify(message('subscriptions/listen')), {}, 404, -32_601],
    ] as const) {
      const answer = await post(rig, token, body, headers);
      expect([body.slice(0, 60), answer.status]).toEqual([body.slice(0, 60), status]);
      const { error } = answer.body as unknown as { error: { code: number } };
      expect(error.code).toBeLessThan(0);
      if (code !== undefined) expect(error.code).toBe(code);
      expect(answer.headers.get('mcp-session-id')).toBeNull();
    }
    expect((await post(rig, token, LIST)).status).toBe(200);
    expect(rig.lines.filter(({ event }) => event === 'fault')).toEqual([]);
  });

  it('EX-019: more than any tool takes is not read', async () => {
    const rig = await httpRig();
    const answer = await rig.send('POST', '/mcp', {
      token: rig.token(EVERYDAY),
      body: message('tools/call', { name: 'runs_get', arguments: { run: 'x'.repeat(68_000_000) } }),
    });
    expect(answer.status).toBe(413);
    const within = await callByHand(rig, rig.token(EVERYDAY), 'runs_get', { run: 'x'.repeat(2_000_000) });
    expect(within).toMatchObject({ status: 200, told: { code: 'too_large' } });
  });

  it('AO-128: there are no sessions and no streams, and a session id means nothing', async () => {
    const rig = await httpRig();
    const token = rig.token(EVERYDAY);
    for (const method of ['GET', 'DELETE', 'PUT', 'PATCH'])
      expect((await rig.send(method, '/mcp', { token })).status).toBe(405);
    const answer = await post(rig, token, LIST, { 'Mcp-Session-Id': 'of-somebody-else' });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('mcp-session-id')).toBeNull();
    expect(answer.headers.get('content-type')).toContain('application/json');
  });

  it('arguments that are none are tool errors, and nothing crashes', async () => {
    const rig = await httpRig();
    const token = rig.token(EVERYDAY);
    for (const [name, args] of [
      ['runs_get', { run: 'x', more: 1 }],
      ['runs_get', { run: 7 }],
      ['runs_get', {}],
      ['runs_get', { run: 'x', idempotency_key: 'k' }],
      ['runs_get', { run: 'x', project: 7 }],
      ['runs_get', { run: 'x', actor: 'human:ada' }],
      ['runs_get', { run: 'x', constructor: {}, toString: 1 }],
      ['runs_cancel', { run: 'x', idempotency_key: 'a b' }],
      ['runs_cancel', { run: 'x', idempotency_key: ['k'] }],
      ['runs_cancel', { run: 'x', idempotency_key: 'x'.repeat(201) }],
    ] as const)
      expect(await callByHand(rig, token, name, args)).toMatchObject({
        status: 200,
        isError: true,
        told: { code: 'invalid_input', status: 400 },
      });
    for (const name of ['', 'runs.get', '__proto__', 'constructor', 'x'.repeat(10_000), 'runs_get\u0000'])
      expect(await callByHand(rig, token, name)).toMatchObject({ error: { code: -32_602 } });
    const bad = await post(rig, token, message('tools/call', { name: 'runs_get', arguments: [] }));
    expect(bad.body).toMatchObject({ error: { code: -32_602 } });
    expect((await post(rig, token, message('nonsense'))).body).toMatchObject({ error: { code: -32_601 } });
  });

  it('a page that made its name mean this server, or stands elsewhere, is refused', async () => {
    const rig = await httpRig();
    const { host, port } = new URL(rig.url);
    const head = {
      Authorization: `Bearer ${rig.token(EVERYDAY)}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    };
    const good: Record<string, string>[] = [
      { Host: host },
      { Host: `localhost:${port}` },
      { Host: `[::1]:${port}` },
      { Host: host, Origin: `http://${host}` },
    ];
    for (const each of good) expect(await withHeaders(rig, { ...head, ...each })).toBe(200);
    const bad: Record<string, string>[] = [
      { Host: 'evil.example' },
      { Host: `127.0.0.1.evil.example:${port}` },
      { Host: host, Origin: 'https://evil.example' },
      { Host: host, Origin: 'null' },
      { Host: host, Origin: `http://localhost:1` },
    ];
    for (const each of bad) expect([each, await withHeaders(rig, { ...head, ...each })]).toEqual([each, 403]);
    expect(await withHeaders(rig, { ...head, Host: `user@${host}@evil.example` })).toBe(400);
    expect(await withHeaders(rig, { ...head, Host: 'evil.example', Authorization: 'Bearer x' })).toBe(401);
  });

  it('the log names the operation behind a tool, and nothing that anybody wrote', async () => {
    const rig = await httpRig();
    await callByHand(rig, rig.token(EVERYDAY), 'runs_get', { run: 'canary-run' });
    await callByHand(rig, rig.token(EVERYDAY), 'canary-tool', { run: 'canary-run' });
    await post(rig, rig.token(EVERYDAY), '{"canary', { 'Mcp-Name': 'canary' });
    expect(rig.lines.map(({ operation }) => operation)).toEqual(['runs.get', null, null]);
    expect(JSON.stringify(rig.lines)).not.toMatch(/canary|pal_test/);
  });

  it('EX-023: the rate limit is the one of the HTTP surface', async () => {
    const rig = await httpRig({ rate: { perSecond: 0.5, burst: 2 } });
    const token = rig.token(EVERYDAY);
    await rig.send('GET', '/v1/projects/default/runs', { token });
    expect((await post(rig, token, LIST)).status).toBe(200);
    const refused = await post(rig, token, LIST);
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});
