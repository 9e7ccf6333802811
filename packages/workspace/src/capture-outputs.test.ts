import { execFileSync, spawn } from 'node:child_process';
import { mkdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { contentHash } from '@palisade/contracts';
import { expect, onTestFinished, test } from 'vitest';
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

test('capturing outputs ends when its time is over or it is called off', async () => {
  const { handle, outputs, destination } = await prepared();
  await write(outputs, { 'a.txt': 'a' });
  await expect(captureOutputs(handle, { destination, timeoutMs: 0 })).rejects.toMatchObject({
    code: 'timed_out',
  });
  await expect(captureOutputs(handle, { destination, signal: AbortSignal.abort() })).rejects.toMatchObject({
    code: 'canceled',
  });
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
  const racer = spawn(process.execPath, ['-e', RACE, outputs, outside], { stdio: 'ignore' });
  onTestFinished(() => void racer.kill('SIGKILL'));
  let taken = 0;
  let skipped = 0;
  for (let i = 0; i < 20_000 && (i < 300 || taken === 0 || skipped === 0); i++) {
    const captured = await captureOutputs(handle, { destination });
    for (const output of captured.outputs) {
      expect(await readFile(join(destination, output.file), 'utf8')).toBe('mine');
      taken++;
    }
    skipped += captured.warnings.length;
  }
  expect([taken > 0, skipped > 0]).toEqual([true, true]);
});

/** Swaps the folder `d` for a symlink and back, for ever. */
const RACE = `
const fs = require('node:fs');
const [outputs, outside] = process.argv.slice(1);
for (;;) {
  fs.renameSync(outputs + '/d', outputs + '/../aside');
  fs.symlinkSync(outside, outputs + '/d');
  for (let i = 0; i < 20; i++) fs.lstatSync(outputs);
  fs.unlinkSync(outputs + '/d');
  fs.renameSync(outputs + '/../aside', outputs + '/d');
  for (let i = 0; i < 20; i++) fs.lstatSync(outputs);
}
`;
