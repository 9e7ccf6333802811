import { spawn } from 'node:child_process';
import { openSync, closeSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HARDEN, hardenScenario } from './double/harden.ts';
import { Recording } from './double/record.ts';
import { ENTRY, Place } from './place.ts';

function bigScenario() {
  const recording = new Recording('run_big', 'big').item('one');
  recording.started('one');
  const line = 'x'.repeat(400);
  recording.log('one', ...Array.from({ length: 20_000 }, (_, i) => `${i} ${line}`));
  recording.reconciled('one', 'done').completed('completed');
  return { runs: [recording.build()] };
}

describe('pipes', () => {
  it('FF-079: a slow reader of a non-blocking pipe gets every byte that a file gets', async () => {
    using place = new Place(bigScenario());
    const file = join(place.directory, 'out.txt');
    const fd = openSync(file, 'w');
    const toFile = spawn(process.execPath, [ENTRY, 'logs', 'run_big/one'], {
      cwd: place.directory,
      env: place.env(),
      stdio: ['ignore', fd, 'inherit'],
    });
    await new Promise((resolve) => toFile.on('close', resolve));
    closeSync(fd);
    const whole = readFileSync(file);
    expect(whole.length).toBeGreaterThan(8_000_000);
    // The reader sets O_NONBLOCK on the open file description that the writer shares, then dawdles.
    const reader = `import fcntl, hashlib, os, subprocess, sys, time
r, w = os.pipe()
fcntl.fcntl(w, fcntl.F_SETFL, fcntl.fcntl(w, fcntl.F_GETFL) | os.O_NONBLOCK)
child = subprocess.Popen(sys.argv[1:], stdout=w, stdin=subprocess.DEVNULL)
os.close(w)
time.sleep(2)
total = 0; digest = hashlib.sha256()
while True:
    part = os.read(r, 65536)
    if not part: break
    total += len(part); digest.update(part)
    if total < 2_000_000: time.sleep(0.005)
print(total, digest.hexdigest(), child.wait())`;
    const script = join(place.directory, 'slow.py');
    writeFileSync(script, reader);
    const slow = spawn('python3', [script, process.execPath, ENTRY, 'logs', 'run_big/one'], {
      cwd: place.directory,
      env: place.env(),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    slow.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await new Promise((resolve) => slow.on('close', resolve));
    const { createHash } = await import('node:crypto');
    expect(said.trim()).toBe(`${whole.length} ${createHash('sha256').update(whole).digest('hex')} 0`);
  });

  it('FF-079: a reader that closes early is a quiet end, without a stack trace', async () => {
    using place = new Place(bigScenario());
    for (const args of [
      ['logs', 'run_big/one'],
      ['events', 'run_big'],
      ['status', '--json'],
    ]) {
      const child = spawn(process.execPath, [ENTRY, ...args], {
        cwd: place.directory,
        env: place.env(),
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let stderr = '';
      child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
      child.stdout.once('readable', () => child.stdout.destroy());
      const code = await new Promise((resolve) => child.on('close', resolve));
      expect(stderr).toBe('');
      expect(code).toBe(0);
    }
  });

  it('FF-080: nothing sent to a pipe holds an escape or a carriage return, at any width', async () => {
    using place = new Place(hardenScenario());
    const ref = HARDEN.slice(0, 20);
    writeFileSync(
      join(place.directory, 'plan.json'),
      JSON.stringify({ items: [{ id: 'a', command: 'true' }] }),
    );
    const commands = [
      [],
      ['show', ref],
      ['watch', ref],
      ['watch', ref, '--progress', 'live'],
      ['logs', ref],
      ['events', ref],
      ['explain', `${ref}/lint`],
      ['plan', 'render', 'plan.json'],
      ['doctor'],
      ['config', 'get'],
      ['help'],
      ['nonsense'],
      ['completion', 'bash'],
    ];
    for (const args of commands) {
      const narrow = await place.pal(args, { env: { COLUMNS: '20' } });
      const wide = await place.pal(args, { env: { COLUMNS: '400' } });
      for (const { stdout, stderr } of [narrow, wide]) {
        expect(stdout + stderr, args.join(' ')).not.toMatch(/[\u001B\r\u009B]/);
        expect(stdout + stderr).not.toContain('…');
      }
      if (args[0] !== undefined && args[0] !== 'doctor')
        expect(wide.stdout, args.join(' ')).toBe(narrow.stdout);
    }
  }, 240_000);

  it('FF-077: every command starts at once with an open standard input nobody writes to', async () => {
    using place = new Place(hardenScenario());
    const ref = HARDEN.slice(0, 20);
    for (const args of [
      [],
      ['show', ref],
      ['watch', ref],
      ['run', 'none.json'],
      ['secret', 'put', 'x'],
      ['apply', ref],
      ['doctor'],
      ['help'],
      ['version'],
    ]) {
      const child = spawn(process.execPath, [ENTRY, ...args], {
        cwd: place.directory,
        env: place.env(),
        stdio: ['pipe', 'ignore', 'ignore'],
      });
      const code = await new Promise<number | null>((resolve, reject) => {
        const limit = setTimeout(() => {
          child.kill('SIGKILL');
          reject(new Error(`${args.join(' ')} waited for input`));
        }, 30_000);
        child.on('close', (status) => {
          clearTimeout(limit);
          resolve(status);
        });
      });
      child.stdin.destroy();
      expect(code).not.toBeNull();
    }
  }, 180_000);

  it('FF-076: a big log piped into a command that takes text is data: accepted or refused in one line', async () => {
    using place = new Place({ runs: [], answers: { 'plans.validate': { ok: true, items: 1, issues: [] } } });
    const log = Buffer.alloc(10 * 1024 * 1024, 'error: something\n');
    const refused = await place.pal(['plan', 'validate', '-'], { input: log });
    expect(refused.code).toBe(2);
    expect(refused.stderr.split('\n')[0]).toMatch(/^failed: - is not JSON/);
    const ignored = await place.pal(['status'], { input: log });
    expect(ignored.code).toBe(0);
  });
});
