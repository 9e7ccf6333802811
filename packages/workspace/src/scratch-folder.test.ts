import { spawnSync } from 'node:child_process';
import { mkdir, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { ownName } from '@palisade/process';
import { expect, onTestFinished, test } from 'vitest';
import { repository, scratch } from '../test/repository.ts';
import { planApply } from './index.ts';

test('what a killed apply left goes with the next one, but not what may be the only copy of something', async () => {
  const repo = await repository({ 'a.txt': 'a\n' });
  const temporary = await scratch('plain');
  const before = process.env['TMPDIR'];
  process.env['TMPDIR'] = temporary;
  onTestFinished(() => {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  });
  const script = `
    const { makeScratch, keepScratch } = await import('@palisade/workspace/src/scratch-folder.ts');
    const folders = [await makeScratch('apply'), await makeScratch('products'), await makeScratch('apply')];
    await keepScratch(folders[2]);
    process.stdout.write(folders.join('\\n'), () => process.kill(process.pid, 'SIGKILL'));`.replace(
    '@palisade/workspace/src',
    import.meta.dirname,
  );
  const killed = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  expect(killed.signal).toBe('SIGKILL');
  const [one, two, kept = ''] = killed.stdout.split('\n').map((path) => basename(path));
  expect([...(await readdir(temporary))].sort()).toEqual([one, two, kept].sort());
  const others = ['palisade-apply-run-abcdef', `palisade-apply-${ownName()}-abcdef`];
  for (const name of others) await mkdir(join(temporary, name));
  await planApply({ directory: repo, patches: [] });
  expect([...(await readdir(temporary))].sort()).toEqual([kept, ...others].sort());
});
