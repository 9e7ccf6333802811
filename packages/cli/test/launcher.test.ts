import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { oldNode } from '../../../tests/support/old-node.ts';
import { watchInterrupts } from '../src/interrupt.ts';
import { BIN, Place } from './place.ts';

describe('the launcher', () => {
  it('is plain JavaScript that holds no TypeScript', () => {
    expect(readFileSync(BIN, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
    expect(spawnSync(process.execPath, ['--no-experimental-strip-types', '--check', BIN]).status).toBe(0);
  });

  it.skipIf(oldNode === undefined)(
    'runs the product with the bundled Node when started by an old one',
    () => {
      using place = new Place({ runs: [] });
      const ended = spawnSync(oldNode ?? '', [BIN, 'version'], { encoding: 'utf8', env: place.env() });
      expect(ended.status).toBe(0);
      expect(ended.stdout).toMatch(/node 2[2-9]\./);
      expect(spawnSync(oldNode ?? '', [BIN, 'nonsense'], { encoding: 'utf8', env: place.env() }).status).toBe(
        2,
      );
    },
  );

  it.skipIf(oldNode === undefined)('says plainly what is needed when there is none', () => {
    using place = new Place({ runs: [] });
    const ended = spawnSync(oldNode ?? '', [BIN, 'version'], {
      encoding: 'utf8',
      env: place.env({ PALISADE_REEXECUTED: '1' }),
    });
    expect(ended.status).toBe(3);
    expect(ended.stderr).toContain('code unsupported_runtime');
  });

  it.skipIf(oldNode === undefined)(
    'hands a signal on to the Node that it started, and ends with its status',
    async () => {
      using place = new Place({ runs: [] });
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
        const launcher = spawn(oldNode ?? '', [BIN, 'plan', 'validate', '-'], {
          cwd: place.directory,
          env: place.env(),
          stdio: ['pipe', 'ignore', 'ignore'],
        });
        // More than fits on the way: when it is written, the command has begun to read.
        await new Promise((resolve) => launcher.stdin.write(' '.repeat(1 << 20), resolve));
        launcher.kill(signal);
        expect(await new Promise((resolve) => launcher.on('close', resolve)), signal).toBe(130);
        launcher.stdin.destroy();
      }
    },
    30_000,
  );

  it.skipIf(oldNode === undefined)(
    'is the program to whoever kills it outright: nothing of it goes on',
    async () => {
      using place = new Place({ runs: [] });
      const launcher = spawn(oldNode ?? '', [BIN, 'plan', 'validate', '-'], {
        cwd: place.directory,
        env: place.env(),
        stdio: ['pipe', 'pipe', 'ignore'],
      });
      await new Promise((resolve) => launcher.stdin.write(' '.repeat(1 << 20), resolve));
      launcher.kill('SIGKILL');
      // Its end of the pipe is closed when the last process that has it is gone; the input is open all the while.
      await new Promise((resolve) => launcher.stdout.on('close', resolve).resume());
      launcher.stdin.destroy();
    },
    30_000,
  );

  it('goes on where the variable of a launcher is set and no launcher is there', () => {
    using place = new Place({ runs: [] });
    const env = place.env({ PALISADE_LAUNCHER: String(process.pid) });
    for (const third of [undefined, 'ignore'] as const) {
      const stdio = ['ignore', 'pipe', 'pipe', ...(third === undefined ? [] : [third])] as const;
      const ended = spawnSync(process.execPath, [BIN, 'version'], {
        encoding: 'utf8',
        env,
        stdio: [...stdio],
      });
      expect(ended).toMatchObject({ status: 0, stderr: '' });
    }
  });

  it.skipIf(oldNode === undefined)(
    'is no launcher of what the product starts',
    () => {
      using place = new Place({ runs: [] });
      expect(spawnSync('git', ['init', '-q'], { cwd: place.directory }).status).toBe(0);
      const nested = ['console', 'run', '--', oldNode ?? '', BIN, 'version'];
      const ended = spawnSync(oldNode ?? '', [BIN, ...nested], {
        encoding: 'utf8',
        cwd: place.directory,
        env: place.env(),
      });
      expect(ended.stdout + ended.stderr).toMatch(/node 2[2-9]\./);
      expect(ended.status).toBe(0);
    },
    60_000,
  );

  it('a signal that comes from the terminal and from the launcher is one, and a later one ends the command', () => {
    const exit = vi.spyOn(process, 'exit').mockImplementation(() => undefined as never);
    vi.stubEnv('PALISADE_REEXECUTED', '1');
    let now = 0;
    const interrupts = watchInterrupts(() => now);
    try {
      expect(process.env).not.toHaveProperty('PALISADE_REEXECUTED');
      interrupts.raise();
      expect(interrupts.signal.aborted).toBe(true);
      now = 20;
      interrupts.raise();
      expect(exit).not.toHaveBeenCalled();
      now = 1_000;
      interrupts.raise();
      expect(exit).toHaveBeenCalledWith(130);
    } finally {
      interrupts.stop();
      vi.unstubAllEnvs();
      vi.restoreAllMocks();
    }
  });

  it('FF-169: works from a home and a project whose names hold blanks, quotes, percent signs and CJK', () => {
    using place = new Place({ runs: [] }, `palisade 'a" %20 ü 家-`);
    const project = join(place.directory, `my project's "家" 100%`);
    mkdirSync(project);
    const pal = (...args: string[]) =>
      spawnSync(process.execPath, [BIN, ...args], { encoding: 'utf8', cwd: project, env: place.env() });
    expect(pal('init')).toMatchObject({ status: 0 });
    expect(pal('status').stdout).toBe('no runs yet\n');
    expect(pal('config', 'set', 'utc', 'true').status).toBe(0);
    expect(pal('config', 'get', 'utc').stdout).toBe('true\n');
  }, 120_000);
});
