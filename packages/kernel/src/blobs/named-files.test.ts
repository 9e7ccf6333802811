import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fileNamedFiles } from './named-files.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'palisade-named-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

it('a name is written, read and replaced; an unwritten one is null', async () => {
  const files = fileNamedFiles(root);
  expect(await files.read('tile/0/x001/067')).toBeNull();
  await files.write('tile/0/x001/067', Buffer.from('first'));
  await files.write('tile/0/x001/067', Buffer.from('second'));
  expect((await files.read('tile/0/x001/067'))?.toString()).toBe('second');
  expect(await files.read('tile/0/x001')).toBeNull();
  expect(await files.read('tile/0/x001/067/deeper')).toBeNull();
  expect(await readdir(join(root, '.tmp'))).toEqual([]);
});

it('a removed file is gone, and removing what is not there is no error', async () => {
  const files = fileNamedFiles(root);
  await files.write('tile/a', Buffer.from('x'));
  for (const name of ['tile/a', 'tile/a', 'none/at/all', 'tile/a/deeper']) await files.remove?.(name);
  expect(await files.read('tile/a')).toBeNull();
  await expect(files.remove?.('../x')).rejects.toMatchObject({ code: 'invalid_input' });
});

it('removing a name removes what lies below it, and nothing beside it', async () => {
  const files = fileNamedFiles(root);
  for (const name of ['tile/b.p/1', 'tile/b.p/255', 'tile/b']) await files.write(name, Buffer.from(name));
  await files.remove?.('tile/b.p');
  expect(await files.read('tile/b.p/1')).toBeNull();
  expect(await files.read('tile/b.p/255')).toBeNull();
  expect((await files.read('tile/b'))?.toString()).toBe('tile/b');
});

it('names that could leave the directory, or differ only in case, are refused', async () => {
  const files = fileNamedFiles(root);
  for (const name of [
    '',
    '/',
    '/a',
    'a/',
    'a//b',
    '..',
    'a/../b',
    '.tmp/x',
    'A',
    'a\\b',
    'a\u0000',
    'ä',
    'a..b',
  ]) {
    await expect(files.write(name, Buffer.from('x')), name).rejects.toMatchObject({ code: 'invalid_input' });
    await expect(files.read(name), name).rejects.toMatchObject({ code: 'invalid_input' });
  }
  expect(await readdir(root)).toEqual([]);
});

it('a reader racing writers always sees one whole content', async () => {
  const [writer, other] = [fileNamedFiles(root), fileNamedFiles(root)];
  const contents = ['a', 'b', 'c'].map((letter) => letter.repeat(50_000));
  await writer.write('checkpoint', Buffer.from('a'.repeat(50_000)));
  const done = new AbortController();
  const reading = (async () => {
    while (!done.signal.aborted) expect(contents).toContain((await other.read('checkpoint'))?.toString());
  })();
  for (let i = 0; i < 60; i++) await writer.write('checkpoint', Buffer.from(contents[i % 3] ?? ''));
  done.abort();
  await reading;
});
