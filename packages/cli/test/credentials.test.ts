import { execFile } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { remoteCaller } from '@palisade/client';
import { cancelRun, listRuns } from '@palisade/contracts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { credentialsFile, keepToken, tokenFor } from '../src/server/credentials.ts';
import { Place } from './place.ts';

const OURS = 'pal_canary_of_ours';
const THEIRS = 'pal_canary_of_theirs';
const never = new AbortController().signal;

/** A server that writes down what it is sent, and answers with a redirection when it is given one. */
async function listener(location?: string) {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers.authorization ?? 'nobody'}`);
    response.writeHead(location === undefined ? 200 : 307, location === undefined ? {} : { location });
    response.end('{"data":[],"has_more":false}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { seen, port, origin: `http://127.0.0.1:${port}` };
}

function place(): Place {
  const made = new Place({ runs: [] });
  onTestFinished(() => made[Symbol.dispose]());
  return made;
}

/** A place whose repository names a server. */
function bound(server: string): Place {
  const made = place();
  writeFileSync(join(made.directory, '.palisade.toml'), `server = "${server}"\n`);
  return made;
}
const keep = (made: Place, origin: string, token: string) =>
  keepToken(credentialsFile(made.env()), { origin, token }, never);

describe('which server gets which token', () => {
  it('AO-026: a repository that names a server gets that server its own token, and no other', async () => {
    const ours = await listener();
    const theirs = await listener();
    const made = bound(theirs.origin);
    await keep(made, ours.origin, OURS);
    const stranger = await made.pal(['status']);
    expect(stranger.code).toBe(3);
    expect(stranger.stderr).toContain(join(made.directory, '.palisade.toml'));
    expect(stranger.stderr + stranger.stdout).not.toContain(OURS);
    expect([...theirs.seen, ...ours.seen]).toEqual([]);
    await keep(made, theirs.origin, THEIRS);
    await made.pal(['status']);
    expect(theirs.seen.length).toBeGreaterThan(0);
    for (const line of theirs.seen) expect(line).toMatch(new RegExp(`Bearer ${THEIRS}$`));
    expect(ours.seen).toEqual([]);
  });

  it('AO-029: a token of the environment goes to the server of the environment alone', async () => {
    const theirs = await listener();
    const ours = await listener();
    const made = bound(theirs.origin);
    const lone = await made.pal(['status'], { env: { PALISADE_TOKEN: OURS } });
    expect(lone.code).toBe(3);
    expect(theirs.seen).toEqual([]);
    await made.pal(['status'], { env: { PALISADE_TOKEN: OURS, PALISADE_SERVER: ours.origin } });
    expect(theirs.seen).toEqual([]);
    expect(ours.seen.join()).toContain(`Bearer ${OURS}`);
    // Whoever has logged in to a server sends that token there, not the variable's.
    await keep(made, theirs.origin, THEIRS);
    await made.pal(['status'], { env: { PALISADE_TOKEN: OURS } });
    expect(theirs.seen.join()).toContain(THEIRS);
    expect(theirs.seen.join()).not.toContain(OURS);
  });

  it('AO-026 FF-165 FF-167: what looks like the server of a token is not it, and what is no plain origin is refused', async () => {
    const { port, seen, origin } = await listener();
    const made = place();
    await keep(made, origin, OURS);
    for (const name of [`localhost:${port}`, `127.0.0.1:${port + 1}`, `127.0.0.2:${port}`, `[::1]:${port}`]) {
      writeFileSync(join(made.directory, '.palisade.toml'), `server = "http://${name}"\n`);
      expect((await made.pal(['status'])).code, name).toBe(3);
    }
    for (const name of [
      `http://127.0.0.1:${port}@evil.example`,
      `http://user@127.0.0.1:${port}`,
      `http://:word@127.0.0.1:${port}`,
      `${origin}/v1`,
      `${origin}/?x`,
      `${origin}/#x`,
      'http://evil.example',
      `http://127.evil.example:${port}`,
      `blob:${origin}/x`,
    ]) {
      writeFileSync(join(made.directory, '.palisade.toml'), `server = "${name}"\n`);
      const { code, stderr } = await made.pal(['status']);
      expect(code, name).toBe(2);
      expect(stderr).not.toContain(OURS);
    }
    expect(seen).toEqual([]);
    const env = made.env();
    expect(tokenFor(origin, env)).toBe(OURS);
    for (const other of ['https://a.example.', 'null', `blob:${origin}`])
      expect(tokenFor(other, env)).toBeUndefined();
    await keep(made, 'https://a.example:443', THEIRS);
    expect(tokenFor('https://a.example', env)).toBe(THEIRS);
    // Written otherwise it is the same origin.
    writeFileSync(join(made.directory, '.palisade.toml'), `server = "HTTP://127.0.0.1:${port}/"\n`);
    await made.pal(['status']);
    expect(seen.join()).toContain(OURS);
  });

  it('AO-031: a redirection is not followed, to whatever server', async () => {
    const theirs = await listener();
    const ours = await listener(`${theirs.origin}/v1/projects/default/runs`);
    const made = place();
    const file = join(made.directory, 'token');
    writeFileSync(file, OURS);
    expect((await made.pal(['login', ours.origin, '--file', file])).code).toBe(7);
    const remote = remoteCaller({ origin: ours.origin, token: OURS, patienceMs: 0 });
    await expect(remote.call(listRuns, {})).rejects.toMatchObject({ code: 'upstream_failed' });
    await expect(remote.call(cancelRun, { run: 'x' })).rejects.toMatchObject({ code: 'upstream_failed' });
    expect(ours.seen.length).toBe(3);
    expect(theirs.seen).toEqual([]);
  });
});

describe('the file of credentials', () => {
  it('AO-026: ten logins at once lose no token, and readers never see half a file', async () => {
    const made = place();
    const file = credentialsFile(made.env());
    const code = fileURLToPath(new URL('../src/server/credentials.ts', import.meta.url));
    const script = `import(process.argv[1]).then(({ keepToken }) => keepToken(process.argv[2], { origin: process.argv[3], token: 't' }, new AbortController().signal))`;
    const run = promisify(execFile);
    const origins = Array.from({ length: 10 }, (_, n) => `https://s${n}.example`);
    const reader = setInterval(() => tokenFor('https://s0.example', made.env()), 1);
    onTestFinished(() => clearInterval(reader));
    await Promise.all(origins.map((origin) => run(process.execPath, ['-e', script, code, file, origin])));
    for (const origin of origins) expect(tokenFor(origin, made.env()), origin).toBe('t');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(file)).mode & 0o077).toBe(0);
  }, 120_000);

  it('is replaced whole: what a writer that died left behind does no harm', async () => {
    const made = place();
    const file = credentialsFile(made.env());
    await keep(made, 'https://a.example', OURS);
    writeFileSync(`${file}.tmp`, 'credentials = [');
    await keep(made, 'https://b.example', THEIRS);
    await keep(made, 'https://b.example', 'newer');
    expect(tokenFor('https://a.example', made.env())).toBe(OURS);
    expect(tokenFor('https://b.example', made.env())).toBe('newer');
    expect(readFileSync(file, 'utf8')).not.toContain(THEIRS);
  });

  it('AO-030: is refused when it is open to others, a link, or holds anything else', async () => {
    const made = place();
    const file = credentialsFile(made.env());
    await keep(made, 'https://a.example', OURS);
    const refused = (words: string): void => {
      expect(() => tokenFor('https://a.example', made.env())).toThrow(words);
    };
    for (const mode of [0o640, 0o604, 0o660, 0o700 | 0o011]) {
      chmodSync(file, mode);
      refused('can be read by others');
    }
    chmodSync(file, 0o600);
    linkSync(file, `${file}.other`);
    refused('is a link');
    rmSync(file);
    symlinkSync(`${file}.other`, file);
    refused('is a link');
    await expect(keep(made, 'https://b.example', THEIRS)).rejects.toThrow('is a link');
    rmSync(file);
    mkdirSync(file);
    refused('no file');
    rmSync(file, { recursive: true });
    renameSync(`${file}.other`, file);
    expect(tokenFor('https://a.example', made.env())).toBe(OURS);
    for (const text of [
      'x = 1',
      'credentials = 1',
      '[[credentials]]\norigin = "https://a.example"',
      '[[credentials]]\norigin = "https://a.example/x"\ntoken = "t"',
      '[[credentials]]\norigin = "https://a.example"\ntoken = "t"\nmore = 1',
    ]) {
      writeFileSync(file, text);
      refused('holds something else');
    }
  });
});
