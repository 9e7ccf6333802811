import { join } from 'node:path';
import { expect, test } from 'vitest';
import { capture, git, repository, scratch, workspace, write } from '../test/repository.ts';
import { planApply } from './index.ts';

test('a product that changes what a sparse checkout leaves out is refused with how to have it there', async () => {
  const repo = await repository({ 'in/a.txt': 'a\n', 'out/b.txt': 'b\n' });
  const handle = await workspace(repo);
  await write(handle.directory, { 'out/b.txt': 'B\n' });
  const { patchPath } = await capture(handle);
  const place = await scratch();
  await git(place, ['clone', '-q', repo, 'sparse']);
  const directory = join(place, 'sparse');
  await git(directory, ['sparse-checkout', 'set', 'in']);
  const patches = [{ item: 'x', file: patchPath }];
  await expect(planApply({ directory, patches })).rejects.toMatchObject({
    code: 'target_dirty',
    message: 'the product of x changes what this sparse checkout leaves out: out/b.txt',
    next: expect.stringContaining('git sparse-checkout add'),
  });
  await git(directory, ['sparse-checkout', 'add', 'out']);
  expect((await planApply({ directory, patches })).files).toHaveLength(1);
});
