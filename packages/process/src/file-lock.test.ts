import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { afterFileLock, withFileLock, withSharedLock } from './file-lock.ts';

const DOOR = new URL('./file-lock.ts', import.meta.url).href;
const wish = { busy: 'it is held', patienceMs: 0 };

let directory: string;
let file: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'palisade-lock-'));
  file = join(directory, 'a.lock');
  onTestFinished(() => rmSync(directory, { recursive: true }));
});

/** Another process that holds the lock until it is killed. */
async function holder(how: 'withFileLock' | 'withSharedLock'): Promise<() => Promise<void>> {
  const story = `const { ${how} } = await import('${DOOR}');
    await ${how}('${file}', { busy: 'x' }, () => new Promise(() => {
      console.log('held');
      setInterval(() => {}, 1_000);
    }));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', story], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return async () => {
    child.kill('SIGKILL');
    await once(child, 'close');
  };
}

const take = () => withFileLock(file, wish, async () => 'had');
const share = () => withSharedLock(file, wish, async () => 'had');
const held = { code: 'lease_held', message: 'it is held' };

it('a lock that a process holds alone nobody else has, and it ends with the process; nothing is left beside it', async () => {
  const kill = await holder('withFileLock');
  await expect(take()).rejects.toMatchObject(held);
  await expect(share()).rejects.toMatchObject(held);
  await expect(afterFileLock(file, wish)).rejects.toMatchObject(held);
  await kill();
  expect([await take(), await share()]).toEqual(['had', 'had']);
  await afterFileLock(file, wish);
  expect(readdirSync(directory)).toEqual(['a.lock']);
  expect(statSync(file)).toMatchObject({ size: 0 });
});

it('AO-187: a lock that is shared others share too, and nobody has it alone until the last one ends', async () => {
  const kills = [await holder('withSharedLock'), await holder('withSharedLock')];
  for (const kill of kills) {
    expect(await share()).toBe('had');
    await expect(take()).rejects.toMatchObject(held);
    await kill();
  }
  expect(await take()).toBe('had');
});

it('AO-187: a lock is shared also where its file can only be read', async () => {
  await take();
  chmodSync(file, 0o400);
  expect(await share()).toBe('had');
});

it('whoever waits has it when it is free', async () => {
  const kill = await holder('withSharedLock');
  const waiting = withFileLock(file, { busy: 'x', patienceMs: 20_000 }, async () => 'had');
  await new Promise((resolve) => setTimeout(resolve, 200));
  await kill();
  expect(await waiting).toBe('had');
});
