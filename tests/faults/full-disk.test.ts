import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CLI, type CliResult, makeRepository, removeInstallation, until } from '../support/installation.ts';
import { enginesOf, workersOf } from '../support/processes.ts';

const MB = 1024 * 1024;
const SIZE_MB = 48;

const canMount =
  process.getuid?.() === 0 &&
  spawnSync('unshare', ['-m', 'sh', '-c', 'mount -t tmpfs -o size=1m none /mnt']).status === 0;
const why = canMount ? '' : ' (skipped: this user may not mount a file system in a namespace of its own)';

let root = '';
let holder: ChildProcess;

/** Everything of the installation lives in a mount namespace in which `.palisade` is a small file system. */
function inside(script: string): string {
  return execFileSync('nsenter', ['-m', '-t', String(holder.pid), 'sh', '-c', `cd '${root}' && ${script}`], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function palisade(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CliResult> {
  const command = `cd '${root}' && exec '${process.execPath}' '${CLI}' "$@"`;
  const child = spawn('nsenter', ['-m', '-t', String(holder.pid), 'sh', '-c', command, 'sh', ...args], {
    env: { ...process.env, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  return new Promise((done) => child.once('close', (code, signal) => done({ code, signal, stdout, stderr })));
}

/** Leaves no byte free; `free` gives them all back. */
const fill = () =>
  inside(
    'cat /dev/zero > .palisade/filler 2>/dev/null; cat /dev/zero >> .palisade/filler2 2>/dev/null; true',
  );
const free = () => inside('rm -f .palisade/filler .palisade/filler2');
const plan = (items: readonly object[]) =>
  inside(`cat > plan.json <<'END'\n${JSON.stringify({ items })}\nEND`);

beforeEach(async () => {
  root = makeRepository({ 'a.txt': 'zero\n' });
  mkdirSync(join(root, '.palisade'));
  holder = spawn(
    'unshare',
    [
      '-m',
      'sh',
      '-c',
      `mount -t tmpfs -o size=${SIZE_MB}m,mode=700 none '${root}/.palisade' && echo up && exec sleep 3600`,
    ],
    {
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  await new Promise((resolve) => holder.stdout?.once('data', resolve));
  const init = await palisade(['init']);
  expect(init.code, init.stderr).toBe(0);
});
afterEach(() => {
  for (const { pid } of [...enginesOf(root), ...workersOf(root)]) process.kill(pid, 'SIGKILL');
  holder.kill('SIGKILL');
  removeInstallation(root);
});

interface Shown {
  readonly run: { readonly state: string; readonly sealed: boolean };
  readonly items: readonly {
    readonly state: string;
    readonly attempt: number;
    readonly reason?: string;
    readonly product?: { readonly outputs?: readonly { readonly size: number }[] };
  }[];
}
const show = async (run: string): Promise<Shown> =>
  JSON.parse((await palisade(['show', run, '--json'])).stdout) as Shown;

async function expectHealthy(run: string): Promise<void> {
  const verified = await palisade(['verify', run]);
  expect(verified.code, verified.stderr + verified.stdout).toBe(0);
  const integrity = `const {DatabaseSync}=require('node:sqlite');console.log(new DatabaseSync('.palisade/palisade.db').prepare('PRAGMA integrity_check').get().integrity_check)`;
  expect(inside(`'${process.execPath}' -e "${integrity}"`).trim()).toBe('ok');
}

describe.skipIf(!canMount)(`full disk${why}`, { timeout: 120_000 }, () => {
  it('a full disk is said as such and passes when there is room again', async () => {
    plan([{ id: 'a', command: 'mkdir -p outputs; echo one > outputs/one' }]);
    fill();
    const refused = await palisade(['run', 'plan.json', '--run-id', 'first', '--json']);
    expect(refused.code, refused.stderr + refused.stdout).toBe(7);
    expect(JSON.parse(refused.stdout)).toMatchObject({ error: { code: 'storage_full', retryable: true } });
    // No engine has the database open: it is read without a file of its own.
    for (const args of [['status'], ['doctor'], ['queue', 'list']]) {
      const read = await palisade(args);
      expect(read.stderr).toContain('warning: the disk is full');
      expect(read.stdout).not.toContain('storage_full');
    }
    expect((await palisade(['status'])).stdout).toBe('no runs yet\n');
    expect((await palisade(['status'])).code).toBe(0);
    const changed = await palisade(['queue', 'set', 'narrow', '--concurrency', '1']);
    expect(changed.code).toBe(7);
    free();
    const done = await palisade(['run', 'plan.json', '--run-id', 'first']);
    expect(done.code, done.stderr).toBe(0);
    await expectHealthy('first');
  });

  it('DI-177: a product that is finished when the disk fills up is stored when there is room again', async () => {
    plan([
      {
        id: 'a',
        command: `mkdir -p outputs; head -c ${2 * MB} /dev/urandom > outputs/big; echo one > a.txt`,
      },
    ]);
    const started = await palisade(['run', 'plan.json', '--run-id', 'kept', '--detach'], {
      PALISADE_FAULT: 'stop:worker.after-result',
      PALISADE_LEASE_MS: '2000',
    });
    expect(started.code, started.stderr).toBe(0);
    const still = await until('the worker to stand still', async () =>
      workersOf(root).find(({ state }) => state === 'T'),
    );
    fill();
    process.kill(still.pid, 'SIGCONT');
    await until('the worker to be gone', async () => workersOf(root).length === 0);
    // Longer than the lease: nothing can be renewed, and the product waits in the attempt's directory.
    await new Promise((resolve) => setTimeout(resolve, 4_000));
    expect((await show('kept')).items[0]?.state).toBe('running');
    free();
    const watched = await palisade(['watch', 'kept']);
    expect(watched.code, watched.stderr + watched.stdout).toBe(0);
    const { items } = await show('kept');
    expect(items[0]).toMatchObject({ state: 'done', attempt: 1, product: { outputs: [{ size: 2 * MB }] } });
    await expectHealthy('kept');
  });

  it('an agent that fills the disk fails by name, and the next run works', async () => {
    plan([
      { id: 'hog', command: 'cat /dev/zero > big; echo "status $?"; exit 0', retry: { max_attempts: 1 } },
      { id: 'after', command: 'echo fine > fine.txt', resourceLocks: ['x'], depends_on: [] },
    ]);
    const run = await palisade(['run', 'plan.json', '--run-id', 'hog', '--timeout', '60s']);
    expect(run.code, run.stderr + run.stdout).toBe(1);
    const { items } = await show('hog');
    expect(items[0]?.state).toBe('failed');
    expect(items[0]?.reason).toMatch(/space|storage/);
    await until(
      'the attempt to be removed',
      async () => inside('ls .palisade/planes/*/attempts').trim() === '',
      20_000,
    );
    plan([{ id: 'a', command: 'echo one > a.txt' }]);
    const next = await palisade(['run', 'plan.json', '--run-id', 'next']);
    expect(next.code, next.stderr).toBe(0);
    await expectHealthy('next');
  });
});
