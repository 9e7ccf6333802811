import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DirectorySync } from './directory-sync.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'palisade-sync-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

/** A sync that ends when the test says so. */
function controlled() {
  const started: string[] = [];
  const finish: (() => void)[] = [];
  const sync = (directory: string): Promise<void> => {
    started.push(directory);
    return new Promise((resolve) => {
      finish.push(resolve);
    });
  };
  return { sync, started, finish: () => finish.shift()?.() };
}

it('many callers during one sync share the next one, and none shares the running one', async () => {
  const { sync, started, finish } = controlled();
  const directories = new DirectorySync(sync);
  const first = directories.sync('d');
  const later = Array.from({ length: 50 }, () => directories.sync('d'));
  expect(started).toEqual(['d']);
  let isLaterDone = false;
  const waitForAll = async (): Promise<void> => {
    await Promise.all(later);
    isLaterDone = true;
  };
  const all = waitForAll();
  finish();
  await first;
  await new Promise(setImmediate);
  expect(started).toEqual(['d', 'd']);
  expect(isLaterDone).toBe(false);
  finish();
  await all;
  expect(started).toHaveLength(2);
});

it('a failed sync fails those who asked for it and nobody after', async () => {
  let calls = 0;
  const directories = new DirectorySync(async () => {
    if (++calls === 1) throw new Error('EIO');
  });
  const first = directories.sync('d');
  const second = directories.sync('d');
  await expect(first).rejects.toThrow('EIO');
  await second;
  await directories.sync('d');
  expect(calls).toBe(3);
});

it('DI-028: a directory counts as made only after its entry in the parent is synced', async () => {
  const synced: string[] = [];
  let isBroken = true;
  const directories = new DirectorySync(async (directory) => {
    if (isBroken) throw new Error('EIO');
    synced.push(directory);
  });
  const deep = join(root, 'a', 'b');
  await expect(directories.ensure(deep, root)).rejects.toThrow('EIO');
  isBroken = false;
  await directories.ensure(deep, root);
  expect(synced.slice(1)).toEqual([root, join(root, 'a')]);
  synced.length = 0;
  await directories.ensure(deep, root);
  expect(synced).toEqual([]);
});
