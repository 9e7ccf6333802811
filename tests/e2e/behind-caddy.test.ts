import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { palisade, until } from '../support/installation.ts';
import { place } from '../support/place.ts';
import { served } from '../support/served.ts';

const hasCaddy = spawnSync('caddy', ['version']).status === 0;
const PASSWORD = 'correct horse battery';

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Caddy with the example's text, for a name and a certificate of its own on this machine. */
async function caddy(port: number, upstream: string) {
  const home = mkdtempSync(join(tmpdir(), 'palisade-caddy-'));
  const example = readFileSync(new URL('../../deploy/caddy/Caddyfile', import.meta.url), 'utf8');
  const text = example
    .replace('palisade.example {', `https://localhost:${port} {\n\ttls internal\n\tbind 127.0.0.1`)
    .replace('127.0.0.1:7420', upstream);
  expect(text).toContain(upstream);
  const global = '{\n\tadmin off\n\tauto_https disable_redirects\n\tskip_install_trust\n}\n';
  writeFileSync(join(home, 'Caddyfile'), `${global}${text}`);
  const child = spawn('caddy', ['run', '--config', 'Caddyfile'], {
    cwd: home,
    env: { PATH: process.env['PATH'], HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => (log += part));
  const ended = new Promise((resolve) => child.once('close', resolve));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
    rmSync(home, { recursive: true, force: true });
  });
  const root = join(home, 'caddy/pki/authorities/local/root.crt');
  await until('the proxy to have its certificate', async () => {
    if (child.exitCode !== null) throw new Error(log);
    return existsSync(root) && log.includes('serving initial configuration') ? true : undefined;
  });
  return { root, log: () => log };
}

it.skipIf(!hasCaddy)(
  'AC-038 AO-210: behind the example of a proxy commands, people and event streams work as without it, and its log tells no secret',
  {
    timeout: 180_000,
  },
  async () => {
    const { root, home, env: own } = place();
    const port = await freePort();
    const origin = `https://localhost:${port}`;
    const server = await served(root, own, '127.0.0.1:0', ['--behind-tls', '--public-origin', origin]);
    const proxy = await caddy(port, new URL(server.url).host);
    const ca = readFileSync(proxy.root);

    const ask = (
      path: string,
      options: { method?: string; headers?: Record<string, string>; body?: object } = {},
    ) =>
      new Promise<IncomingMessage>((resolve, reject) => {
        const { method = 'GET', headers = {}, body } = options;
        const type = body === undefined ? {} : { 'content-type': 'application/json' };
        request(`${origin}${path}`, { ca, method, headers: { ...headers, ...type } }, resolve)
          .once('error', reject)
          .end(body === undefined ? undefined : JSON.stringify(body));
      });
    const text = async (message: IncomingMessage): Promise<string> => {
      let all = '';
      for await (const part of message.setEncoding('utf8')) all += part as string;
      return all;
    };

    // What is told on the machine alone stays there.
    for (const path of ['/metrics', '/readyz']) expect((await ask(path)).statusCode).toBe(404);
    expect((await fetch(new URL('/readyz', server.url))).status).toBe(200);

    // Commands.
    const issued = await palisade(root, ['principal', 'create', 'helper', '--json'], own);
    const { token } = JSON.parse(issued.stdout) as { token: string };
    const env = {
      ...own,
      NODE_EXTRA_CA_CERTS: proxy.root,
      XDG_STATE_HOME: join(home, 'state'),
      PALISADE_SERVER: origin,
      PALISADE_TOKEN: token,
    };
    writeFileSync(join(home, 'plan.json'), '{"items":[{"id":"a","command":"sleep 4"}]}');
    const run = await palisade(home, ['run', 'plan.json', '--detach', '-q'], env);
    expect(run, run.stderr).toMatchObject({ code: 0 });
    const id = run.stdout.trim();

    // An event stream: what is there comes at once and not at the end.
    const stream = await ask(`/v1/projects/default/events?run=${id}`, {
      headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' },
    });
    expect(stream.statusCode).toBe(200);
    let frames = '';
    for await (const part of stream.setEncoding('utf8')) {
      if (frames === '') expect((await palisade(home, ['show', id], env)).stdout).toContain('running');
      frames += part as string;
    }
    expect(frames).toContain('event: end');

    expect((await ask('/v1/info?note=private-words')).statusCode).toBe(400);

    // People: the cookie is of the public origin, and nobody else's page signs in.
    await palisade(root, ['init-admin', '--username', 'ada', '--password-stdin'], own, `${PASSWORD}\n`);
    const body = { username: 'ada', password: PASSWORD };
    const signedIn = await ask('/v1/auth/login', { method: 'POST', headers: { origin }, body });
    expect(signedIn.statusCode, await text(signedIn)).toBe(200);
    const cookie = signedIn.headers['set-cookie']?.[0] ?? '';
    expect(cookie).toMatch(/^__Host-.*; Secure/);
    const me = await ask('/v1/auth/me', { headers: { cookie: cookie.split(';')[0] ?? '' } });
    expect(JSON.parse(await text(me))).toMatchObject({ actor: { name: 'ada' } });
    const evil = await ask('/v1/auth/login', {
      method: 'POST',
      headers: { origin: 'https://evil.example' },
      body,
    });
    expect(evil.statusCode).toBe(403);

    const secrets = [token, PASSWORD, 'private-words', cookie.split(/[=;]/)[1] ?? token];
    await until('the log of the last request', async () =>
      proxy.log().includes('"status":403') ? true : undefined,
    );
    expect(proxy.log()).toContain(`/v1/projects/default/events`);
    for (const secret of secrets) expect(`${proxy.log()}${server.log()}`).not.toContain(secret);
  },
);
