import { connect } from 'node:net';
import { declaredOperations } from '@palisade/contracts';
import { remoteCaller } from '@palisade/client';
import { describe, expect, it } from 'vitest';
import { EVERY_SCOPE, type HttpRig, httpRig } from '../../test/http-rig.ts';

const QUEUE = '/v1/projects/default/queues/slow';

/** What a server answers to bytes that are no well-behaved client's. */
function raw(rig: HttpRig, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    const { port, hostname } = new URL(rig.url);
    let answer = '';
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.setEncoding('utf8').on('data', (data: string) => {
      answer += data;
    });
    socket.on('close', () => resolve(answer)).on('error', () => {});
  });
}

describe('requests', () => {
  it('AC-024 AC-026: a change needs a key, the same key gives the same answer, and another request under it is refused', async () => {
    const rig = await httpRig();
    const token = rig.token(['provision', 'read']);
    const set = (concurrency: number, key?: string) =>
      rig.send('PUT', QUEUE, { token, body: { concurrency }, ...(key === undefined ? {} : { key }) });
    expect(await set(3)).toMatchObject({
      status: 400,
      body: { code: 'invalid_input', next: expect.stringContaining('Idempotency-Key') },
    });
    expect((await set(3, 'bad key')).status).toBe(400);
    const first = await set(3, 'k');
    expect(first.status).toBe(200);
    expect((await set(4, 'other')).status).toBe(200);
    expect((await set(3, 'k')).body).toEqual(first.body);
    expect(await set(5, 'k')).toMatchObject({ status: 409, body: { code: 'idempotency_mismatch' } });
    const { body } = await rig.send('GET', QUEUE, { token });
    expect(JSON.stringify(body)).toContain('"concurrency":4');
    // A key is its principal's own.
    const other = await rig.send('PUT', QUEUE, {
      token: rig.token(['provision']),
      body: { concurrency: 6 },
      key: 'k',
    });
    expect(other.status).toBe(200);
  });

  it('EX-016: every reply names its request and its time, and no cache keeps it', async () => {
    const rig = await httpRig();
    const ids = new Set<string>();
    for (const [path, token] of [
      ['/healthz', undefined],
      ['/v1/openapi.json', undefined],
      ['/v1/projects/default/runs', undefined],
      ['/v1/projects/default/runs', rig.token(['read'])],
      ['/v1/projects/default/runs/none', rig.token(['read'])],
    ] as const) {
      const { headers } = await rig.send('GET', path, { token, headers: { 'Request-Id': 'mine' } });
      const id = headers.get('request-id') ?? '';
      expect(id).toMatch(/^req_[0-9a-f]{32}$/);
      ids.add(id);
      expect(Math.abs(Date.parse(headers.get('server-time') ?? '') - Date.now())).toBeLessThan(60_000);
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
    expect(ids.size).toBe(5);
  });

  it('EX-019: bodies that are too large, compressed, deep, no JSON or no object are refused as what they are', async () => {
    const rig = await httpRig();
    const token = rig.token(EVERY_SCOPE);
    const put = (body: string, headers: Record<string, string> = {}) =>
      rig.send('PUT', QUEUE, { token, key: 'k', body, headers });
    const deep = `{"rate": ${'['.repeat(5_000)}${']'.repeat(5_000)}}`;
    for (const [answer, status, code] of [
      [put(`{"a": "${'x'.repeat(1024 * 1024)}"}`), 413, 'too_large'],
      [put('{}', { 'Content-Encoding': 'gzip' }), 415, 'unsupported_media_type'],
      [put('{}', { 'Content-Type': 'text/plain' }), 415, 'unsupported_media_type'],
      [put(deep), 413, 'too_large'],
      [put('{"concurrency": 1} x'), 400, 'invalid_input'],
      [put('{'), 400, 'invalid_input'],
      [put('[]'), 400, 'invalid_input'],
      [put('null'), 400, 'invalid_input'],
      [put('{"__proto__": {"concurrency": 1}}'), 400, 'invalid_input'],
      [put('{"constructor": 1}'), 400, 'invalid_input'],
      [put('{"concurrency": 1, "more": 1}'), 400, 'invalid_input'],
      [put(String.raw`{"\ud800": 1}`), 400, 'invalid_input'],
    ] as const)
      expect(await answer).toMatchObject({ status, body: { code } });
  });

  it('nothing is read of the body of whoever may not call it', async () => {
    const rig = await httpRig();
    const head = (token: string) =>
      `PUT ${QUEUE} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n` +
      `Idempotency-Key: k\r\nContent-Length: 1000000\r\n\r\n{`;
    // The rest of the body never comes: an answer shows that nobody waited for it.
    expect(await raw(rig, head('unknown'))).toMatch(/^HTTP\/1\.1 401 /);
    expect(await raw(rig, head(rig.token(['read'])))).toMatch(/^HTTP\/1\.1 403 /);
  });

  it('requests that two parsers could read differently are refused', async () => {
    const rig = await httpRig();
    const token = rig.token(EVERY_SCOPE);
    const head = `PUT ${QUEUE} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nIdempotency-Key: k\r\nContent-Type: application/json\r\n`;
    for (const smuggled of [
      `${head}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      `${head}Content-Length: 4\r\nContent-Length: 5\r\n\r\n{}  `,
      `${head}Transfer-Encoding: xchunked\r\n\r\n`,
      `${head}X: a\nContent-Length: 0\r\n\r\n`,
      `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
    ])
      expect(await raw(rig, smuggled)).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect((await rig.send('GET', QUEUE, { token })).status).toBe(404);
  });

  it('EX-023: too many requests are refused before anything is looked up, and told when to come again', async () => {
    const asked: string[] = [];
    const rig = await httpRig({
      rate: { perSecond: 0.5, burst: 3 },
      onAuthenticated: (token) => asked.push(token),
    });
    const token = rig.token(['read']);
    const statuses = [];
    for (let i = 0; i < 5; i++)
      statuses.push((await rig.send('GET', '/v1/projects/default/runs', { token })).status);
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
    expect(asked).toHaveLength(3);
    const refused = await rig.send('GET', '/v1/projects/default/runs', { token });
    expect(refused.body).toMatchObject({ code: 'rate_limited', retryable: true });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    // Others are not held up, and whoever has no token has one bucket however many it invents per request.
    expect((await rig.send('GET', '/v1/projects/default/runs', { token: rig.token(['read']) })).status).toBe(
      200,
    );
    expect((await rig.send('GET', '/healthz')).status).toBe(200);
  });

  it('EX-023: one token is one caller however its header is spelled, and whoever tries tokens is not looked up any more', async () => {
    const asked: string[] = [];
    const rig = await httpRig({
      rate: { perSecond: 0.01, burst: 3 },
      failures: { perSecond: 0.01, burst: 5 },
      onAuthenticated: (token) => asked.push(token),
    });
    const token = rig.token(['read']);
    const ask = async (header: string) =>
      (await rig.send('GET', '/v1/projects/default/runs', { headers: { Authorization: header } })).status;
    const spelled = [];
    for (const word of ['Bearer', 'bearer', 'BEARER', 'bEARER', 'beareR'])
      spelled.push(await ask(`${word} ${token}`));
    expect(spelled).toEqual([200, 200, 200, 429, 429]);
    const tried = [];
    for (let i = 0; i < 8; i++) tried.push(await ask(`Bearer pal_guess_${i}`));
    expect(tried).toEqual([401, 401, 401, 401, 401, 429, 429, 429]);
    expect(asked).toHaveLength(3);
  });

  it('EX-023: who tries tokens keeps nobody out whose token was found good', async () => {
    const rig = await httpRig({ failures: { perSecond: 0.01, burst: 5 } });
    const [known, unknown] = [rig.token(['read']), rig.token(['read'])];
    const ask = async (token: string) =>
      (await rig.send('GET', '/v1/projects/default/runs', { token })).status;
    expect(await ask(known)).toBe(200);
    for (let i = 0; i < 8; i++) await ask(`pal_guess_${i}`);
    expect(await ask('pal_guess_9')).toBe(429);
    expect(await ask(unknown)).toBe(429);
    expect(await ask(known)).toBe(200);
  });

  it('readiness says when it cannot answer, liveness only that it lives', async () => {
    const rig = await httpRig();
    expect(await rig.send('GET', '/readyz')).toMatchObject({ status: 200, body: { status: 'ready' } });
    await rig.composition.database.close();
    await expect.poll(async () => (await rig.send('GET', '/readyz')).status, { timeout: 5_000 }).toBe(503);
    expect(await rig.send('GET', '/readyz')).toMatchObject({ status: 503, body: { status: 'unavailable' } });
    expect(await rig.send('GET', '/healthz')).toMatchObject({ status: 200 });
    const fault = await rig.send('GET', '/v1/projects/default/runs', { token: rig.token(['read']) });
    expect(fault).toMatchObject({ status: 500, body: { code: 'internal', detail: 'a fault of the server' } });
    expect(rig.lines.some(({ event, id }) => event === 'fault' && id === fault.body.request_id)).toBe(true);
  });

  it('the log names operations and callers, and nothing that anybody wrote', async () => {
    const rig = await httpRig();
    const token = rig.token(EVERY_SCOPE);
    await rig.send('GET', '/v1/projects/default/runs/canary-run?items=canary-items', { token });
    await rig.send('PUT', '/v1/projects/default/secrets/canary-name', {
      token,
      key: 'canary-key',
      body: { value: 'canary-value' },
    });
    await rig.send('GET', '/canary-path', { headers: { Authorization: 'Bearer canary-token' } });
    expect(rig.lines.map(({ operation }) => operation)).toEqual(['runs.get', 'secrets.put', null]);
    expect(JSON.stringify(rig.lines)).not.toMatch(/canary|pal_test/);
  });

  it('a client of operations cannot tell a server from a control plane in process', async () => {
    const rig = await httpRig();
    const remote = remoteCaller({ origin: rig.url, token: rig.token(EVERY_SCOPE) });
    const operation = (id: string) => declaredOperations().find((each) => each.id === id) as never;
    const plan = { items: [{ id: 'a', command: 'true' }] };
    const told = await remote.call(operation('plans.validate'), { plan } as never);
    expect(told).toEqual({ ok: true, items: 1, issues: [] });
    await expect(remote.call(operation('runs.get'), { run: 'none' } as never)).rejects.toMatchObject({
      code: 'not_found',
      next: 'palisade status',
    });
    await expect(
      remote.call(operation('queues.set'), { name: 'q', concurrency: -1 } as never),
    ).rejects.toMatchObject({
      code: 'invalid_input',
      issues: [{ path: 'concurrency' }],
    });
  });
});
