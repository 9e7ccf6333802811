import { execFileSync } from 'node:child_process';
import { mkdir, rm, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { capture, repository, workspace, write } from '../test/repository.ts';

const isRoot = process.geteuid?.() === 0;
const names = (files: readonly { path: string; status: string }[]) =>
  files.map((file) => `${file.status} ${file.path}`).sort();

const traps: readonly (readonly [string, string, readonly string[]])[] = [
  ['a fifo', '.gitignore', ['mkfifo']],
  ['a fifo', '.gitattributes', ['mkfifo']],
  ['a fifo', '.gitmodules', ['mkfifo']],
  ['a fifo in an ignored folder', 'ignored/deep/.gitignore', ['mkfifo']],
  ['a fifo as the head of a nested repository', 'nested/.git/HEAD', ['mkfifo']],
  ['a symlink to a device without an end', '.gitignore', ['ln', '-s', '/dev/zero']],
  ['more than git should take into memory', '.gitignore', ['truncate', '-s', '4G']],
  ...(isRoot
    ? [['a device without an end', '.gitattributes', ['sh', '-c', 'mknod "$1" c 1 5', 'sh']] as const]
    : []),
];

test.each(traps)(
  'FF-135: %s (%s), which git itself would open, is noticed at once',
  async (_what, name, command) => {
    const handle = await workspace(await repository({ 'a.txt': 'a\n', '.gitignore': 'ignored/\n' }));
    await write(handle.directory, { 'a.txt': 'A\n', 'nested/.git/objects/x': '', 'nested/.git/refs/x': '' });
    const [program = '', ...args] = command;
    const at = join(handle.directory, name);
    await mkdir(dirname(at), { recursive: true });
    await rm(at, { force: true });
    execFileSync(program, [...args, at]);
    await expect(capture(handle)).rejects.toMatchObject({
      code: 'capture_failed',
      message: expect.stringContaining(name),
    });
  },
);

test('a list of ignored files that is a symlink counts as git counts it: not at all', async () => {
  const handle = await workspace(await repository({ 'a.txt': 'a\n', 'b/rules': '*.log\n' }));
  await write(handle.directory, { 'b/new.log': 'n\n' });
  await symlink('rules', join(handle.directory, 'b/.gitignore'));
  await symlink('nowhere', join(handle.directory, '.gitattributes'));
  expect(names((await capture(handle)).files)).toEqual(['A .gitattributes', 'A b/.gitignore', 'A b/new.log']);
});
