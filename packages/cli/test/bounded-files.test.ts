import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { limits } from '@palisade/contracts';
import { describe, expect, it } from 'vitest';
import { ENTRY, Place } from './place.ts';

const BUNDLE = join(import.meta.dirname, '../../evidence/vectors/intact.json');
const PLAN = '{"items":[{"id":"a","command":"true"}]}';
const answers = { 'plans.validate': { ok: true, items: 1, issues: [] } };

/** Whether a process has a file open. */
function holds(pid: number | undefined, path: string): boolean {
  const open = `/proc/${pid}/fd`;
  return readdirSync(open).some((name) => {
    try {
      return readlinkSync(join(open, name)) === path;
    } catch {
      // It was closed meanwhile.
      return false;
    }
  });
}

/** The command in a process with little memory; killed, and null, when it has not ended in time. */
async function ended(place: Place, args: readonly string[], ms = 20_000) {
  const child = spawn('prlimit', ['--as=4294967296', process.execPath, ENTRY, ...args], {
    cwd: place.directory,
    env: place.env(),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const limit = setTimeout(() => child.kill('SIGKILL'), ms);
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  clearTimeout(limit);
  return { code, stderr };
}

describe('files that never end', () => {
  it('settings of a repository are a small regular file, or every command says so at once', async () => {
    using place = new Place({ runs: [] });
    const file = join(place.directory, '.palisade.toml');
    const refused = async (make: () => void, why: string): Promise<void> => {
      make();
      const { code, stderr } = await place.pal(['status']);
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(why) });
      rmSync(file, { recursive: true });
    };
    await refused(() => execFileSync('mkfifo', [file]), 'is no regular file');
    await refused(() => mkdirSync(file), 'is no regular file');
    await refused(() => symlinkSync('/dev/zero', file), 'is a symbolic link');
    await refused(() => symlinkSync(place.scenarioFile, file), 'is a symbolic link');
    await refused(() => writeFileSync(file, `# ${'x'.repeat(65_536)}`), 'is larger than 65536 bytes');
    // The user's own file may lie elsewhere, and is bounded all the same.
    const own = join(place.directory, '.config/palisade/config.toml');
    mkdirSync(join(own, '..'), { recursive: true });
    writeFileSync(join(place.directory, 'kept.toml'), 'color = "never"\n');
    symlinkSync(join(place.directory, 'kept.toml'), own);
    expect((await place.pal(['config', 'get', 'color'])).stdout).toBe('never\n');
    rmSync(own);
    symlinkSync('/dev/zero', own);
    expect((await place.pal(['status'])).stderr).toContain('is no regular file');
  }, 60_000);

  it('a plan, a bundle, a trust root, a secret and a capability that are devices are refused at their limit', async () => {
    using place = new Place({ runs: [], answers });
    symlinkSync('/dev/zero', join(place.directory, 'zero'));
    for (const args of [
      ['plan', 'validate', 'zero'],
      ['verify', 'zero'],
      ['verify', BUNDLE, '--trust', 'zero'],
      ['env', 'register', 'e', '--secret-file', 'KEY=zero'],
    ]) {
      const { code, stderr } = await ended(place, args);
      expect(code, stderr).toBe(2);
      expect(stderr).toMatch(/larger than \d+ bytes/);
    }
    const tree = join(place.directory, 'tree');
    mkdirSync(tree);
    symlinkSync('/dev/zero', join(tree, 'a'));
    const { code, stderr } = await place.pal(['capability', 'register', 'c', 'tree']);
    expect(code).toBe(2);
    expect(stderr).toContain('a is a symbolic link or special file');
    rmSync(join(tree, 'a'));
    writeFileSync(join(tree, 'big'), Buffer.alloc(limits.capabilityBytes + 1));
    expect((await place.pal(['capability', 'register', 'c', 'tree'])).stderr).toContain('files are larger');
  }, 120_000);

  it('FF-077: a pipe is read to its end, and one that nobody writes to can be left', async () => {
    using place = new Place({ runs: [], answers });
    const script = `exec "${process.execPath}" "${ENTRY}" plan validate <(sleep 0.3; printf '%s' '${PLAN}')`;
    const given = spawn('bash', ['-c', script], { cwd: place.directory, env: place.env(), stdio: 'ignore' });
    expect(await new Promise((resolve) => given.on('close', resolve))).toBe(0);
    const pipe = join(place.directory, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const waiting = spawn(process.execPath, [ENTRY, 'plan', 'validate', 'pipe'], {
      cwd: place.directory,
      env: place.env(),
      stdio: 'ignore',
    });
    while (!holds(waiting.pid, pipe)) await delay(20);
    waiting.kill('SIGINT');
    expect(await new Promise((resolve) => waiting.on('close', resolve))).toBe(130);
  }, 60_000);
});
