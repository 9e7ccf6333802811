import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { userFile } from '../src/config/config.ts';
import { credentialsFile, keepToken } from '../src/server/credentials.ts';
import { Place } from './place.ts';

const ORIGIN = 'https://palisade.example';
const never = new AbortController().signal;

function place(): Place {
  const made = new Place({ runs: [], absent: true });
  onTestFinished(() => made[Symbol.dispose]());
  return made;
}
const signIn = (made: Place, origin: string) =>
  keepToken(credentialsFile(made.env()), { origin, token: 'pal_x' }, never);

it('AO-026: whoever has signed in to one server is told to set it, where none is set and nothing is here', async () => {
  const made = place();
  expect((await made.pal(['show', '-'])).stderr).toContain('next  pal init\n');
  await signIn(made, ORIGIN);
  for (const words of [['show', '-'], ['events', '-'], ['inbox']]) {
    const { code, stderr } = await made.pal(words);
    expect([code, stderr.includes(`next  pal config set server ${ORIGIN}\n`)], words.join()).toEqual([
      3,
      true,
    ]);
  }
  const nowhere = await made.pal(['show', '-'], { env: { PALISADE_SERVER: '' } });
  expect(nowhere.stderr).toContain('next  pal init\n');
  await signIn(made, 'https://other.example');
  expect((await made.pal(['show', '-'])).stderr).toContain('next  pal init\n');
});

it('AO-140: each flag that the adapter lacks is told with its own reason, and with the server that is known', async () => {
  const made = place();
  await signIn(made, ORIGIN);
  const lone = await made.pal(['mcp', 'stdio', '--state-dir', '/tmp/state']);
  expect(lone.code).toBe(2);
  expect(lone.stderr).toContain('it needs --server\n  why   no server is set\n');
  expect(lone.stderr).toContain(`next  pal mcp stdio --server ${ORIGIN} --state-dir /tmp/state\n`);
  const homeless = await made.pal(['mcp', 'stdio', '--server', ORIGIN]);
  expect(homeless.stderr).toContain('it needs --state-dir\n  why   each change is written down');
  expect(homeless.stderr).toContain(`next  pal mcp stdio --server ${ORIGIN} --state-dir DIR\n`);
  expect((await made.pal(['mcp', 'install', 'cursor'])).stderr).toContain(`--server ${ORIGIN}\n`);
});

it.each(['notaurl', 'http://far.example', `${ORIGIN}/path`])(
  'AO-026: %s is no server when it is set, and when it is used it is told where it was set',
  async (value) => {
    const made = place();
    const refused = await made.pal(['config', 'set', 'server', value]);
    expect(refused.code).toBe(2);
    expect((await made.pal(['config', 'get'])).stdout).not.toContain(value);
    const file = userFile(made.env()) ?? '';
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `server = "${value}"\n`);
    for (const words of [
      ['inbox'],
      ['mcp', 'stdio', '--state-dir', '/tmp/state'],
      ['mcp', 'install', 'cursor'],
    ]) {
      const { code, stderr } = await made.pal(words);
      expect(code, words.join()).toBe(2);
      expect(stderr).toContain(`the server that ${file} sets is none: `);
      expect(stderr).toContain('next  pal config unset server\n');
    }
    expect((await made.pal(['doctor'])).stdout).toContain(`the server that ${file} sets is none: `);
    expect((await made.pal(['config', 'unset', 'server'])).code).toBe(0);
    expect((await made.pal(['inbox'])).code).toBe(3);
    const own = join(made.directory, '.palisade.toml');
    writeFileSync(own, `server = "${value}"\n`);
    const { stderr } = await made.pal(['inbox']);
    expect(stderr).toContain(own);
    expect(stderr).toContain('next  pal config unset server --repo\n');
    const set = await made.pal(['inbox'], { env: { PALISADE_SERVER: value } });
    expect(set.stderr).toContain('next  unset PALISADE_SERVER\n');
  },
);

it('a port that no HTTP client uses is told as such', async () => {
  const made = place();
  const refused = await made.pal(['login', 'http://127.0.0.1:9', '--file', '-'], { input: 'pal_x' });
  expect(refused.stderr).toContain('no answer from http://127.0.0.1:9: no HTTP client uses that port\n');
});
