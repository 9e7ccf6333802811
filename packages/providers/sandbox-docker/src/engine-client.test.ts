import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { scriptedEngine } from '../test/scripted-engine.ts';
import { EngineClient } from './engine-client.ts';
import { EngineError } from './engine-error.ts';

const ID = 'ab'.repeat(32);
const UPGRADED = 'HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n';

async function errorOf(promise: Promise<unknown>): Promise<EngineError> {
  const error: unknown = await promise.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof EngineError)) throw new Error(`not an EngineError: ${String(error)}`);
  return error;
}

/** Every request of a client, each with what its answer is about. */
const requests = (client: EngineClient): readonly (() => Promise<unknown>)[] => [
  () => client.ping(),
  () => client.image('sha256:x'),
  () => client.create({}),
  () => client.attach(ID, 'output'),
  () => client.start(ID),
  () => client.wait(ID),
  () => client.kill(ID, 'SIGTERM'),
  () => client.wasOutOfMemory(ID),
  () => client.remove(ID),
  () => client.list('a=b'),
];

test('FF-129: of a refusal the status and the kind of trouble are kept, and no word of the engine', async () => {
  for (const [status, message, code] of [
    [404, 'No such image: canary', null],
    [409, 'Conflict. The canary is already in use', null],
    [400, 'invalid mount config for type "bind": bind source path does not exist: /canary', 'UNSEEN_PATH'],
    [500, 'OCI runtime create failed: exec: "canary": executable file not found in $PATH', 'ENOENT'],
    [500, 'failed to create shim: exec /canary: permission denied: unknown', 'EACCES'],
  ] as const) {
    const { client } = await scriptedEngine({
      answer: (_request, response) => response.writeHead(status).end(JSON.stringify({ message })),
    });
    for (const request of [() => client.create({}), () => client.start(ID), () => client.wait(ID)]) {
      const error = await errorOf(request());
      expect([error.status, error.code]).toEqual([status, code]);
      expect(`${error.message} ${error.stack} ${JSON.stringify(error)}`).not.toContain('canary');
    }
  }
});

test('a container that is gone already is no error for whoever wants it gone', async () => {
  for (const [status, gone] of [
    [204, true],
    [404, true],
    [409, false],
  ] as const) {
    const { client } = await scriptedEngine({
      answer: (_request, response) => response.writeHead(status).end(),
    });
    expect(await client.remove(ID)).toBe(gone);
    await client.kill(ID, 'SIGKILL');
  }
});

test('answers that are none of the engine are refused, whatever they are', async () => {
  const bodies: readonly string[] = [
    '',
    'null',
    '[]',
    '<html>',
    '{"Id":"../../../etc"}',
    '{"Id":7}',
    '[{"Id":"x/../.."}]',
    '{"StatusCode":"0"}',
    '{"StatusCode":1.5}',
    '{"StatusCode":0,"Error":{"Message":"canary"}}',
    '{"State":null}',
  ];
  for (const body of bodies) {
    const { client } = await scriptedEngine({
      answer: (request, response) =>
        response.writeHead(request.url?.includes('create') === true ? 201 : 200).end(body),
    });
    const asked = [() => client.create({}), () => client.wait(ID), () => client.image('sha256:x')];
    for (const request of asked) expect((await errorOf(request())).message).not.toContain('canary');
    if (body !== '[]') expect((await errorOf(client.list('a=b'))).code).toBe('BAD_ANSWER');
  }
});

test('an answer without end is not read to its end', async () => {
  const { client } = await scriptedEngine({
    answer: (_request, response) => {
      response.writeHead(200);
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(1024 * 1024, 'x')));
      };
      response.on('drain', more).on('error', () => {});
      more();
    },
  });
  expect((await errorOf(client.list('a=b'))).code).toBe('ANSWER_TOO_LARGE');
});

test('an engine that is not there, hangs up, or goes in the middle of an answer is an error of every request', async () => {
  const missing = new EngineClient({ kind: 'unix', path: '/nonexistent/engine.sock' });
  for (const request of requests(missing)) expect((await errorOf(request())).code).toBe('ENOENT');
  const { client: deaf } = await scriptedEngine({
    answer: (request) => request.socket.destroy(),
    attach: (_request, socket) => socket.destroy(),
  });
  for (const request of requests(deaf)) expect((await errorOf(request())).code).toBe('ECONNRESET');
  const { client: dying } = await scriptedEngine({
    answer: (request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('{"StatusCode":');
      setTimeout(() => request.socket.destroy(), 20);
    },
  });
  for (const request of [() => dying.wait(ID), () => dying.list('a=b')])
    expect((await errorOf(request())).status).toBe(null);
});

test('an attached connection carries every byte, also those that came with the answer', async () => {
  const { client } = await scriptedEngine({
    attach: (request, socket) => {
      expect(request.url).toContain(`/containers/${ID}/attach?stream=1&stdin=0&stdout=1&stderr=1`);
      socket.write(`${UPGRADED}early`);
      setTimeout(() => socket.end(' late'), 20);
    },
  });
  expect((await buffer(await client.attach(ID, 'output'))).toString()).toBe('early late');
});

test('an attached connection can be ended in one direction while the other goes on', async () => {
  const { client } = await scriptedEngine({
    attach: (_request, socket) => {
      socket.write(UPGRADED);
      void buffer(socket as Duplex).then((given) => socket.end(`got ${given.length}`));
    },
  });
  const input = await client.attach(ID, 'input');
  input.end(Buffer.alloc(300_000));
  expect((await buffer(input)).toString()).toBe('got 300000');
});

test('an attach that is refused, or answered without a change of protocol, is an error', async () => {
  for (const status of [200, 404, 409, 500]) {
    const { client } = await scriptedEngine({
      attach: (_request, socket) =>
        socket.end(`HTTP/1.1 ${status} No\r\nContent-Length: 20\r\n\r\n{"message":"canary"}`),
    });
    const error = await errorOf(client.attach(ID, 'output'));
    expect(error.status).toBe(status);
    expect(error.message).not.toContain('canary');
  }
});

/** A directory with an authority, and a server and a client it vouches for. */
function certificates(): string {
  const dir = mkdtempSync(join(tmpdir(), 'pal-certs-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const openssl = (...args: string[]): Buffer =>
    execFileSync('openssl', args, { cwd: dir, stdio: ['ignore', 'pipe', 'ignore'] });
  const fresh = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  openssl('req', '-x509', ...fresh, '-subj', '/CN=ca', '-keyout', 'ca-key.pem', '-out', 'ca.pem');
  writeFileSync(join(dir, 'names'), 'subjectAltName=IP:127.0.0.1');
  for (const [name, prefix] of [
    ['server', 'server-'],
    ['client', ''],
  ] as const) {
    openssl('req', ...fresh, '-subj', `/CN=${name}`, '-keyout', `${prefix}key.pem`, '-out', 'request');
    const by = ['-CA', 'ca.pem', '-CAkey', 'ca-key.pem', '-CAcreateserial', '-extfile', 'names'];
    openssl('x509', '-req', '-in', 'request', ...by, '-out', `${prefix}cert.pem`);
  }
  return dir;
}

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

test.skipIf(!hasOpenssl)('over TCP both sides prove who they are (needs openssl)', async () => {
  const [dir, stranger] = [certificates(), certificates()];
  const read = (name: string): Buffer => readFileSync(join(dir, name));
  const server = createServer(
    {
      ca: read('ca.pem'),
      cert: read('server-cert.pem'),
      key: read('server-key.pem'),
      requestCert: true,
      rejectUnauthorized: true,
    },
    (_request, response) => response.end('OK'),
  );
  server.on('upgrade', (_request, socket) => void socket.end(`${UPGRADED}frames`));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const at = (host: string, of: string): EngineClient =>
    new EngineClient({ kind: 'tcp', host, port, certificates: of });
  const known = at('127.0.0.1', dir);
  await known.ping();
  expect((await buffer(await known.attach(ID, 'output'))).toString()).toBe('frames');
  expect((await errorOf(at('127.0.0.1', stranger).ping())).status).toBe(null);
  expect((await errorOf(at('localhost', dir).ping())).code).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
  expect((await errorOf(at('127.0.0.1', '/nonexistent').ping())).code).toBe('CERTIFICATES_ENOENT');
});
