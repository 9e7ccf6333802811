import { execFileSync } from 'node:child_process';
import { mkdir, readFile, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { contentHash } from '@palisade/contracts';
import { expect, test } from 'vitest';
import { repository, scratch, workspace, write } from '../test/repository.ts';
import { captureOutputs } from './index.ts';

const prepared = async () => {
  const handle = await workspace(await repository({ 'a.txt': 'a' }));
  return {
    handle,
    outputs: join(handle.directory, 'outputs'),
    destination: join(await scratch(), 'products'),
  };
};

test('DI-116: regular files under outputs/ are copied in byte order with their hashes', async () => {
  const { handle, outputs, destination } = await prepared();
  await write(outputs, { 'b.txt': 'bee', 'a/z.bin': Buffer.from([0, 255]), Ü: 'u', empty: '' });
  await writeFile(Buffer.concat([Buffer.from(`${outputs}/`), Buffer.from([0xe9])]), 'odd');
  const captured = await captureOutputs(handle, { destination });
  expect(captured.warnings).toEqual([]);
  expect(captured.outputs.map((output) => output.path)).toEqual([
    'a/z.bin',
    'b.txt',
    'empty',
    'Ü',
    String.raw`"\351"`,
  ]);
  for (const output of captured.outputs) {
    const copy = await readFile(join(destination, output.file));
    expect([contentHash(copy), copy.length]).toEqual([output.hash, output.size]);
  }
});

test('DI-116: symlinks, fifos, big files and files beyond the count are skipped, and each is reported', async () => {
  const { handle, outputs, destination } = await prepared();
  const outside = await scratch();
  await write(outside, { secret: 'host secret' });
  await write(outputs, { 'a-kept': 'k', huge: '', 'z-late': 'l', 'z-later': 'l' });
  await truncate(join(outputs, 'huge'), 5_000);
  await symlink(join(outside, 'secret'), join(outputs, 'link'));
  await symlink(outside, join(outputs, 'linked folder'));
  execFileSync('mkfifo', [join(outputs, 'fifo')]);
  const captured = await captureOutputs(handle, { destination, maxFileBytes: 4_000, maxEntries: 2 });
  expect(captured.outputs.map((output) => output.path)).toEqual(['a-kept', 'z-late']);
  expect(captured.warnings).toEqual([
    'outputs/fifo is not a regular file and was skipped',
    'outputs/huge is bigger than 4000 bytes and was skipped',
    'outputs/link is a symlink and was skipped',
    'outputs/linked folder is a symlink and was skipped',
    '1 files beyond the first 2 were skipped',
  ]);
});

test('outputs/ itself replaced by a symlink or a file gives nothing and says so', async () => {
  const { handle, outputs, destination } = await prepared();
  const outside = await scratch();
  await write(outside, { secret: 'host secret' });
  await symlink(outside, outputs);
  const expected = { outputs: [], warnings: ['outputs is not a folder; nothing was taken from it'] };
  expect(await captureOutputs(handle, { destination })).toEqual(expected);
  await rm(outputs);
  expect(await captureOutputs(handle, { destination })).toEqual({ outputs: [], warnings: [] });
});

test('a folder swapped for a symlink while outputs are read never leads outside', async () => {
  const { handle, outputs, destination } = await prepared();
  const outside = await scratch();
  await write(outside, { file: 'host secret' });
  await mkdir(join(outputs, 'd'), { recursive: true });
  await write(join(outputs, 'd'), { file: 'mine' });
  let racing = true;
  const race = (async () => {
    while (racing) {
      await rename(join(outputs, 'd'), join(handle.directory, 'aside'));
      await symlink(outside, join(outputs, 'd'));
      await rm(join(outputs, 'd'));
      await rename(join(handle.directory, 'aside'), join(outputs, 'd'));
    }
  })();
  let taken = 0;
  for (let i = 0; i < 200; i++) {
    const { outputs: found } = await captureOutputs(handle, { destination });
    for (const output of found) {
      expect(await readFile(join(destination, output.file), 'utf8')).toBe('mine');
      taken++;
    }
  }
  racing = false;
  await race;
  expect(taken).toBeGreaterThan(0);
});
