import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CLI, palisade, until } from '../support/installation.ts';
import { place } from '../support/place.ts';
import { type Served, served } from '../support/served.ts';

/** A server that can be stopped and started again where it was, and a user elsewhere who has a credential for it. */
async function user() {
  const { root, home, env: own } = place();
  let server: Served = await served(root, own);
  const { url } = server;
  const issued = await palisade(
    root,
    ['principal', 'create', 'ci', '--kind', 'service', '--json', ...scoped('read', 'write', 'approve')],
    own,
  );
  const { token } = JSON.parse(issued.stdout) as { token: string };
  const env = { ...own, PALISADE_SERVER: url, PALISADE_TOKEN: token };
  const pal = (...args: string[]) => palisade(home, args, env);
  return {
    url,
    /** A command of whoever serves. */
    host: (...args: string[]) => palisade(root, args, own),
    submit: async (items: readonly object[]): Promise<string> => {
      writeFileSync(join(home, 'plan.json'), JSON.stringify({ items }));
      const ran = await pal('run', 'plan.json', '--detach');
      expect(ran, ran.stderr).toMatchObject({ code: 0 });
      return ran.stdout.trim();
    },
    stop: async (): Promise<void> => {
      server.child.kill('SIGTERM');
      await server.exit;
    },
    start: async (): Promise<void> => {
      server = await served(root, own, new URL(url).host);
    },
    /** How often an operation was called since the last start. */
    calls: (operation: string) => times(server.log(), `"operation":"${operation}"`),
    /** A command that goes on, and what it has said so far. */
    begin: (...args: string[]) => {
      const child = spawn(process.execPath, [CLI, ...args], {
        cwd: home,
        env: { ...process.env, NO_COLOR: '1', ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      onTestFinished(() => void child.kill('SIGKILL'));
      const said = { out: '', err: '' };
      child.stdout.setEncoding('utf8').on('data', (text: string) => (said.out += text));
      child.stderr.setEncoding('utf8').on('data', (text: string) => (said.err += text));
      const exit = new Promise<number | null>((resolve) => child.once('close', resolve));
      return { said, exit };
    },
  };
}

const scoped = (...scopes: string[]) => scopes.flatMap((scope) => ['--scope', scope]);
const times = (text: string, part: string) => text.split(part).length - 1;
const ASKED = [
  { id: 'first', command: 'true' },
  { id: 'gate', executor: 'approval', approval: { prompt: 'go on?' }, depends_on: ['first'] },
  { id: 'last', command: 'true', depends_on: ['gate'] },
];

describe('following over a server that is stopped and started again', () => {
  it('EX-063 EX-064: watch and events go on without a gap or a duplicate, and say once that it was away and once that it is back', {
    timeout: 180_000,
  }, async () => {
    const { host, submit, stop, start, begin, calls } = await user();
    const run = await submit(ASKED);
    const watch = begin('watch', run, '--wait');
    const events = begin('events', run, '-f', '--format', 'ndjson');
    await until('the gate to be told', async () => /gate/.test(watch.said.out) && events.said.out !== '');
    await stop();
    for (const { said } of [watch, events])
      await until('the loss to be told', async () => said.err.includes('connection lost, retrying'));
    await start();
    for (const { said } of [watch, events])
      await until('the return to be told', async () => said.err.includes('connected again'));
    const asked = await host('inbox', '--json');
    const { data } = JSON.parse(asked.stdout) as { data: { hash: string }[] };
    const approved = await host('approve', `${run}/gate`, '--hash', data[0]?.hash ?? '');
    expect(approved, approved.stderr).toMatchObject({ code: 0 });
    expect(await watch.exit, watch.said.err).toBe(0);
    expect(await events.exit, events.said.err).toBe(0);
    await until('the streams to be logged', async () => calls('events.subscribe') === 2);
    expect(calls('runs.events')).toBe(0);
    for (const { said } of [watch, events]) {
      expect(times(said.err, 'connection lost, retrying: no answer from http://127.0.0.1:')).toBe(1);
      expect(times(said.err, 'connected again')).toBe(1);
      expect(said.err).not.toContain('busy');
    }
    const seqs = events.said.out
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { seq: number }).seq);
    expect(seqs).toEqual(seqs.map((_, n) => n));
    expect(seqs.length).toBeGreaterThan(8);
    for (const item of ['first', 'last'])
      expect(watch.said.out.match(new RegExp(`^ok +${item} .*$`, 'gm'))).toHaveLength(1);
  });

  it('a log is followed line by line, each once', { timeout: 180_000 }, async () => {
    const { submit, stop, start, begin } = await user();
    const command = 'for i in $(seq 1 40); do echo "line $i."; sleep 0.2; done';
    const run = await submit([{ id: 'a', command }]);
    const logs = begin('logs', `${run}/a`, '-f');
    await until('a line', async () => logs.said.out.includes('line 2.'));
    await stop();
    await until('the loss to be told', async () => logs.said.err.includes('connection lost, retrying'));
    await start();
    expect(await logs.exit, logs.said.err).toBe(0);
    const lines = logs.said.out.split('\n').filter((line) => line.startsWith('line '));
    expect(lines).toEqual(Array.from({ length: 40 }, (_, n) => `line ${n + 1}.`));
    expect(logs.said.err).toContain('connected again');
  });

  it('who gives up, at the limit that was stated, is told of which server and how to go on', {
    timeout: 180_000,
  }, async () => {
    const { url, submit, stop, begin } = await user();
    const run = await submit(ASKED);
    const watch = begin('watch', run, '--wait', '--timeout', '20s');
    await until('the gate to be told', async () => watch.said.out.includes('gate'));
    await stop();
    expect(await watch.exit).toBe(7);
    expect(watch.said.err).toContain(`failed: no answer from ${url}`);
    expect(watch.said.err).toMatch(new RegExp(`^ {2}next {2}pal watch ${run}$`, 'm'));
  });
});
