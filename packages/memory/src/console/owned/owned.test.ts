import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nameProcess, readProcess } from '@palisade/process';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ConsoleHome, NOW } from '../../../test/console-home.ts';
import { listAuthority } from '../authority.ts';
import { openConsole } from '../console.ts';
import { interruptOwned } from './interrupt-owned.ts';
import { LOG_BYTES, logTail, OwnedLog } from './owned-log.ts';
import { RUN_VARIABLE, reserveOwned, showOwned } from './owned-rows.ts';
import { type RunOwned, runOwned } from './run-owned.ts';

const wish = (home: ConsoleHome, id: string, command: readonly [string, ...string[]]): RunOwned => ({
  id,
  token: crypto.randomUUID(),
  command,
  cwd: home.directory,
  log: undefined,
  isBackground: false,
  env: { PATH: process.env['PATH'] },
  stdin: undefined,
  onOutput: () => undefined,
});

const run = (
  home: ConsoleHome,
  id: string,
  command: readonly [string, ...string[]],
  more: Partial<RunOwned> = {},
) => runOwned(home.at(Date.now()), { ...wish(home, id, command), ...more });

const interrupt = (home: ConsoleHome, id: string) =>
  interruptOwned(home.at(Date.now()), { ...home.change(), id, party: home.person('human:ada') });

/** A process of somebody, which leads a group of its own. */
function stranger(env: Record<string, string> = {}): ChildProcess & { readonly pid: number } {
  const child = spawn('sleep', ['300'], { detached: true, stdio: 'ignore', env: { ...process.env, ...env } });
  onTestFinished(() => void child.kill('SIGKILL'));
  if (child.pid === undefined) throw new Error('sleep did not start');
  return child as ChildProcess & { readonly pid: number };
}

async function nameOfDead(): Promise<string> {
  const child = stranger();
  const name = nameProcess(child.pid) ?? '';
  child.kill('SIGKILL');
  await once(child, 'exit');
  return name;
}

/** A run as a runner that was killed has left it. */
async function leftBehind(home: ConsoleHome, id: string, columns: Record<string, null | number | string>) {
  await reserveOwned(home.at(), {
    id,
    token: `token-${id}`,
    command: ['sleep', '300'],
    cwd: '/',
    log: join(home.directory, `${id}.log`),
    isBackground: true,
  });
  for (const [column, value] of Object.entries({ runner: await nameOfDead(), ...columns }))
    home.database.run(`UPDATE owned SET ${column} = ? WHERE id = ?`, value, id);
}

describe('commands of the console', () => {
  it('WM-077: how a command ended is kept, with everything it wrote', async () => {
    using home = new ConsoleHome();
    expect(await run(home, 'a', ['sh', '-c', 'echo out; echo err >&2; exit 3'])).toMatchObject({
      status: 'exited',
      exit_code: 3,
      session: 'owned:a@here',
      runs: 1,
    });
    expect(await run(home, 'k', ['sh', '-c', 'kill -TERM $$'])).toMatchObject({
      status: 'exited',
      exit_code: null,
      signal: 'SIGTERM',
    });
    expect(await run(home, 'n', ['no-such-program'])).toMatchObject({
      status: 'failed',
      exit_code: null,
      failure: 'could not be started: ENOENT',
    });
    expect(await run(home, 'log', ['true'], { log: '/dev/null/x' })).toMatchObject({ status: 'failed' });
    const { log } = showOwned(home.at(), 'a');
    expect(readFileSync(log, 'utf8').split('\n').toSorted()).toEqual(['', 'err', 'out']);
    expect(statSync(log).mode & 0o777).toBe(0o600);
  });

  it('L-24: the same id again is the next run of it, and unsafe ones never reach a path', async () => {
    using home = new ConsoleHome();
    await run(home, 'a', ['sh', '-c', 'echo one; exit 1']);
    expect(await run(home, 'a', ['echo', 'two'])).toMatchObject({
      runs: 2,
      exit_code: 0,
      command: ['echo', 'two'],
    });
    expect(readFileSync(showOwned(home.at(), 'a').log, 'utf8')).toBe('one\ntwo\n');
    const both = await Promise.allSettled(
      [1, 2, 3].map(async () => {
        using database = openConsole({ env: home.env });
        const signal = new AbortController().signal;
        const console = { database, machine: 'here', now: Date.now(), signal };
        return await runOwned(console, wish(home, 'b', ['sleep', '3']));
      }),
    );
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect(showOwned(home.at(), 'b').runs).toBe(1);
  });

  it('L-23, FF-065: what was written right before the end is there, every byte, 50 times', async () => {
    using home = new ConsoleHome();
    const size = 1_000_000;
    for (let round = 0; round < 50; round++) {
      let bytes = 0;
      await run(home, `r${round}`, ['sh', '-c', `head -c ${size} /dev/zero`], {
        onOutput: (_, piece) => {
          bytes += piece.length;
        },
      });
      expect([bytes, statSync(showOwned(home.at(), `r${round}`).log).size]).toEqual([size, size]);
    }
  }, 60_000);

  it('L-23: what was left running and holds the output is not waited for beyond the bound', async () => {
    using home = new ConsoleHome();
    const started = performance.now();
    const ended = await run(home, 'a', ['sh', '-c', 'sleep 300 & echo $!']);
    const { lines } = logTail(ended.log, 1);
    process.kill(Number(lines[0]), 'SIGKILL');
    expect(ended).toMatchObject({ status: 'exited', exit_code: 0 });
    expect(performance.now() - started).toBeLessThan(20_000);
  }, 30_000);

  it('WM-077: a command is interrupted with what it started, and the event is kept', async () => {
    using home = new ConsoleHome();
    const running = run(home, 'a', ['sh', '-c', 'sleep 300; echo after']);
    await vi.waitFor(() => expect(showOwned(home.at(), 'a').status).toBe('running'), 20_000);
    const { child_pid: leader } = showOwned(home.at(), 'a');
    const children = () => readFileSync(`/proc/${leader}/task/${leader}/children`, 'utf8').trim();
    const child = await vi.waitUntil(() => Number(children()), 20_000);
    // Before it is the program, a shell's child may swallow a signal for the shell.
    await vi.waitFor(() => expect(readFileSync(`/proc/${child}/comm`, 'utf8')).toBe('sleep\n'), 20_000);
    const { event } = await interrupt(home, 'a');
    expect(event).toMatchObject({ level: 'interrupt', target: 'owned:a@here', status: 'dispatched' });
    expect(await running).toMatchObject({ status: 'exited', exit_code: null, signal: 'SIGINT' });
    await vi.waitFor(() => expect(readProcess(child)).toBeNull(), 20_000);
    expect(listAuthority(home.at(), { isEver: true })).toHaveLength(1);
    await expect(interrupt(home, 'a')).rejects.toMatchObject({ code: 'invalid_state' });
    expect(listAuthority(home.at(), { isEver: true })).toHaveLength(1);
  });

  it('a runner that is told to end interrupts its command, and ends what does not heed that', async () => {
    using home = new ConsoleHome();
    const told = new AbortController();
    const database = home.database;
    const console = { database, machine: 'here', now: Date.now(), signal: told.signal };
    const stubborn = wish(home, 'a', ['sh', '-c', 'trap "" INT; echo ready; while :; do sleep 1; done']);
    const running = runOwned(console, { ...stubborn, onOutput: () => told.abort() });
    expect(await running).toMatchObject({ status: 'exited', exit_code: null, signal: 'SIGKILL' });
  }, 40_000);
});

describe('runs whose runner is gone', () => {
  it('D-08: while the command lives it runs; when it is gone too, it has failed, and stays so', async () => {
    using home = new ConsoleHome();
    const child = stranger();
    await leftBehind(home, 'a', { child: nameProcess(child.pid), status: 'running' });
    expect(showOwned(home.at(), 'a')).toMatchObject({ status: 'running', child_pid: child.pid });
    await interrupt(home, 'a');
    await once(child, 'exit');
    expect(showOwned(home.at(NOW + 5), 'a')).toMatchObject({
      status: 'failed',
      exit_code: null,
      ended_at: NOW + 5,
    });
    expect(showOwned(home.at(NOW + 9), 'a')).toMatchObject({ ended_at: NOW + 5 });
    expect(await run(home, 'a', ['true'])).toMatchObject({ status: 'exited', runs: 2 });
  });

  it('D-08, FF-038: a pid that was given to somebody else is not signalled, and its run has failed', async () => {
    using home = new ConsoleHome();
    const other = stranger();
    const recycled = (nameProcess(other.pid) ?? '').replace(/\d+$/, (start) => String(Number(start) - 1));
    await leftBehind(home, 'a', { child: recycled, status: 'running' });
    await expect(interrupt(home, 'a')).rejects.toMatchObject({ code: 'invalid_state' });
    expect(showOwned(home.at(), 'a').status).toBe('failed');
    expect(readProcess(other.pid)).not.toBeNull();
  });

  it('WM-078: a command whose runner was killed before it could name it is found by its mark alone', async () => {
    using home = new ConsoleHome();
    const [mine, other] = [stranger({ [RUN_VARIABLE]: 'token-a' }), stranger()];
    await leftBehind(home, 'a', {});
    expect(showOwned(home.at(), 'a')).toMatchObject({ status: 'starting', child_pid: null });
    await interrupt(home, 'a');
    expect(await once(mine, 'exit')).toEqual([null, 'SIGINT']);
    expect(showOwned(home.at(), 'a').status).toBe('failed');
    expect(readProcess(other.pid)).not.toBeNull();
  });

  it('WM-077: the group is known by its mark when its leader has ended before the others', async () => {
    using home = new ConsoleHome();
    const shell = spawn('sh', ['-c', 'sleep 300 & echo $!; wait'], {
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...process.env, [RUN_VARIABLE]: 'token-a' },
    });
    const [said] = (await once(shell.stdout, 'data')) as [Buffer];
    const sleeper = Number(said.toString());
    onTestFinished(() => void (readProcess(sleeper) === null || process.kill(sleeper, 'SIGKILL')));
    await leftBehind(home, 'a', { child: nameProcess(shell.pid ?? 0), status: 'running' });
    shell.kill('SIGKILL');
    await once(shell, 'exit');
    expect((await interrupt(home, 'a')).event.status).toBe('dispatched');
  });

  it('D-08: of one that ran elsewhere nothing is known, until its runner has been silent for long', async () => {
    using home = new ConsoleHome();
    const elsewhere = (nameProcess(process.pid) ?? '').replace(/^[^_]*/, 'n00');
    await leftBehind(home, 'a', { runner: elsewhere, child: elsewhere, status: 'running' });
    expect(showOwned(home.at(NOW + 60_000), 'a')).toMatchObject({ status: 'unknown', ended_at: null });
    await expect(run(home, 'a', ['true'])).resolves.toMatchObject({ status: 'exited' });
    await leftBehind(home, 'b', { runner: elsewhere, status: 'running' });
    expect(showOwned(home.at(NOW + 60_001), 'b')).toMatchObject({ status: 'failed' });
  });
});

describe('logs', () => {
  it('are bounded, keep the end, and show no credential', () => {
    using home = new ConsoleHome();
    const path = join(home.directory, 'x.log');
    using log = new OwnedLog(path);
    const piece = Buffer.from(`${'a'.repeat(1023)}\n`.repeat(1024));
    for (let written = 0; written < 3 * LOG_BYTES; written += piece.length) log.write(piece);
    log.write(Buffer.from('first\ntoken = abcdefghijklmnop1\nü\nlast\n'));
    expect(statSync(path).size + statSync(`${path}.1`).size).toBeLessThanOrEqual(2 * LOG_BYTES);
    expect(logTail(path, 3)).toEqual({ lines: ['token = <redacted:assigned>', 'ü', 'last'], hasMore: true });
    expect(logTail(path, 1_000_000).lines.every((line) => line.length <= 1023)).toBe(true);
    writeFileSync(path, 'only\nlines');
    expect(logTail(path, 1)).toEqual({ lines: ['lines'], hasMore: true });
    expect(logTail(join(home.directory, 'none.log'), 5)).toEqual({ lines: [], hasMore: false });
  });
});
