import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConsoleOwned } from '@palisade/contracts';
import { readProcess } from '@palisade/process';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { answers } from '../src/output/answers.ts';
import { BIN, Place } from './place.ts';
import { onTerminal } from './terminal.ts';

/** A command line in a process of its own: a runner in the background is started as this one was. */
function pal(place: Place, ...args: string[]) {
  const child = spawn(process.execPath, [BIN, ...args], {
    cwd: place.directory,
    env: place.env(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => (stdout += piece));
  return { child, ended: once(child, 'close').then(([code]) => ({ code: code as number | null, stdout })) };
}

async function background(place: Place, id: string, ...command: string[]): Promise<ConsoleOwned> {
  const { ended } = pal(place, 'console', 'run', '--background', '--id', id, '--json', '--', ...command);
  const { code, stdout } = await ended;
  expect(code, stdout).toBe(0);
  const owned = JSON.parse(stdout) as ConsoleOwned;
  onTestFinished(() => {
    for (const pid of [owned.runner_pid, owned.child_pid])
      if (pid !== null && readProcess(pid) !== null) process.kill(pid, 'SIGKILL');
  });
  return owned;
}

async function shown(place: Place, id: string): Promise<ConsoleOwned> {
  return JSON.parse((await place.pal(['console', 'owned-show', id, '--json'])).stdout) as ConsoleOwned;
}

describe('pal console run', () => {
  it('WM-077: in the background it leads a session of its own, outlives who started it, and is interrupted from elsewhere', async () => {
    using place = new Place({ runs: [] });
    const owned = await background(
      place,
      'bg',
      'sh',
      '-c',
      'trap "echo stopped; exit 7" INT; echo "I am $PALISADE_CONSOLE_SESSION"; while :; do sleep 0.1; done',
    );
    expect(owned).toMatchObject({ status: 'running', is_background: true });
    for (const pid of [owned.runner_pid, owned.child_pid])
      expect(readProcess(pid ?? 0)).toMatchObject({ session: pid, group: pid });
    const said = await place.pal(['console', 'list', '--format', 'id']);
    expect(said.stdout).toContain(owned.session);
    await vi.waitFor(() => expect(readFileSync(owned.log, 'utf8')).toContain(owned.session), 20_000);
    // The same id is taken while it runs, in the background and before one.
    for (const more of [[], ['--background']])
      expect(await place.pal(['console', 'run', '--id', 'bg', ...more, '--', 'true'])).toMatchObject({
        code: 5,
      });
    expect(await place.pal(['console', 'interrupt', 'bg', '--dry-run'])).toMatchObject({
      stdout: expect.stringMatching(/^would interrupt {2}bg {2}running/),
    });
    const interrupted = await place.pal(['console', 'interrupt', 'bg', '--json']);
    expect(answers['console interrupt']?.[0]?.safeParse(JSON.parse(interrupted.stdout)).success).toBe(true);
    await vi.waitFor(async () => expect(await shown(place, 'bg')).toMatchObject({ exit_code: 7 }), 20_000);
    const read = await place.pal(['console', 'read', 'bg', '--tail', '1']);
    expect(read.stdout).toBe('stopped\n');
    await vi.waitFor(() => expect(readProcess(owned.runner_pid ?? 0)).toBeNull(), 20_000);
  }, 60_000);

  it('WM-077: what was left running from a terminal goes on when that is closed', async () => {
    using place = new Place({ runs: [] });
    const words = [
      'console',
      'run',
      '--background',
      '--id',
      'bg',
      '--',
      'sh',
      '-c',
      'until [ -e go ]; do sleep 0.1; done; echo later',
    ];
    expect(await onTerminal(place, words, 80)).toMatchObject({ code: 0 });
    expect(await shown(place, 'bg')).toMatchObject({ status: 'running' });
    writeFileSync(join(place.directory, 'go'), '');
    await vi.waitFor(async () => expect(await shown(place, 'bg')).toMatchObject({ exit_code: 0 }), 20_000);
    expect((await place.pal(['console', 'read', 'bg'])).stdout).toBe('later\n');
  }, 60_000);

  it('L-70, WM-004: a runner in the background writes the database that was named, and no other', async () => {
    using place = new Place({ runs: [] });
    const named = join(place.directory, 'apart', 'console.db');
    const env = { PALISADE_CONSOLE_DB: named };
    const child = spawn(
      process.execPath,
      [BIN, 'console', 'run', '--background', '--id', 'bg', '--', 'true'],
      {
        cwd: place.directory,
        env: { ...place.env(), ...env },
        stdio: 'ignore',
      },
    );
    expect((await once(child, 'exit'))[0]).toBe(0);
    await vi.waitFor(async () => {
      const { stdout } = await place.pal(['console', 'owned-show', 'bg', '--json'], { env });
      expect(JSON.parse(stdout)).toMatchObject({ status: 'exited', exit_code: 0 });
    }, 20_000);
    expect(existsSync(join(place.directory, 'apart/owned/bg.log'))).toBe(true);
    expect(existsSync(join(place.directory, '.local/share/palisade'))).toBe(false);
  }, 60_000);

  it('D-08: one whose runner is killed is never running for ever', async () => {
    using place = new Place({ runs: [] });
    const owned = await background(place, 'bg', 'sleep', '300');
    process.kill(owned.runner_pid ?? 0, 'SIGKILL');
    await vi.waitFor(() => expect(readProcess(owned.runner_pid ?? 0)).toBeNull(), 20_000);
    expect(await shown(place, 'bg')).toMatchObject({ status: 'running' });
    process.kill(owned.child_pid ?? 0, 'SIGKILL');
    await vi.waitFor(() => expect(readProcess(owned.child_pid ?? 0)).toBeNull(), 20_000);
    expect(await shown(place, 'bg')).toMatchObject({ status: 'failed', exit_code: null });
    expect((await place.pal(['console', 'owned-list', '--format', 'id'])).stdout).toBe('');
    expect(await background(place, 'bg', 'sleep', '300')).toMatchObject({ runs: 2, status: 'running' });
  }, 60_000);

  it('WM-077: interrupted where it was started, it interrupts its command and says how that ended', async () => {
    using place = new Place({ runs: [] });
    const script = 'trap "exit 9" INT; echo ready; while :; do sleep 0.1; done';
    const { child, ended } = pal(place, 'console', 'run', '--id', 'fg', '--', 'sh', '-c', script);
    await once(child.stdout, 'data');
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ code: 1 });
    expect(await shown(place, 'fg')).toMatchObject({ status: 'exited', exit_code: 9 });
  }, 60_000);

  it('reads what is piped into it, and shows a terminal nothing that commands it', async () => {
    using place = new Place({ runs: [] });
    expect((await place.pal(['console', 'run', '-q', '--', 'cat'], { input: 'hello\n' })).stdout).toBe(
      'hello\n',
    );
    const onTerminal = await place.pal(['console', 'run', '--', 'printf', 'a\\033[2Jb\\nc'], {
      window: { columns: 80, rows: 24 },
    });
    expect(onTerminal.stdout).toMatch(/^ab\r?\nc\r?\n/);
    expect(await place.pal(['console', 'run', '--', 'false'])).toMatchObject({ code: 1 });
    expect(await place.pal(['console', 'run'])).toMatchObject({ code: 2 });
    expect(await place.pal(['console', 'run', '--cwd', 'nowhere', '--', 'true'])).toMatchObject({ code: 2 });
  });

  it('L-24, WM-005: an id that is no name is refused before anything is made', async () => {
    using place = new Place({ runs: [] });
    for (const id of ['../x', 'a/b', '.hidden', 'a..b', '', 'x'.repeat(121)])
      expect(await place.pal(['console', 'run', '--id', id, '--', 'true']), id).toMatchObject({ code: 2 });
    expect(existsSync(join(place.directory, '.local/share/palisade/owned'))).toBe(false);
  });
});
