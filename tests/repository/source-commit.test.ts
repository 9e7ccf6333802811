import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { sourceCommit } from '../../scripts/build/source-commit.ts';

it('AO-003: a build names its commit where the checkout is that commit, and nothing otherwise', () => {
  const directory = mkdtempSync(join(tmpdir(), 'palisade-source-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  expect(sourceCommit(directory)).toBeNull();
  const git = (...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.invalid', ...args], {
      cwd: directory,
      encoding: 'utf8',
    }).trim();
  git('init', '--quiet');
  expect(sourceCommit(directory)).toBeNull();
  writeFileSync(join(directory, 'a.ts'), 'export {};\n');
  git('add', '-A');
  git('commit', '--quiet', '-m', 'start');
  expect(sourceCommit(directory)).toBe(git('rev-parse', 'HEAD'));
  writeFileSync(join(directory, 'b.ts'), 'export {};\n');
  expect(sourceCommit(directory)).toBeNull();
  rmSync(join(directory, 'b.ts'));
  appendFileSync(join(directory, 'a.ts'), '// changed\n');
  expect(sourceCommit(directory)).toBeNull();
});
