import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { locateBase } from './locate-base.ts';

it('a run says what is not part of it: files that git does not know are no changes', async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'palisade-base-')));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@localhost', ...args], { cwd: root });
  const told = async () =>
    (await locateBase(root, undefined)).warnings.map((text) => text.replace(/:.*/, ''));
  writeFileSync(join(root, 'a.txt'), 'one\n');
  git('init', '--quiet');
  git('add', '.');
  git('commit', '--quiet', '-m', 'start');
  expect(await told()).toEqual([]);
  writeFileSync(join(root, 'plan.json'), '{}');
  expect(await told()).toEqual(['1 untracked file is not part of the run']);
  writeFileSync(join(root, 'a.txt'), 'two\n');
  expect(await told()).toEqual(['1 uncommitted change and 1 untracked file are not part of the run']);
  rmSync(join(root, 'plan.json'));
  expect(await told()).toEqual(['1 uncommitted change is not part of the run']);
});
