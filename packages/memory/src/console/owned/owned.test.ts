import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { nameProcess, readProcess } from '@palisade/process';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ConsoleHome, NOW } from '../../../test/console-home.ts';
import { listAuthority } from '../authority.ts';
import { openConsole } from '../console.ts';
import { consoleSnapshot } from '../snapshot.ts';
import { interruptOwned } from './interrupt-owned.ts';
import { LOG_BYTES, logTail, OwnedLog } from './owned-log.ts';
import { listOwned, RUN_VARIABLE, reserveOwned, showOwned } from './owned-rows.ts';
import { Patience } from './patience.ts';
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

/** The name of a process of another place. */
const ELSEWHERE = (nameProcess(process.pid) ?? '').replace(/^[^_]*/, 'n00');

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
          // Who reads slowly has most of it before him when the command has ended.
          return round % 2 === 0 ? undefined : delay(5);
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

  it('WM-077: the key of an interrupt gets its answer again, and interrupts no other run', async () => {
    using home = new ConsoleHome();
    const script = 'echo ready; exec sleep 300';
    const begin = async () => {
      const ready = Promise.withResolvers<void>();
      const ended = run(home, 'a', ['sh', '-c', script], { onOutput: () => ready.resolve() });
      await ready.promise;
      return ended;
    };
    const ask = () =>
      interruptOwned(home.at(Date.now()), { ...home.change('k'), id: 'a', party: home.person('human:ada') });
    const first = begin();
    await vi.waitFor(() => expect(showOwned(home.at(), 'a').status).toBe('running'), 20_000);
    const { event } = await ask();
    expect(await first).toMatchObject({ signal: 'SIGINT' });
    expect((await ask()).event).toEqual(event);
    const second = begin();
    await vi.waitFor(() => expect(showOwned(home.at(), 'a').status).toBe('running'), 20_000);
    expect((await ask()).event).toEqual(event);
    expect(showOwned(home.at(), 'a')).toMatchObject({ status: 'running', runs: 2 });
    await interrupt(home, 'a');
    await second;
  }, 30_000);

  it('D-08: what became a stranger while the database was waited for is not signalled', async () => {
    using home = new ConsoleHome();
    const [mine, other] = [stranger(), stranger()];
    await leftBehind(home, 'a', { child: nameProcess(mine.pid), status: 'running' });
    // The pid is another's, as the request is kept.
    const recycled = (nameProcess(other.pid) ?? '').replace(/\d+$/, (start) => String(Number(start) - 1));
    home.database.run(
      `CREATE TRIGGER recycled AFTER INSERT ON authority BEGIN UPDATE owned SET child = '${recycled}'; END`,
    );
    await expect(interrupt(home, 'a')).rejects.toMatchObject({ code: 'invalid_state' });
    for (const { pid } of [mine, other]) expect(readProcess(pid)).not.toBeNull();
  });

  it('D-08: a command whose start cannot be written down is attended and found all the same, until it can', async () => {
    using home = new ConsoleHome();
    home.database.run(
      `CREATE TRIGGER refused BEFORE UPDATE OF child ON owned WHEN NEW.status = 'running'
       BEGIN SELECT RAISE(ABORT, 'no'); END`,
    );
    const script = 'trap "exit 4" INT; echo ready; while :; do sleep 0.1; done';
    const ready = Promise.withResolvers<void>();
    const running = run(home, 'a', ['sh', '-c', script], { onOutput: () => ready.resolve() });
    await ready.promise;
    expect(showOwned(home.at(Date.now()), 'a')).toMatchObject({ status: 'starting', failure: null });
    await expect(run(home, 'a', ['true'])).rejects.toMatchObject({ code: 'invalid_state' });
    home.database.run('DROP TRIGGER refused');
    await vi.waitFor(() => expect(showOwned(home.at(), 'a').status).toBe('running'), 20_000);
    await interrupt(home, 'a');
    expect(await running).toMatchObject({ status: 'exited', exit_code: 4, failure: null });
  }, 30_000);

  it('a log that cannot be put aside is all that is lost, and no other file is closed for it', async () => {
    using home = new ConsoleHome();
    const log = join(home.directory, 'x.log');
    mkdirSync(join(`${log}.1`, 'full'), { recursive: true });
    const open = () => readdirSync('/proc/self/fd').length;
    const before = open();
    expect(await run(home, 'a', ['sh', '-c', 'head -c 9000000 /dev/zero'], { log })).toMatchObject({
      status: 'exited',
      exit_code: 0,
      failure: 'not everything it wrote could be kept',
    });
    await vi.waitFor(() => expect(open()).toBe(before), 20_000);
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

  it('D-08: of one that ran elsewhere nothing is known, and nothing is kept, however silent its runner is', async () => {
    using home = new ConsoleHome();
    const columns = { runner: ELSEWHERE, child: ELSEWHERE, status: 'running' };
    await leftBehind(home, 'a', columns);
    expect(showOwned(home.at(NOW + 60_000), 'a')).toMatchObject({ status: 'unknown', ended_at: null });
    expect(showOwned(home.at(NOW + 60_001), 'a')).toMatchObject({ status: 'failed', ended_at: null });
    expect(showOwned(home.at(NOW + 60_000), 'a')).toMatchObject({ status: 'unknown', failure: null });
    // It may live: its id is not given away before long.
    const again = (now: number) => runOwned(home.at(now), wish(home, 'a', ['true']));
    await expect(again(NOW + 86_400_000)).rejects.toMatchObject({ code: 'invalid_state' });
    await expect(again(NOW + 86_400_001)).resolves.toMatchObject({ status: 'exited' });
  });

  it('D-08: what a runner says of the end replaces what others took for it', async () => {
    using home = new ConsoleHome();
    const go = join(home.directory, 'go');
    const running = run(home, 'a', ['sh', '-c', `until [ -e ${go} ]; do sleep 0.1; done`]);
    await vi.waitFor(() => expect(showOwned(home.at(), 'a').status).toBe('running'), 20_000);
    // As it looks to one that takes both for dead.
    const dead = await nameOfDead();
    home.database.run('UPDATE owned SET runner = ?, child = ?', dead, dead);
    expect(showOwned(home.at(), 'a').status).toBe('failed');
    writeFileSync(go, '');
    expect(await running).toMatchObject({ status: 'exited', exit_code: 0, failure: null });
  }, 30_000);

  it('one that runs is listed, whatever has ended since', async () => {
    using home = new ConsoleHome();
    await leftBehind(home, 'old', { child: nameProcess(process.pid), status: 'running' });
    for (let at = 0; at < 1_001; at++)
      home.database.run(
        `INSERT INTO owned SELECT ?, machine, token || ?, command, cwd, log, 0, runner, NULL, 'exited', 0, NULL, NULL, 1, ?, ?, ?
         FROM owned WHERE id = 'old'`,
        `n${at}`,
        at,
        NOW + at,
        NOW + at,
        NOW + at,
      );
    for (const isEver of [true, false])
      expect(listOwned(home.at(), isEver).map(({ id }) => id)).toContain('old');
    const live = { generated_at: NOW, host: 'here', sessions: [], notes: [] };
    expect(consoleSnapshot(home.at(), live, false).sessions).toMatchObject([{ session_id: 'old' }]);
  });
});

describe('Patience', () => {
  it('keeps nothing of what it has waited for, and ends with its signal', async () => {
    const over = new AbortController();
    using patience = new Patience(over.signal);
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const used = async (): Promise<number> => {
      for (let turn = 0; turn < 200_000; turn++) await patience.wait(Promise.resolve());
      collect();
      return process.memoryUsage().heapUsed;
    };
    const first = await used();
    expect((await used()) - first).toBeLessThan(5_000_000);
    const never = patience.wait(new Promise(() => undefined));
    over.abort();
    await never;
    await patience.wait(new Promise(() => undefined));
  }, 30_000);
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

  it('of one line that is cut, no part of a credential is shown', () => {
    using home = new ConsoleHome();
    const path = join(home.directory, 'x.log');
    const secret = `ghp_${'A1b2C3d4E5f6G7h8I9j0'.repeat(2).slice(0, 36)}`;
    for (const shown of [1, 20, 39]) {
      const tail = `${' z'.repeat(4_000)}${'y'.repeat(1024 * 1024 - 8_000 - shown)}`;
      writeFileSync(path, `${'Y'.repeat(2000)} ${secret}${tail}`);
      const { lines } = logTail(path, 1);
      expect(lines.join('')).toMatch(/^[zy ]+$/);
    }
  });

  it('are for their owner alone, whatever they were, and are files', async () => {
    using home = new ConsoleHome();
    const log = join(home.directory, 'x.log');
    writeFileSync(log, '');
    chmodSync(log, 0o644);
    await run(home, 'a', ['echo', 'x'], { log });
    expect([statSync(log).mode & 0o777, readFileSync(log, 'utf8')]).toEqual([0o600, 'x\n']);
    const pipe = join(home.directory, 'pipe');
    execFileSync('mkfifo', [pipe]);
    for (const other of ['/dev/null', home.directory, pipe])
      expect(await run(home, 'b', ['true'], { log: other }), other).toMatchObject({ status: 'failed' });
  });
});
