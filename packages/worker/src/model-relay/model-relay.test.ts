import { closeSync, existsSync, openSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ModelEndpointDefinition } from '@palisade/contracts';
import { describe, expect, onTestFinished, test } from 'vitest';
import { scratch } from '../../test/attempt-fixture.ts';
import { until } from '../../test/worker-process.ts';
import { ModelRelay, type RelayOptions } from './model-relay.ts';

const KEY = 'sk-test-9f2c41d07be84a6f9c';

/** What an endpoint saw of one request. */
interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

type Answer = (seen: Seen, response: ServerResponse) => void | Promise<void>;
const ok: Answer = (_seen, response) => void response.end('{}');

/** A real endpoint on the loopback that does what a test says. */
async function startEndpoint(answer: Answer): Promise<{ url: string; seen: Seen[] }> {
  const seen: Seen[] = [];
  const server = createServer((incoming, response) => {
    const pieces: Buffer[] = [];
    incoming.on('data', (piece: Buffer) => pieces.push(piece));
    incoming.on('end', () => {
      const { method = '', url = '', headers } = incoming;
      seen.push({ method, url, headers, body: Buffer.concat(pieces).toString('utf8') });
      void answer(seen.at(-1) as Seen, response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

async function openRelay(
  url: string,
  endpoint: Partial<ModelEndpointDefinition> = {},
  options: Partial<RelayOptions> = {},
): Promise<ModelRelay> {
  const relay = await ModelRelay.open({
    directory: join(scratch(), 'model'),
    endpoint: {
      schema_version: 1,
      name: 'here',
      kind: 'anthropic',
      url,
      secret: 'secret:key',
      credential: 'api-key',
      ...endpoint,
    },
    credential: KEY,
    ...options,
  });
  onTestFinished(() => relay.close());
  return relay;
}

interface Asked {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
  readonly socketPath?: string;
  readonly onData?: (text: string) => void;
}

interface Got {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  /** The answer came to its end. */
  readonly isWhole: boolean;
}

/** Asks the relay as a program of the sandbox would. */
async function ask(relay: ModelRelay, asked: Asked = {}): Promise<Got> {
  const { method = 'POST', path = '/v1/messages', body = '{}', socketPath = relay.socketPath } = asked;
  const headers = asked.headers ?? { 'x-api-key': relay.placeholder };
  const outgoing = request({ socketPath, method, path, headers });
  outgoing.on('error', () => {});
  outgoing.end(method === 'POST' ? body : undefined);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  let text = '';
  response.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
    asked.onData?.(text);
  });
  response.on('error', () => {});
  await new Promise((resolve) => response.once('close', resolve));
  return { status: response.statusCode ?? 0, headers: response.headers, text, isWhole: response.complete };
}

describe('what passes', () => {
  test.each([
    ['anthropic', 'api-key', '/v1/messages', { 'x-api-key': KEY }],
    ['anthropic', 'api-key', '/v1/messages/count_tokens', { 'x-api-key': KEY }],
    ['anthropic', 'api-key', '/v1/messages?beta=true', { 'x-api-key': KEY }],
    ['anthropic', 'subscription', '/v1/messages', { authorization: `Bearer ${KEY}` }],
    ['openai', 'api-key', '/v1/responses', { authorization: `Bearer ${KEY}` }],
    ['openai', 'api-key', '/v1/chat/completions', { authorization: `Bearer ${KEY}` }],
  ] as const)(
    '%s with an %s: POST %s carries the real credential',
    async (kind, credential, path, carried) => {
      const { url, seen } = await startEndpoint(ok);
      const relay = await openRelay(url, { kind, credential });
      const headers = {
        authorization: `Bearer ${relay.placeholder}`,
        'anthropic-version': '2023-06-01',
        cookie: 'a=b',
        'x-forwarded-for': '10.0.0.1',
        'accept-encoding': 'gzip',
      };
      expect(await ask(relay, { path, headers, body: '{"model":"m"}' })).toMatchObject({
        status: 200,
        text: '{}',
      });
      expect(seen).toHaveLength(1);
      expect(seen[0]).toMatchObject({ method: 'POST', url: path, body: '{"model":"m"}' });
      expect(seen[0]?.headers).toMatchObject({ ...carried, 'anthropic-version': '2023-06-01' });
      const { authorization, 'x-api-key': key, cookie, 'x-forwarded-for': from } = seen[0]?.headers ?? {};
      expect([authorization, key].filter((each) => each !== undefined)).toEqual(Object.values(carried));
      expect([cookie, from]).toEqual([undefined, undefined]);
      expect(JSON.stringify(seen)).not.toContain(relay.placeholder);
    },
  );

  test.each([
    ['https://models.example/v1', '/v1/responses'],
    ['https://models.example/gateway/openai/v1/', '/v1/responses'],
  ])('a base address may be written with the version: %s', async (base, path) => {
    const { endpointUrl } = await import('./wire-routes.ts');
    expect(endpointUrl(base, path).href).toBe(`${base.replace(/\/v1\/?$/, '')}${path}`);
  });

  test.each([
    ['GET', '/v1/messages'],
    ['GET', '/v1/models'],
    ['POST', '/v1/responses'],
    ['POST', '/v1/messages/batches'],
    ['POST', '/v1/messages/../files'],
    ['POST', '/v1/messages?key=a/b'],
    ['POST', '//v1/messages'],
    ['POST', 'http://elsewhere.example/v1/messages'],
    ['DELETE', '/v1/messages'],
  ])('FF-136: %s %s does not exist, and the answer says what does', async (method, path) => {
    const { url, seen } = await startEndpoint(ok);
    const relay = await openRelay(url);
    const got = await ask(relay, { method, path });
    expect(got.status).toBe(404);
    expect(got.text).toContain('POST /v1/messages');
    expect(seen).toEqual([]);
    expect(relay.traffic).toMatchObject({ requests: 0, refused: 1 });
  });

  test('the look whether somebody is there is answered here', async () => {
    const { url, seen } = await startEndpoint(ok);
    const relay = await openRelay(url);
    expect(await ask(relay, { method: 'HEAD', path: '/', headers: {} })).toMatchObject({ status: 200 });
    expect([seen, relay.traffic.refused]).toEqual([[], 0]);
  });

  test.each<Record<string, string>>([
    {},
    { 'x-api-key': 'placeholder-guessed' },
    { authorization: `Bearer ${KEY}` },
  ])('DI-063: no other credential than the placeholder passes, the real one neither: %j', async (headers) => {
    const { url, seen } = await startEndpoint(ok);
    const relay = await openRelay(url);
    expect((await ask(relay, { headers })).status).toBe(401);
    expect([seen, relay.traffic.refused]).toEqual([[], 1]);
  });
});

describe('what comes back', () => {
  test('a stream arrives piece by piece, and a cut one never looks whole (FF-122)', async () => {
    let goOn: () => void = () => {};
    const { url } = await startEndpoint(async (_seen, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: {"n":1}\n\n');
      await new Promise<void>((resolve) => (goOn = resolve));
      response.write('data: {"n":2}\n\n');
      await delay(20);
      response.destroy();
    });
    const relay = await openRelay(url);
    const got = await ask(relay, { onData: () => goOn() });
    expect(got).toMatchObject({ status: 200, text: 'data: {"n":1}\n\ndata: {"n":2}\n\n', isWhole: false });
    expect(got.headers['content-type']).toBe('text/event-stream');
    await until('it is counted', () => relay.traffic.failed === 1);
    expect(relay.traffic).toMatchObject({ requests: 1, failed: 1, received_bytes: 30 });
    expect(relay.troubles.join()).toContain('the model endpoint here (127.0.0.1:');
  });

  test('EX-202: an endpoint that repeats the credential does not bring it into the sandbox', async () => {
    const base64 = Buffer.from(KEY).toString('base64');
    const { url } = await startEndpoint(async (_seen, response) => {
      response.writeHead(400, { 'x-echo': `key ${KEY}`, 'set-cookie': 'a=b', 'www-authenticate': KEY });
      response.write(`{"error":"bad key ${KEY.slice(0, 9)}`);
      await delay(30);
      response.end(`${KEY.slice(9)}, ${base64}"}`);
    });
    const relay = await openRelay(url);
    const { text, headers, status, isWhole } = await ask(relay);
    expect([status, isWhole]).toEqual([400, true]);
    expect(text).toMatch(/^\{"error":"bad key <redacted:secret>, <redacted:secret>.{0,4}"\}$/);
    expect(headers['x-echo']).toBe('key <redacted:secret>');
    expect(headers['set-cookie'] ?? headers['www-authenticate']).toBeUndefined();
  });

  test('a redirect is not followed and not passed on', async () => {
    const target = await startEndpoint(ok);
    const { url } = await startEndpoint((_seen, response) => {
      response.writeHead(307, { location: `${target.url}/v1/messages` });
      response.end();
    });
    const relay = await openRelay(url);
    const got = await ask(relay);
    expect(got.status).toBe(502);
    expect(got.text).toContain('redirect (307)');
    expect(got.headers.location).toBeUndefined();
    expect(target.seen).toEqual([]);
  });

  test('an encoding that was not asked for could hide the credential and is refused', async () => {
    const { url } = await startEndpoint((_seen, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      response.end('x');
    });
    expect(await ask(await openRelay(url))).toMatchObject({ status: 502 });
  });

  test('FF-123, FF-126: a refusal comes back as it is, and tells the operator its kind and never the key', async () => {
    const { url } = await startEndpoint((_seen, response) => {
      response.writeHead(429, { 'retry-after': '30' });
      response.end('{"type":"error"}');
    });
    const relay = await openRelay(url);
    const got = await ask(relay);
    expect(got).toMatchObject({ status: 429, text: '{"type":"error"}' });
    expect(got.headers['retry-after']).toBe('30');
    expect(relay.troubles).toEqual(['the model endpoint here answered 429: its limit is reached']);
    expect(relay.traffic).toMatchObject({ requests: 1, failed: 1, refused: 0 });
  });

  test("a refused credential is the operator's trouble: the agent is told so and need not try again", async () => {
    const { url } = await startEndpoint((_seen, response) => {
      response.writeHead(401);
      response.end(`{"error":"no such key ${KEY}"}`);
    });
    const relay = await openRelay(url);
    const got = await ask(relay);
    const text = `the model endpoint here (${new URL(url).host}) failed: it refuses its credential (401), so its secret is wrong`;
    expect([got.status, JSON.parse(got.text)]).toEqual([
      400,
      { type: 'error', error: { type: 'invalid_request_error', message: text } },
    ]);
    expect(relay.troubles).toEqual([text]);
  });

  test('an endpoint that is not there is an answer in the shape of the wire', async () => {
    const relay = await openRelay('http://127.0.0.1:9', { kind: 'openai' });
    const got = await ask(relay, { path: '/v1/responses' });
    expect(got.status).toBe(502);
    expect(JSON.parse(got.text)).toEqual({
      error: {
        type: 'api_error',
        code: null,
        message: 'the model endpoint here (127.0.0.1:9) failed: ECONNREFUSED',
      },
    });
  });
});

describe('bounds', () => {
  const limits = { requestBytes: 1_000, responseBytes: 2_000, silenceMs: 300 };

  test.each(['with', 'without'])(
    'a request that is too large is refused, %s its length told before',
    async (how) => {
      const { url } = await startEndpoint(ok);
      const relay = await openRelay(url, {}, { limits });
      const body = Buffer.alloc(200_000, 'a');
      const length: Record<string, string> = how === 'with' ? { 'content-length': String(body.length) } : {};
      const headers = { 'x-api-key': relay.placeholder, 'transfer-encoding': 'chunked', ...length };
      if (how === 'with') Reflect.deleteProperty(headers, 'transfer-encoding');
      const got = await ask(relay, { headers, body });
      expect([got.status, got.isWhole]).toEqual([413, true]);
      expect(got.text).toContain('1000 bytes');
    },
  );

  test('an answer that is too long is cut', async () => {
    const { url } = await startEndpoint((_seen, response) => void response.end(Buffer.alloc(50_000, 'a')));
    const relay = await openRelay(url, {}, { limits });
    const got = await ask(relay);
    expect(got.isWhole).toBe(false);
    expect(got.text.length).toBeLessThan(50_000);
  });

  test.each(['before', 'within'])('silence %s an answer ends it', async (where) => {
    const { url } = await startEndpoint((_seen, response) => {
      if (where === 'within') response.write('begun');
    });
    const relay = await openRelay(url, {}, { limits });
    const got = await ask(relay);
    if (where === 'before') expect([got.status, got.text]).toEqual([504, expect.stringContaining('300 ms')]);
    else expect(got).toMatchObject({ status: 200, text: 'begun', isWhole: false });
    await until('it is counted', () => relay.traffic.failed === 1);
  });

  test('an agent that hangs up ends its request at the endpoint too', async () => {
    let closed: () => void = () => {};
    const gone = new Promise<void>((resolve) => (closed = resolve));
    const { url } = await startEndpoint((_seen, response) => {
      response.on('close', () => closed());
      response.write('begun');
    });
    const relay = await openRelay(url);
    const outgoing = request({
      socketPath: relay.socketPath,
      method: 'POST',
      path: '/v1/messages',
      headers: { 'x-api-key': relay.placeholder },
    });
    outgoing.on('error', () => {});
    outgoing.end('{}');
    await once(outgoing, 'response');
    outgoing.destroy();
    await gone;
    expect(relay.troubles).toEqual([]);
  });

  test('FF-169: a directory deeper than a socket address holds one all the same, and closing removes it', async () => {
    const { url } = await startEndpoint(ok);
    const directory = join(scratch(), 'a directory with blanks'.repeat(3), 'ü'.repeat(60), 'model');
    const relay = await openRelay(url, {}, { directory });
    expect(Buffer.byteLength(relay.socketPath)).toBeGreaterThan(108);
    const held = openSync(directory, 'r');
    onTestFinished(() => closeSync(held));
    const socketPath = `/proc/self/fd/${held}/relay.sock`;
    expect(await ask(relay, { socketPath })).toMatchObject({ status: 200 });
    relay.close();
    expect(existsSync(relay.socketPath)).toBe(false);
  });
});
