import { chmod, mkdir, readdir, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  capture,
  commitAll,
  git,
  repository,
  scratch,
  treeAfterApply,
  treeOf,
  workspace,
  write,
} from '../test/repository.ts';

const SEEN = (files: readonly { path: string; status: string }[]) =>
  files.map((file) => `${file.status} ${file.path}`).sort();

test('FF-134: the agent gets a repository with history, a clean status and no hooks, and add -A stages nothing', async () => {
  const repo = await repository({ 'a.txt': 'one\n', '.hidden': 'x', 'dir/b.sh': '#!/bin/sh\n' });
  await write(repo, { 'a.txt': 'two\n' });
  await commitAll(repo, 'second');
  const { directory } = await workspace(repo);
  expect(await git(directory, ['status', '--porcelain', '--ignored'])).toBe('');
  await git(directory, ['add', '-A']);
  expect(await git(directory, ['status', '--porcelain'])).toBe('');
  expect((await git(directory, ['log', '--format=%s'])).trim().split('\n')).toEqual(['second', 'first']);
  expect(await readdir(join(directory, '.git'))).not.toContain('hooks');
});

test('an attempt that changes nothing has an empty product', async () => {
  const handle = await workspace(await repository({ 'a.txt': 'one\n' }));
  const captured = await capture(handle);
  expect(captured).toMatchObject({ empty: true, bytes: 0, hash: null, files: [], warnings: [] });
});

test('FF-003: a new empty file and the deletion of an empty one are both captured', async () => {
  const repo = await repository({ 'gone.txt': '', 'a.txt': 'x' });
  const handle = await workspace(repo);
  await unlink(join(handle.directory, 'gone.txt'));
  await write(handle.directory, { 'new.txt': '' });
  const captured = await capture(handle);
  expect(SEEN(captured.files)).toEqual(['A new.txt', 'D gone.txt']);
  expect(await treeAfterApply(repo, captured.patchPath)).toBe(await treeOf(handle.directory));
});

test('FF-001: a mode-only change is captured and shown as a mode change', async () => {
  const repo = await repository({ 'run.sh': '#!/bin/sh\n', 'tool.sh': 'x\n' });
  await chmod(join(repo, 'run.sh'), 0o755);
  await commitAll(repo, 'executable');
  const handle = await workspace(repo);
  await write(handle.directory, { 'run.sh': '#!/bin/sh\necho\n' });
  await chmod(join(handle.directory, 'tool.sh'), 0o755);
  const captured = await capture(handle);
  expect(captured.files).toEqual([
    {
      path: 'run.sh',
      status: 'M',
      oldMode: '100755',
      newMode: '100755',
      added: 1,
      deleted: 0,
      binary: false,
    },
    {
      path: 'tool.sh',
      status: 'M',
      oldMode: '100644',
      newMode: '100755',
      added: 0,
      deleted: 0,
      binary: false,
    },
  ]);
  expect(await treeAfterApply(repo, captured.patchPath)).toBe(await treeOf(handle.directory));
});

test('FF-004: new text, binary and unterminated files are captured in full although nobody staged them', async () => {
  const repo = await repository({ 'a.txt': 'x' });
  const handle = await workspace(repo);
  await write(handle.directory, {
    'deep/er/text.txt': 'line\n',
    'binary.bin': Buffer.from([0, 1, 2, 255, 0, 13, 10]),
    'no newline': 'end',
  });
  const captured = await capture(handle);
  expect(SEEN(captured.files)).toEqual(['A binary.bin', 'A deep/er/text.txt', 'A no newline']);
  expect(await treeAfterApply(repo, captured.patchPath)).toBe(await treeOf(handle.directory));
});

test('FF-029: committing, branching, deleting branches and detaching change nothing about the product', async () => {
  const repo = await repository({ 'a.txt': 'one\n', 'b.txt': 'b\n' });
  const handle = await workspace(repo);
  const { directory } = handle;
  await git(directory, ['switch', '-q', '-c', 'feature']);
  await write(directory, { 'a.txt': 'two\n', 'staged.txt': 's\n' });
  await git(directory, ['commit', '-q', '-am', 'work']);
  await git(directory, ['branch', '-D', 'work']);
  await git(directory, ['add', 'staged.txt']);
  await git(directory, ['branch', '-m', 'feature', 'other']);
  await git(directory, ['checkout', '-q', '--detach']);
  await unlink(join(directory, 'b.txt'));
  const captured = await capture(handle);
  expect(SEEN(captured.files)).toEqual(['A staged.txt', 'D b.txt', 'M a.txt']);
  expect(await treeAfterApply(repo, captured.patchPath)).toBe(await treeOf(directory));
});

test.each([
  ['deleted', (directory: string) => rm(join(directory, '.git'), { recursive: true })],
  ['corrupted', (directory: string) => writeFile(join(directory, '.git/HEAD'), 'garbage')],
  [
    'replaced by a link file to nowhere',
    async (directory: string) => {
      await rm(join(directory, '.git'), { recursive: true });
      await writeFile(join(directory, '.git'), 'gitdir: /nonexistent\n');
    },
  ],
  ['moved away', (directory: string) => rename(join(directory, '.git'), join(directory, 'hidden'))],
])(
  'FF-020: a workspace whose repository was %s, inside another repository, is still captured and the other is untouched',
  async (how, breakIt) => {
    const repo = await repository({ 'a.txt': 'one\n' });
    const handle = await workspace(repo);
    const outer = join(handle.directory, '..');
    await git(outer, ['init', '-q']);
    await git(outer, ['commit', '-q', '--allow-empty', '-m', 'outer']);
    const before = await treeOf(join(outer, '.git'));
    await write(handle.directory, { 'a.txt': 'two\n' });
    await breakIt(handle.directory);
    const captured = await capture(handle);
    expect(SEEN(captured.files)).toEqual(['M a.txt']);
    expect(captured.warnings.length).toBe(how === 'moved away' ? 1 : 0);
    expect(await treeOf(join(outer, '.git'))).toBe(before);
  },
);

test('FF-014: an inner repository is captured as files, without a pointer, and a warning names it', async () => {
  const repo = await repository({ 'a.txt': 'one\n' });
  const handle = await workspace(repo);
  const inner = join(handle.directory, 'app/scaffold');
  await write(inner, { 'main.ts': 'code\n', '.gitignore': 'dist/\n', 'dist/x.js': 'built\n' });
  await git(inner, ['init', '-q']);
  await git(inner, ['add', '-A']);
  await git(inner, ['commit', '-q', '-m', 'scaffold']);
  await write(join(handle.directory, 'unborn'), { 'file.txt': 'x' });
  await git(join(handle.directory, 'unborn'), ['init', '-q']);
  const captured = await capture(handle);
  expect(SEEN(captured.files)).toEqual([
    'A app/scaffold/.gitignore',
    'A app/scaffold/main.ts',
    'A unborn/file.txt',
  ]);
  expect(captured.patch.includes('160000')).toBe(false);
  expect(captured.warnings.join('\n')).toContain('app/scaffold is a nested repository');
});

test('FF-005 FF-010: names with emoji, accents, tab, quotes, newline and " b/" are listed exactly as they are', async () => {
  const names = [
    'naïve café.txt',
    'tab\there',
    'say "hi"',
    'line\nbreak',
    'x b/x b/y',
    '"',
    ' lead',
    'trail ',
    '-rf',
    '🐙\t🦑',
    'a\\b',
  ];
  const repo = await repository({ 'a.txt': 'one\n', 'old b/old': 'x' });
  const handle = await workspace(repo);
  await write(handle.directory, Object.fromEntries(names.map((name) => [name, `${name}\n`])));
  await unlink(join(handle.directory, 'old b/old'));
  const odd = Buffer.from([0x63, 0x61, 0x66, 0xe9]);
  await writeFile(Buffer.concat([Buffer.from(`${handle.directory}/`), odd]), 'latin1 name');
  const captured = await capture(handle);
  const expected = names.map((name) => (name === '"' ? String.raw`"\""` : name));
  expect(SEEN(captured.files)).toEqual(
    [...expected.map((name) => `A ${name}`), 'A "caf\\351"', 'D old b/old'].sort(),
  );
  expect(await treeAfterApply(repo, captured.patchPath)).toBe(await treeOf(handle.directory));
});

test('symlinks, type changes and files in place of folders are captured; nothing is followed', async () => {
  const outside = await scratch();
  await write(outside, { secret: 'host secret' });
  const repo = await repository({ 'f.txt': 'x\n', 'd/one': '1', 'd/two': '2', e: 'file', 'keep/me': 'k' });
  const handle = await workspace(repo);
  const { directory } = handle;
  await unlink(join(directory, 'f.txt'));
  await symlink(join(outside, 'secret'), join(directory, 'f.txt'));
  await rm(join(directory, 'd'), { recursive: true });
  await symlink(outside, join(directory, 'd'));
  await unlink(join(directory, 'e'));
  await write(directory, { 'e/inner': 'now a folder' });
  await symlink('/dev/zero', join(directory, 'endless'));
  const captured = await capture(handle);
  expect(SEEN(captured.files)).toEqual([
    'A d',
    'A e/inner',
    'A endless',
    'D d/one',
    'D d/two',
    'D e',
    'T f.txt',
  ]);
  expect(captured.patch.includes('host secret')).toBe(false);
  expect(await treeAfterApply(repo, captured.patchPath)).toBe(await treeOf(directory));
});

test('ignored files stay out, tracked ones that are ignored and ones added by force are captured', async () => {
  const repo = await repository({ '.gitignore': '*.log\nbuild/\n', 'kept.log': 'tracked\n' });
  const handle = await workspace(repo);
  await write(handle.directory, {
    'kept.log': 'changed\n',
    'noise.log': 'n',
    'build/a': 'a',
    'build/forced': 'f',
  });
  await git(handle.directory, ['add', '-f', 'build/forced']);
  const captured = await capture(handle);
  expect(SEEN(captured.files)).toEqual(['A build/forced', 'M kept.log']);
});

test('FF-017: a compiled binary, a changed image and a source edit make one product that applies to a fresh clone', async () => {
  const repo = await repository({
    'logo.png': Buffer.from([0x89, 0x50, 0, 1, 2]),
    'src/main.c': 'int main(){}\n',
  });
  const handle = await workspace(repo);
  await write(handle.directory, {
    'logo.png': Buffer.from([0x89, 0x50, 0, 9, 9, 9]),
    'src/main.c': 'int main(){return 0;}\n',
    'a.out': Buffer.concat([Buffer.from('\x7fELF'), Buffer.alloc(5000)]),
  });
  await mkdir(join(handle.directory, 'empty folder'));
  await chmod(join(handle.directory, 'a.out'), 0o755);
  const captured = await capture(handle);
  expect(captured.files.map((file) => file.binary)).toEqual([true, true, false]);
  expect(await treeAfterApply(repo, captured.patchPath)).toBe(await treeOf(handle.directory));
});
