import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Connections } from '../src/control-plane.ts';
import { scenario } from './cases.ts';
import { doubleConnections } from './double/double.ts';
import { Recording } from './double/record.ts';
import { inProcess } from './in-process.ts';
import { ENTRY, Place } from './place.ts';

/** A run that does not end. */
function endless(): Place {
  const recording = new Recording('run_long', 'long').with({ sealed: false }).item('a').started('a');
  return new Place({ runs: [recording.build()] });
}

/** What SIGTERM does to the command that runs in this process, and not to the test's own. */
function terminate(): void {
  process.listeners('SIGTERM').at(-1)?.('SIGTERM');
}

/** Connections over which a signal arrives while they are opened, or an operation is answered. */
function interrupting(place: Place, at: string): Connections {
  const double = doubleConnections(place.scenarioFile, place.callsFile);
  return {
    ...double,
    openControlPlane: async (options) => {
      const plane = await double.openControlPlane(options);
      if (at === 'open') terminate();
      return Object.assign(Object.create(plane) as typeof plane, {
        call: async (...[operation, input, context]: Parameters<typeof plane.call>) => {
          const answer = plane.call(operation, input, context);
          if (operation.id === at) terminate();
          return await answer;
        },
        close: () => plane.close(),
        ensureEngine: () => plane.ensureEngine(),
      });
    },
  };
}

// Runs in a process of its own: opens a pseudo-terminal for the command, and closes it when told to.
const CLOSER = `import os, pty, select, sys, time
when, words = sys.argv[1], sys.argv[2:]
pid, fd = pty.fork()
if pid == 0:
    os.execv(words[0], words)
def seen():
    if when == 'drawn': return b'?25l' in out
    if when.startswith('/'): return os.path.exists(when)
    return time.time() > begun + float(when)
begun = time.time(); out = b''
while not seen():
    if select.select([fd], [], [], 0.002)[0]: out += os.read(fd, 65536)
os.close(fd)
until = time.time() + 10
while time.time() < until:
    ended, status = os.waitpid(pid, os.WNOHANG)
    if ended:
        print('ended', os.waitstatus_to_exitcode(status)); sys.exit()
    time.sleep(0.02)
os.kill(pid, 9)
print('never ended')`;

describe('interruptions', () => {
  it('a signal while a run is submitted is not lost: it is told that the run goes on, with 130', async () => {
    using place = new Place(scenario({ open: true }));
    writeFileSync(join(place.directory, 'plan.json'), '{"items":[{"id":"a","command":"true"}]}');
    const { code, stderr } = await inProcess(
      ['run', 'plan.json', '--empty'],
      interrupting(place, 'plans.submit'),
      { cwd: place.directory, env: place.env() },
    );
    expect({ code, stderr }).toEqual({
      code: 130,
      stderr: expect.stringMatching(/detached: run_\w+ goes on/),
    });
  }, 30_000);

  it('a signal before a change begins: nothing is changed, with 130', async () => {
    using place = endless();
    const { code } = await inProcess(['cancel', 'run_long/a'], interrupting(place, 'open'), {
      cwd: place.directory,
      env: place.env(),
    });
    expect(code).toBe(130);
    expect(place.calls()).not.toContain('runs.cancel');
  });

  it('a signal while a command waits for standard input ends it with 130', async () => {
    using place = endless();
    const child = spawn(process.execPath, [ENTRY, 'plan', 'validate', '-'], {
      cwd: place.directory,
      env: place.env(),
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    // More than fits on the way: when it is written, the command has begun to read.
    await new Promise((resolve) => child.stdin.write(' '.repeat(1 << 20), resolve));
    child.kill('SIGTERM');
    expect(await new Promise((resolve) => child.on('close', resolve))).toBe(130);
    child.stdin.destroy();
  }, 30_000);

  it('a terminal that is closed ends the command, before anything is drawn as well as after', async () => {
    for (const when of ['calls', '0.4', 'drawn']) {
      using place = endless();
      expect(existsSync(place.callsFile)).toBe(false);
      const watch = [process.execPath, ENTRY, 'watch', 'run_long', '--progress', 'live'];
      const child = spawn('python3', ['-c', CLOSER, when === 'calls' ? place.callsFile : when, ...watch], {
        cwd: place.directory,
        env: place.env(),
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let said = '';
      child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
      await new Promise((resolve) => child.on('close', resolve));
      // -1: the hang-up came before the command had begun to listen. 8: the run was still going.
      expect(said, when).toMatch(/^ended (?:130|8|-1)\n$/);
    }
  }, 120_000);
});
