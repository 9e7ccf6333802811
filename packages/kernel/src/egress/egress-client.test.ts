import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isPalisadeError } from '@palisade/contracts';
import { afterEach, describe, expect, test } from 'vitest';
import { EgressClient, type EgressClientOptions, type EgressRequest } from './egress-client.ts';

const open: { close: () => unknown }[] = [];
afterEach(() => {
  for (const one of open.splice(0)) one.close();
});

async function listening(server: Pick<Server, 'listen' | 'once' | 'address' | 'close'>): Promise<number> {
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  return (server.address() as AddressInfo).port;
}

/** A server on this machine that keeps what it was asked. */
async function serve(answer: RequestListener) {
  const seen: { url: string; headers: Record<string, unknown> }[] = [];
  const server = createServer((request, response) => {
    seen.push({ url: request.url ?? '', headers: request.headers });
    answer(request, response);
  });
  return { port: await listening(server), seen };
}

const LOOPBACK: EgressClientOptions = { allowLocal: true, resolve: async () => ['127.0.0.1'] };

async function refusal(options: EgressClientOptions, request: EgressRequest): Promise<string> {
  try {
    const { status } = await new EgressClient(options).request(request);
    return `answered ${status}`;
  } catch (error) {
    return isPalisadeError(error) ? `${error.code}: ${error.message}` : `not ours: ${String(error)}`;
  }
}

describe('the client for the outside', () => {
  test('EX-215: sends what it is given and gives back the whole reply', async () => {
    const { port, seen } = await serve((request, response) => {
      request.pipe(response.writeHead(201, { 'X-Kind': 'echo' }));
    });
    const reply = await new EgressClient(LOOPBACK).request({
      url: `http://hook.test:${port}/a?b=1`,
      method: 'POST',
      headers: { 'Content-Type': 'text/plain' },
      body: Buffer.from('hello'),
    });
    expect([reply.status, reply.body.toString(), reply.headers['x-kind'], reply.url]).toEqual([
      201,
      'hello',
      'echo',
      `http://hook.test:${port}/a?b=1`,
    ]);
    expect(seen).toMatchObject([
      {
        url: '/a?b=1',
        headers: { host: `hook.test:${port}`, 'content-type': 'text/plain', 'accept-encoding': 'identity' },
      },
    ]);
  });

  test.each([
    ['http://169.254.169.254/latest/meta-data', { allowLocal: true }],
    ['https://[::ffff:169.254.169.254]/', { allowLocal: true }],
    ['https://[::ffff:127.0.0.1]/', {}],
    ['https://127.0.0.1/', {}],
    ['https://2130706433/', {}],
    ['https://0x7f.1/', {}],
    ['https://0.0.0.0/', { allowLocal: true }],
    ['https://[::1]/', {}],
    ['https://10.1.2.3/', {}],
    ['http://93.184.216.34/', { allowLocal: true }],
    ['http://93.184.216.34/', {}],
    ['ftp://files.test/', {}],
    ['file:///etc/passwd', {}],
    ['https://ann:secret@hook.test/', {}],
    ['not an address', {}],
  ])('EX-215: %s is not called', async (url, options) => {
    const said = await refusal(options, { url });
    expect(said).toMatch(/^policy_denied: /);
    expect(said).not.toContain('secret');
  });

  test('EX-215: every answer of the resolver is judged, and one that is local condemns the name', async () => {
    const { port, seen } = await serve((_, response) => response.end());
    for (const answers of [
      ['127.0.0.1'],
      ['93.184.216.34', '127.0.0.1'],
      ['93.184.216.34', 'fe80::1'],
      ['nonsense'],
    ]) {
      const said = await refusal({ resolve: async () => answers }, { url: `https://hook.test:${port}/` });
      expect(said).toMatch(/^policy_denied: hook\.test:\d+ is at /);
    }
    expect(seen).toEqual([]);
  });

  test('EX-215: a name that answers otherwise the second time is not asked a second time', async () => {
    const { port, seen } = await serve((_, response) => response.end('here'));
    let asked = 0;
    const resolve = async (): Promise<string[]> => (asked++ === 0 ? ['127.0.0.1'] : ['169.254.169.254']);
    const reply = await new EgressClient({ allowLocal: true, resolve }).request({
      url: `http://hook.test:${port}/`,
    });
    expect([reply.body.toString(), asked, seen.length]).toEqual(['here', 1, 1]);
  });

  test('EX-215: a redirect is the reply unless redirects are allowed, and never repeats an effect', async () => {
    const { port, seen } = await serve((request, response) => {
      if (request.url === '/old') response.writeHead(302, { location: '/new' }).end();
      else response.end('new');
    });
    const client = new EgressClient(LOOPBACK);
    const url = `http://hook.test:${port}/old`;
    expect((await client.request({ url })).status).toBe(302);
    const posted = await client.request({ url, method: 'POST', body: Buffer.from('x'), maxRedirects: 5 });
    expect(posted.status).toBe(302);
    const followed = await client.request({ url, maxRedirects: 1 });
    expect([followed.body.toString(), followed.url]).toEqual(['new', `http://hook.test:${port}/new`]);
    expect(seen.map((one) => one.url)).toEqual(['/old', '/old', '/old', '/new']);
  });

  test('EX-215: a redirect is judged like the first address, and carries no credential to another origin', async () => {
    const inner = await serve((_, response) => response.end('inner'));
    let to = 'http://169.254.169.254/';
    const outer = await serve((_, response) => response.writeHead(307, { location: to }).end());
    const request = {
      url: `http://hook.test:${outer.port}/`,
      headers: { Authorization: 'Bearer t', Cookie: 'c=1', 'X-Kind': 'k' },
      maxRedirects: 3,
    };
    expect(await refusal(LOOPBACK, request)).toBe('policy_denied: 169.254.169.254 is at 169.254.169.254');
    to = 'file:///etc/passwd';
    expect(await refusal(LOOPBACK, request)).toMatch(/^policy_denied/);
    to = `http://other.test:${inner.port}/`;
    expect(await refusal(LOOPBACK, request)).toBe('answered 200');
    expect(inner.seen[0]?.headers).toMatchObject({ 'x-kind': 'k' });
    expect(inner.seen[0]?.headers).not.toMatchObject({ authorization: expect.anything() });
    expect(inner.seen[0]?.headers).not.toMatchObject({ cookie: expect.anything() });
    // A circle ends where the allowed number ends.
    to = '/';
    expect(await refusal(LOOPBACK, request)).toBe('answered 307');
  });

  test('EX-215: a reply above its bound is refused, whatever it says of its length', async () => {
    const { port } = await serve((_, response) => {
      for (let i = 0; i < 64; i++) response.write(Buffer.alloc(1024));
      response.end();
    });
    const said = await refusal(LOOPBACK, { url: `http://hook.test:${port}/`, maxReplyBytes: 10_000 });
    expect(said).toMatch(/^too_large: the reply of hook\.test:\d+ has more than 10000 bytes$/);
  });

  test('EX-215: a peer that is silent or slow costs no more than the time allowed', async () => {
    const silent = await listening(createTcpServer(() => undefined) as unknown as Server);
    const trickle = await serve((_, response) => {
      const timer = setInterval(() => response.write('x'), 5);
      response.once('close', () => clearInterval(timer));
    });
    for (const port of [silent, trickle.port])
      expect(await refusal(LOOPBACK, { url: `http://hook.test:${port}/`, timeoutMs: 100 })).toMatch(
        /^upstream_failed: hook\.test:\d+ did not answer within 100 ms$/,
      );
    const stuck = { ...LOOPBACK, resolve: () => new Promise<never>(() => undefined) };
    expect(await refusal(stuck, { url: 'http://hook.test/', timeoutMs: 100 })).toMatch(/^upstream_failed/);
    const stop = AbortSignal.abort();
    expect(await refusal(LOOPBACK, { url: 'http://hook.test/', signal: stop })).toMatch(/^canceled/);
  });

  test('EX-215: a peer that refuses, breaks off or speaks something else is a fault that may pass', async () => {
    const { port } = await serve((request, response) => {
      if (request.url === '/cut') response.writeHead(200, { 'content-length': '10' }).write('half');
      setImmediate(() => request.socket.destroy());
    });
    const babble = await listening(
      createTcpServer((socket) => socket.end('SSH-2.0\r\n')) as unknown as Server,
    );
    const gone = await serve((_, response) => response.end());
    for (const one of open.splice(-1)) one.close();
    const calls: [number, string, EgressClientOptions?][] = [
      [port, 'http://hook.test:PORT/'],
      [port, 'http://hook.test:PORT/cut'],
      [babble, 'http://hook.test:PORT/'],
      [gone.port, 'http://hook.test:PORT/'],
      [port, 'https://hook.test:PORT/'],
      [port, 'http://hook.test:PORT/', { allowLocal: true, resolve: async () => [] }],
      [port, 'http://name.invalid:PORT/', { allowLocal: true }],
    ];
    for (const [at, url, options = LOOPBACK] of calls)
      expect(await refusal(options, { url: url.replace('PORT', String(at)) })).toMatch(/^upstream_failed: /);
  });

  test('EX-215: a certificate has to be for the name that was asked for', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'palisade-egress-'));
    open.push({ close: () => rmSync(dir, { recursive: true }) });
    const certificate = join(dir, 'c.pem');
    const key = join(dir, 'k.pem');
    const subject = ['-subj', '/CN=hook.test', '-addext', 'subjectAltName=DNS:hook.test'];
    const fresh = [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-days',
      '2',
    ];
    execFileSync('openssl', [...fresh, ...subject, '-keyout', key, '-out', certificate], { stdio: 'pipe' });
    const ca = readFileSync(certificate, 'utf8');
    const server = createTlsServer({ cert: ca, key: readFileSync(key) }, (_, response) => response.end());
    const port = await listening(server);
    const call = (host: string, options: EgressClientOptions) =>
      refusal(
        { ...LOOPBACK, ...options },
        { url: `https://${host}:${port}/`, headers: { Host: 'hook.test' } },
      );
    expect(await call('hook.test', { ca })).toBe('answered 200');
    expect(await call('hook.test', {})).toMatch(/^upstream_failed/);
    expect(await call('other.test', { ca })).toMatch(/^upstream_failed/);
    expect(await call('127.0.0.1', { ca })).toMatch(/^upstream_failed/);
  });
});
