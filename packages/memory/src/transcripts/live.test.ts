import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { hasProcessTable } from '@palisade/process';
import { expect, it, onTestFinished } from 'vitest';
import { claude, NOW, TranscriptHome } from '../../test/transcript-home.ts';
import { type AgentProcess, agentProcesses, harnessOf } from './live/agent-processes.ts';
import { liveTranscripts } from './live/live-transcripts.ts';

const process = (more: Partial<AgentProcess> = {}): AgentProcess => ({
  harness: 'claude-code',
  pid: 7,
  terminal: 'pts/1',
  directory: '/home/ada/shop',
  startedAt: NOW - 60_000,
  files: [],
  ...more,
});
const live = (home: TranscriptHome, processes: readonly AgentProcess[]): ReturnType<typeof liveTranscripts> =>
  liveTranscripts(home.database, {
    processes,
    env: home.env,
    now: NOW,
    host: 'here',
    signal: new AbortController().signal,
  });

it('WM-061: an agent is in the session that was written in its folder since it started; before, it is starting up', async () => {
  using home = new TranscriptHome();
  home.write(
    '.claude/projects/p/old.jsonl',
    [claude('user', 'before it', { session: 'old' })],
    NOW - 3_600_000,
  );
  expect((await live(home, [process()])).sessions).toMatchObject([
    { pid: 7, tty: 'pts/1', status: 'starting', id: null, age_seconds: 60 },
  ]);
  home.write(
    '.claude/projects/p/now.jsonl',
    [claude('user', 'fix the cart', { session: 'now' })],
    NOW - 1000,
  );
  home.write(
    '.claude/projects/p/other.jsonl',
    [claude('user', 'elsewhere', { session: 'x', cwd: '/srv' })],
    NOW - 500,
  );
  expect((await live(home, [process()])).sessions).toMatchObject([
    { id: 'now', title: 'fix the cart', recent_action: 'fix the cart', git_branch: 'main' },
  ]);
});

it('two agents in one folder are in two sessions, and the file that one has open tells which', async () => {
  using home = new TranscriptHome();
  home.write('.claude/projects/p/a.jsonl', [claude('user', 'a', { session: 'a' })], NOW - 2000);
  const open = home.write('.claude/projects/p/b.jsonl', [claude('user', 'b', { session: 'b' })], NOW - 1000);
  const found = await live(home, [
    process({ pid: 1, startedAt: NOW - 30_000, files: [open] }),
    process({ pid: 2 }),
    process({ pid: 3, startedAt: NOW - 90_000 }),
  ]);
  expect(Object.fromEntries(found.sessions.map(({ pid, id }) => [pid, id]))).toEqual({
    1: 'b',
    2: 'a',
    3: null,
  });
});

it('programs are known by the name of what is run', () => {
  expect(harnessOf(['/usr/local/bin/claude', '--continue'])).toBe('claude-code');
  expect(harnessOf(['node', '/usr/lib/node_modules/@openai/codex/bin/codex.js'])).toBe('codex');
  expect(harnessOf(['/opt/ruby', '/x/@google/gemini-cli/dist/index.js'])).toBeUndefined();
  expect(harnessOf(['node', '/x/@google/gemini-cli/dist/index.js'])).toBe('gemini-cli');
  expect(harnessOf(['vim', 'claude'])).toBeUndefined();
  expect(harnessOf([])).toBeUndefined();
});

it.skipIf(!hasProcessTable())(
  'WM-061: a running program is seen with its folder; without a terminal only when all are asked for',
  async () => {
    using home = new TranscriptHome();
    const [program, directory] = [join(home.directory, 'codex'), join(home.directory, 'work')];
    copyFileSync('/bin/sleep', program);
    mkdirSync(directory);
    const child = spawn(program, ['60'], { cwd: directory, stdio: 'ignore', detached: true });
    onTestFinished(() => void child.kill('SIGKILL'));
    await new Promise((resolve) => child.once('spawn', resolve));
    const own = (isAny: boolean): readonly AgentProcess[] =>
      agentProcesses(isAny).filter(({ pid }) => pid === child.pid);
    expect(own(true)).toMatchObject([{ harness: 'codex', directory, terminal: null }]);
    expect(Math.abs((own(true)[0]?.startedAt ?? 0) - Date.now())).toBeLessThan(60_000);
    expect(own(false)).toEqual([]);
  },
);
