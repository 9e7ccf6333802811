import { lstat, mkdir, readdir, readFile, rm, stat, symlink, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { product, patchFile, clone } from '../test/apply-fixture.ts';
import { capture, git, refusal, repository, scratch, userEnv, workspace, write } from '../test/repository.ts';
import { withApplyTarget } from './apply-target.ts';
import { applyPlanned, planApply, revertApplied } from './index.ts';

test('FF-135: applying runs no filter, fsmonitor, hook or diff program that the checkout names', async () => {
  const repo = await repository({
    'a.txt': 'a\n',
    'b.dat': 'b\n',
    '.gitattributes': '*.dat filter=evil diff=evil\n',
  });
  const file = await product(repo, (directory) => write(directory, { 'a.txt': 'A\n', 'b.dat': 'B\n' }));
  const target = await clone(repo);
  const marker = join(await scratch('plain'), 'marker');
  for (const name of [
    'filter.evil.clean',
    'filter.evil.smudge',
    'core.fsmonitor',
    'diff.external',
    'diff.evil.textconv',
  ])
    await git(target, ['config', name, `touch ${marker}; cat`]);
  const plan = await planApply({ directory: target, patches: [{ item: 'x', file }] });
  await revertApplied(await applyPlanned(plan, { stage: true }), target);
  await expect(lstat(marker)).rejects.toThrow('ENOENT');
  await write(target, { 'b.dat': 'touched\n' });
  await git(target, ['diff']).catch(() => '');
  expect((await lstat(marker)).isFile()).toBe(true);
});

test('a patch that climbs out, enters .git or goes through a symlink writes nothing outside', async () => {
  const repo = await repository({ 'd/a.txt': 'a\n' });
  const outside = await scratch();
  const target = await clone(repo);
  for (const path of [
    '../out.txt',
    '/etc/x',
    '.git/hooks/post-commit',
    'x/.GIT/config',
    // What HFS+ and NTFS take for `.git`, and a checkout that folds case for the control plane.
    '.g\u200cit/hooks/post-checkout',
    'git~1/hooks/post-checkout',
    'x/GI7EBA~1/config',
    '.git./hooks/x',
    '.git . /hooks/x',
    '.git::$INDEX_ALLOCATION/hooks/x',
    'x\\.git\\hooks\\x',
    '.Palisade/config.toml',
  ]) {
    const file = await patchFile(
      `diff --git a/${path} b/${path}\nnew file mode 100755\nindex 0000000..1234567\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+x\n`,
    );
    expect(await refusal(planApply({ directory: target, patches: [{ item: 'evil', file }] }))).toMatchObject({
      code: 'unsafe_path',
    });
  }
  // One byte that is no UTF-8 makes the name a quoted one.
  const quoted = '"b/.g\\342\\200\\214it/\\377"';
  const disguised = await patchFile(
    `diff --git ${quoted.replace('b/', 'a/')} ${quoted}\nnew file mode 100755\nindex 0000000..1234567\n--- /dev/null\n+++ ${quoted}\n@@ -0,0 +1 @@\n+x\n`,
  );
  expect(
    await refusal(planApply({ directory: target, patches: [{ item: 'evil', file: disguised }] })),
  ).toMatchObject({ code: 'unsafe_path' });
  await symlink(outside, join(target, 'link'));
  const through = await patchFile(
    'diff --git a/link/x b/link/x\nnew file mode 100644\nindex 0000000..1234567\n--- /dev/null\n+++ b/link/x\n@@ -0,0 +1 @@\n+x\n',
  );
  expect(
    await refusal(planApply({ directory: target, patches: [{ item: 'evil', file: through }] })),
  ).toMatchObject({
    code: 'target_dirty',
  });
  expect(await readdir(outside)).toEqual([]);
});

test('what is deleted in a repository of SHA-256 objects is captured, applied and put back', async () => {
  const repo = await repository(
    { 'gone.txt': 'g\n', 'folder/a.txt': 'a\n', 'kept.txt': 'k\n', 'setup.txt': 's\n' },
    'sha256',
  );
  const overlaid = await workspace(repo, {
    overlay: (directory) => write(directory, { 'setup.txt': 'changed\n' }),
  });
  for (const path of ['gone.txt', 'folder/a.txt', 'setup.txt']) await unlink(join(overlaid.directory, path));
  await rm(join(overlaid.directory, 'folder'), { recursive: true });
  await write(overlaid.directory, { folder: 'a file now\n' });
  const { patchPath: file } = await capture(overlaid);
  const target = await clone(repo);
  const record = await applyPlanned(await planApply({ directory: target, patches: [{ item: 'x', file }] }));
  expect((await readdir(target)).sort()).toEqual(['.git', 'folder', 'kept.txt']);
  await revertApplied(record, target);
  expect(await git(target, ['status', '--porcelain'])).toBe('');
});

test("git itself keeps a checkout's .git closed in every disguise while a product is applied", async () => {
  const target = await clone(await repository({ 'a.txt': 'a\n' }));
  await withApplyTarget(target, 'sha1', async ({ git: own, scratch: folder }) => {
    const index = own.with({ indexFile: join(folder, 'any.index') });
    const blob = await own.text(['hash-object', '-w', '--stdin'], { input: Buffer.from('x') });
    for (const path of ['.g\u200cit/hooks/x', 'git~1/hooks/x', '.git./x'])
      expect(
        await refusal(index.run(['update-index', '--add', '--cacheinfo', `100755,${blob},${path}`])),
        path,
      ).toMatchObject({ code: 'patch_conflict' });
  });
});

test('a product applies to a plain folder, and to a linked work tree without touching the main one', async () => {
  const repo = await repository({ 'a.txt': 'a\n' });
  const file = await product(repo, (directory) => write(directory, { 'a.txt': 'A\n' }));
  const folder = await scratch();
  await write(folder, { 'a.txt': 'a\n' });
  const record = await applyPlanned(await planApply({ directory: folder, patches: [{ item: 'x', file }] }));
  expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('A\n');
  await revertApplied(record, folder);
  expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('a\n');

  const linked = join(await scratch(), 'linked');
  await git(repo, ['worktree', 'add', '-q', linked]);
  await mkdir(join(linked, 'sub'));
  await applyPlanned(await planApply({ directory: join(linked, 'sub'), patches: [{ item: 'x', file }] }));
  expect(await readFile(join(linked, 'a.txt'), 'utf8')).toBe('A\n');
  expect(await readFile(join(repo, 'a.txt'), 'utf8')).toBe('a\n');
  await writeFile(join(linked, '.git'), 'gitdir: /nonexistent\n');
  expect(await refusal(planApply({ directory: linked, patches: [{ item: 'x', file }] }))).toMatchObject({
    code: 'requirements_unmet',
  });
});

test('FF-021: a checkout of another owner is read and changed without any global configuration', async () => {
  const repo = await repository({ 'a.txt': 'a\n' });
  const file = await product(repo, (directory) => write(directory, { 'a.txt': 'A\n' }));
  const target = await clone(repo);
  if (process.geteuid?.() === 0) {
    const { execFileSync } = await import('node:child_process');
    execFileSync('chown', ['-R', '65534:65534', target]);
    await expect(git(target, ['status'], userEnv('/nonexistent'))).rejects.toThrow('dubious ownership');
  }
  await applyPlanned(await planApply({ directory: target, patches: [{ item: 'x', file }] }));
  expect(await readFile(join(target, 'a.txt'), 'utf8')).toBe('A\n');
  if (process.geteuid?.() === 0) expect((await stat(join(target, 'a.txt'))).uid).toBe(65534);
});
