import { chmod, readdir, readFile, stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { product, clone, indexHash } from '../test/apply-fixture.ts';
import {
  capture,
  commitAll,
  git,
  refusal,
  repository,
  scratch,
  treeOf,
  workspace,
  write,
} from '../test/repository.ts';
import { type AppliedRecord, applyPlanned, planApply, recordOf, revertApplied } from './index.ts';

test('FF-015: applying and reverting leave index and HEAD byte-identical, with something staged, and a second product still applies', async () => {
  const repo = await repository({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n' });
  const one = await product(repo, (directory) => write(directory, { 'a.txt': 'A\n', 'new/deep.txt': 'n\n' }));
  const two = await product(repo, (directory) => unlink(join(directory, 'b.txt')));
  const target = await clone(repo);
  await write(target, { 'c.txt': 'staged\n' });
  await git(target, ['add', 'c.txt']);
  const before = await indexHash(target);
  const head = await git(target, ['rev-parse', 'HEAD']);
  const original = await treeOf(target);

  const records: AppliedRecord[] = [];
  for (const [item, file] of [
    ['one', one],
    ['two', two],
  ] as const)
    records.push(await applyPlanned(await planApply({ directory: target, patches: [{ item, file }] })));
  expect(await readFile(join(target, 'new/deep.txt'), 'utf8')).toBe('n\n');
  expect(await readdir(target)).not.toContain('b.txt');
  expect(await indexHash(target)).toBe(before);

  for (const { patch, ...kept } of records.toReversed())
    await revertApplied({ ...(JSON.parse(JSON.stringify(kept)) as typeof kept), patch }, target);
  expect(await treeOf(target)).toBe(original);
  expect(await readdir(target)).not.toContain('new');
  expect(await indexHash(target)).toBe(before);
  expect(await git(target, ['rev-parse', 'HEAD'])).toBe(head);
});

test('products apply in order as one change, and staging puts them into the index only when asked for', async () => {
  const repo = await repository({ 'a.txt': '1\n2\n3\n4\n5\n6\n7\n8\n9\n' });
  const one = await product(repo, (directory) =>
    write(directory, { 'a.txt': 'one\n2\n3\n4\n5\n6\n7\n8\n9\n' }),
  );
  const two = await product(repo, (directory) =>
    write(directory, { 'a.txt': '1\n2\n3\n4\n5\n6\n7\n8\nnine\n' }),
  );
  const target = await clone(repo);
  const patches = [
    { item: 'one', file: one },
    { item: 'two', file: two },
  ];
  const record = await applyPlanned(await planApply({ directory: target, patches }), { stage: true });
  expect(await git(target, ['status', '--porcelain'])).toBe('M  a.txt\n');
  expect(await readFile(join(target, 'a.txt'), 'utf8')).toBe('one\n2\n3\n4\n5\n6\n7\n8\nnine\n');
  await revertApplied(record, target);
  expect(await git(target, ['status', '--porcelain'])).toBe('');
});

test('planning touches nothing, and a checkout that changed after planning is refused', async () => {
  const repo = await repository({ 'a.txt': 'a\n' });
  const file = await product(repo, (directory) => write(directory, { 'a.txt': 'A\n', 'b.txt': 'B\n' }));
  const target = await clone(repo);
  const [tree, index] = [await treeOf(target), await indexHash(target)];
  const objects = (await readdir(join(target, '.git'), { recursive: true })).sort();
  const plan = await planApply({ directory: target, patches: [{ item: 'x', file }] });
  expect(plan.files.map(({ status, path }) => `${status} ${path}`)).toEqual(['M a.txt', 'A b.txt']);
  expect([await treeOf(target), await indexHash(target)]).toEqual([tree, index]);
  expect((await readdir(join(target, '.git'), { recursive: true })).sort()).toEqual(objects);
  await write(target, { 'a.txt': 'meanwhile\n' });
  expect(await refusal(applyPlanned(plan))).toMatchObject({ code: 'stale_revision' });
  expect(await readFile(join(target, 'a.txt'), 'utf8')).toBe('meanwhile\n');
  expect(await readdir(target)).not.toContain('b.txt');
});

test('FF-024: a conflicting, dirty, blocked or mid-merge target is refused with item, file, git words and the next step', async () => {
  const repo = await repository({ 'a.txt': 'one\ntwo\nthree\n', 'b.txt': 'b\n' });
  const file = await product(repo, (directory) =>
    write(directory, { 'a.txt': 'one\nTWO\nthree\n', 'new.txt': 'n\n' }),
  );
  const plan = (directory: string) => planApply({ directory, patches: [{ item: 'fix-it', file }] });

  const moved = await clone(repo);
  await write(moved, { 'a.txt': 'one\nother\nthree\n' });
  await commitAll(moved, 'moved on');
  const conflict = await refusal(plan(moved));
  expect(conflict).toMatchObject({
    code: 'patch_conflict',
    next: expect.stringContaining('git apply --3way'),
  });
  expect(conflict.message).toContain('fix-it');
  expect(conflict.message).toContain('a.txt');
  expect(conflict.why).toContain('patch does not apply');

  const dirty = await clone(repo);
  await write(dirty, { 'a.txt': 'one\nuncommitted\nthree\n' });
  expect(await refusal(plan(dirty))).toMatchObject({
    code: 'target_dirty',
    message: expect.stringContaining('a.txt'),
  });

  const untracked = await clone(repo);
  await write(untracked, { 'new.txt': 'my own\n' });
  expect(await refusal(plan(untracked))).toMatchObject({
    code: 'target_dirty',
    message: expect.stringContaining('new.txt'),
  });
  expect(await readFile(join(untracked, 'new.txt'), 'utf8')).toBe('my own\n');

  const folder = await clone(repo);
  await write(folder, { 'new.txt/mine': 'x' });
  expect(await refusal(plan(folder))).toMatchObject({
    code: 'target_dirty',
    message: expect.stringContaining('new.txt is in the way'),
  });

  const merging = await clone(repo);
  await writeFile(join(merging, '.git/MERGE_HEAD'), await git(merging, ['rev-parse', 'HEAD']));
  expect(await refusal(plan(merging))).toMatchObject({
    code: 'target_dirty',
    next: 'finish or abort it, then apply again',
  });
});

test('uncommitted changes elsewhere, and beside the product in one file, are kept', async () => {
  const repo = await repository({ 'a.txt': 'one\n2\n3\n4\n5\n6\n7\nlast\n', 'b.txt': 'b\n' });
  const file = await product(repo, (directory) =>
    write(directory, { 'a.txt': 'ONE\n2\n3\n4\n5\n6\n7\nlast\n' }),
  );
  const target = await clone(repo);
  await write(target, { 'a.txt': 'one\n2\n3\n4\n5\n6\n7\nmine\n', 'b.txt': 'my b\n', 'c.txt': 'my c\n' });
  const before = await treeOf(target);
  const plan = await planApply({ directory: target, patches: [{ item: 'x', file }] });
  expect(plan.warnings).toEqual(["a.txt has uncommitted changes; they are kept beside the product's"]);
  const record = await applyPlanned(plan);
  expect(await readFile(join(target, 'a.txt'), 'utf8')).toBe('ONE\n2\n3\n4\n5\n6\n7\nmine\n');
  expect(await readFile(join(target, 'b.txt'), 'utf8')).toBe('my b\n');
  await revertApplied(record, target);
  expect(await treeOf(target)).toBe(before);
});

test('a revert is refused when a file changed since, names it, and touches nothing', async () => {
  const repo = await repository({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
  const file = await product(repo, (directory) => write(directory, { 'a.txt': 'A\n', 'b.txt': 'B\n' }));
  const target = await clone(repo);
  const record = await applyPlanned(await planApply({ directory: target, patches: [{ item: 'x', file }] }));
  await write(target, { 'b.txt': 'later work\n' });
  expect(await refusal(revertApplied(record, target))).toMatchObject({
    code: 'target_dirty',
    message: 'b.txt changed since the product was applied',
  });
  expect(await readFile(join(target, 'a.txt'), 'utf8')).toBe('A\n');
});

test('an application killed half way is taken back completely by its record', async () => {
  const repo = await repository({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
  const file = await product(repo, async (directory) => {
    await write(directory, { 'a.txt': 'A\n', 'c.txt': 'C\n' });
    await unlink(join(directory, 'b.txt'));
  });
  const target = await clone(repo);
  const original = await treeOf(target);
  const record = recordOf(await planApply({ directory: target, patches: [{ item: 'x', file }] }));
  await write(target, { 'c.txt': 'C\n' });
  await unlink(join(target, 'b.txt'));
  expect((await revertApplied(record, target)).files).toEqual(['b.txt', 'c.txt']);
  expect(await treeOf(target)).toBe(original);
});

test('when the index is locked, a staged application and its revert change nothing', async () => {
  const repo = await repository({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
  const file = await product(repo, (directory) => write(directory, { 'a.txt': 'A\n', 'c.txt': 'C\n' }));
  const target = await clone(repo);
  await write(target, { 'b.txt': 'mine\n' });
  const lock = join(target, '.git/index.lock');
  const [tree, index] = [await treeOf(target), await indexHash(target)];
  const plan = await planApply({ directory: target, patches: [{ item: 'x', file }] });
  await writeFile(lock, '');
  expect(await refusal(applyPlanned(plan, { stage: true }))).toMatchObject({
    code: 'target_dirty',
    why: expect.stringContaining('index.lock'),
  });
  expect([await treeOf(target), await indexHash(target)]).toEqual([tree, index]);

  await unlink(lock);
  const record = await applyPlanned(plan, { stage: true });
  const [applied, staged] = [await treeOf(target), await indexHash(target)];
  await writeFile(lock, '');
  expect(await refusal(revertApplied(record, target))).toMatchObject({ code: 'target_dirty' });
  expect([await treeOf(target), await indexHash(target)]).toEqual([applied, staged]);
  await unlink(lock);
  await revertApplied(record, target);
  expect(await treeOf(target)).toBe(tree);
  expect(await git(target, ['status', '--porcelain'])).toBe(' M b.txt\n');
});

test('a staged application that was killed before or after it staged is taken back, and the index is touched only where it holds the product', async () => {
  const twice = 'x\ny\nz\nx\ny\nz\n';
  const repo = await repository({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'list.txt': twice });
  const file = await product(repo, async (directory) => {
    await write(directory, { 'a.txt': 'A\n', 'c.txt': 'C\n', 'list.txt': `x\ny\nz\n${twice}` });
    await unlink(join(directory, 'b.txt'));
  });
  const files = ['a.txt', 'b.txt', 'c.txt', 'list.txt'];
  const target = await clone(repo);
  const original = await treeOf(target);
  const plan = await planApply({ directory: target, patches: [{ item: 'x', file }] });
  const record = recordOf(plan, { stage: true });

  const clean = await indexHash(target);
  await applyPlanned(plan);
  expect((await revertApplied(record, target)).files).toEqual(files);
  expect([await treeOf(target), await indexHash(target)]).toEqual([original, clean]);

  // Files are back, the index is not: a revert that was killed before it came to the index.
  await applyPlanned(plan, { stage: true });
  await revertApplied({ ...record, staged: false }, target);
  expect(await git(target, ['diff', '--cached', '--name-only'])).toBe(`${files.join('\n')}\n`);
  expect((await revertApplied(record, target)).files).toEqual(files);
  expect(await treeOf(target)).toBe(original);
  expect(await git(target, ['status', '--porcelain'])).toBe('');
  expect(await revertApplied(record, target)).toEqual({ files: [] });
});

test("taking a staged product back keeps the operator's own staged lines beside it", async () => {
  const lines = (first: string, last: string) => [first, ...'2345678'.split(''), last, ''].join('\n');
  const repo = await repository({ 'a.txt': lines('1', '9') });
  const file = await product(repo, (directory) => write(directory, { 'a.txt': lines('one', '9') }));
  const target = await clone(repo);
  await write(target, { 'a.txt': lines('1', 'staged') });
  await git(target, ['add', 'a.txt']);
  await write(target, { 'a.txt': lines('1', 'later') });
  const plan = await planApply({ directory: target, patches: [{ item: 'x', file }] });

  const before = await indexHash(target);
  await applyPlanned(plan);
  await revertApplied(recordOf(plan, { stage: true }), target);
  expect(await indexHash(target)).toBe(before);

  const record = await applyPlanned(plan, { stage: true });
  expect(await git(target, ['show', ':a.txt'])).toBe(lines('one', 'staged'));
  await revertApplied(record, target);
  expect(await git(target, ['show', ':a.txt'])).toBe(lines('1', 'staged'));
  expect(await readFile(join(target, 'a.txt'), 'utf8')).toBe(lines('1', 'later'));
});

test('FF-006: a changed file keeps its permission bits; a mode change only adds or takes execute bits', async () => {
  const repo = await repository({ 'private.txt': 'p\n', 'tool.sh': 't\n', 'run.sh': 'r\n' });
  await chmod(join(repo, 'run.sh'), 0o755);
  await commitAll(repo, 'modes');
  const file = await product(repo, async (directory) => {
    await write(directory, { 'private.txt': 'P\n', 'run.sh': 'R\n' });
    await chmod(join(directory, 'tool.sh'), 0o755);
  });
  const target = await clone(repo);
  await chmod(join(target, 'private.txt'), 0o640);
  await chmod(join(target, 'tool.sh'), 0o640);
  await chmod(join(target, 'run.sh'), 0o750);
  await applyPlanned(await planApply({ directory: target, patches: [{ item: 'x', file }] }));
  const modes = await Promise.all(
    ['private.txt', 'tool.sh', 'run.sh'].map(async (name) => (await stat(join(target, name))).mode & 0o777),
  );
  expect(modes).toEqual([0o640, 0o750, 0o750]);
});

test('FF-008: a product that adds Readme.md beside README.md is flagged, and refused where case is folded', async () => {
  const repo = await repository({ 'README.md': 'r\n', 'docs/a': 'a' });
  const handle = await workspace(repo);
  await write(handle.directory, { 'Readme.md': 'other\n' });
  const captured = await capture(handle);
  expect(captured.warnings).toEqual([expect.stringContaining('README.md and Readme.md differ only in case')]);
  const target = await clone(repo);
  await git(target, ['config', 'core.ignoreCase', 'true']);
  const patches = [{ item: 'x', file: captured.patchPath }];
  expect(await refusal(planApply({ directory: target, patches }))).toMatchObject({
    code: 'patch_conflict',
    message: expect.stringContaining('README.md and Readme.md cannot exist together'),
  });
  await git(target, ['config', 'core.ignoreCase', 'false']);
  await applyPlanned(await planApply({ directory: target, patches }));
  expect(await readFile(join(target, 'Readme.md'), 'utf8')).toBe('other\n');
});

test('FF-009: a checkout with converted line endings takes the same product, and keeps its endings', async () => {
  const repo = await repository({
    'a.txt': 'one\ntwo\n',
    'b.bat': 'x\ny\n',
    '.gitattributes': '*.bat text eol=crlf\n',
  });
  const file = await product(repo, (directory) =>
    write(directory, { 'a.txt': 'one\nTWO\n', 'b.bat': 'x\nY\n' }),
  );
  const place = await scratch();
  await git(place, ['-c', 'core.autocrlf=true', 'clone', '-q', '-c', 'core.autocrlf=true', repo, 'crlf']);
  const target = join(place, 'crlf');
  expect(await readFile(join(target, 'a.txt'), 'utf8')).toBe('one\r\ntwo\r\n');
  const record = await applyPlanned(await planApply({ directory: target, patches: [{ item: 'x', file }] }));
  expect(await readFile(join(target, 'a.txt'), 'utf8')).toBe('one\r\nTWO\r\n');
  expect(await readFile(join(target, 'b.bat'), 'utf8')).toBe('x\r\nY\r\n');
  await revertApplied(record, target);
  expect(await readFile(join(target, 'a.txt'), 'utf8')).toBe('one\r\ntwo\r\n');
  expect(await git(target, ['status', '--porcelain'])).toBe('');
});

test('FF-032: two products over trees with equal content and other file times both arrive in full', async () => {
  const files = { 'a/1': '1\n', 'b/2': '2\n' };
  const repo = await repository(files);
  const one = await product(repo, (directory) => write(directory, { 'a/new': 'x\n', 'a/1': 'one\n' }));
  const two = await product(repo, (directory) => write(directory, { 'b/new': 'y\n', 'b/2': 'two\n' }));
  const target = await clone(repo);
  await write(target, files);
  await applyPlanned(
    await planApply({
      directory: target,
      patches: [
        { item: 'one', file: one },
        { item: 'two', file: two },
      ],
    }),
  );
  const seen = await Promise.all(
    ['a/1', 'a/new', 'b/2', 'b/new'].map((name) => readFile(join(target, name), 'utf8')),
  );
  expect(seen).toEqual(['one\n', 'x\n', 'two\n', 'y\n']);
});

test('FF-034: inherited git variables that name another repository change nothing there', async () => {
  const repo = await repository({ 'a.txt': 'a\n' });
  const other = await repository({ 'other.txt': 'o\n' });
  const before = [await treeOf(join(other, '.git')), await treeOf(other, ['.git'])];
  const variables = {
    GIT_DIR: join(other, '.git'),
    GIT_WORK_TREE: other,
    GIT_INDEX_FILE: join(other, '.git/index'),
  };
  Object.assign(process.env, variables);
  onTestFinished(() => {
    for (const name of Object.keys(variables)) delete process.env[name];
  });
  const file = await product(repo, (directory) => write(directory, { 'a.txt': 'A\n', 'n.txt': 'n\n' }));
  const target = await clone(repo);
  const record = await applyPlanned(await planApply({ directory: target, patches: [{ item: 'x', file }] }), {
    stage: true,
  });
  expect(record.staged).toBe(true);
  expect(await readFile(join(target, 'a.txt'), 'utf8')).toBe('A\n');
  expect([await treeOf(join(other, '.git')), await treeOf(other, ['.git'])]).toEqual(before);
});
