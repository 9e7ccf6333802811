import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { capture, commitAll, git, repository, scratch, workspace, write } from '../test/repository.ts';
import { planApply } from './index.ts';

/** What capture and apply warn of when a workspace of the repository is changed like this. */
async function warnings(
  repo: string,
  change: (directory: string) => Promise<void>,
): Promise<readonly string[]> {
  const handle = await workspace(repo);
  await change(handle.directory);
  const captured = await capture(handle);
  const place = await scratch();
  await git(place, ['clone', '-q', repo, 'clone']);
  const plan = await planApply({
    directory: join(place, 'clone'),
    patches: [{ item: 'x', file: captured.patchPath }],
  });
  expect(plan.warnings).toEqual(captured.warnings);
  return plan.warnings;
}

const SELF_RUNNING = [
  '.exrc',
  '.nvim.lua',
  '.dir-locals.el',
  '.idea/runConfigurations/x.xml',
  '.vscode/tasks.json',
  'sub/.vscode/extensions.json',
  '.eslintrc.cjs',
  '.envrc',
  '.gitlab-ci.yml',
  '.github/workflows/ci.yml',
  '.gitattributes',
  'eslint.config.js',
  'babel.config.json',
  'jest.config.ts',
  'web/vite.config.mts',
  'webpack.config.js',
  'rollup.config.mjs',
  'postcss.config.cjs',
  'karma.conf.js',
  'Dockerfile',
  'Dockerfile.dev',
  'compose.yaml',
  'Gemfile',
  'x.gemspec',
  'mise.toml',
  'lib/evil.pth',
  'flake.nix',
  'sitecustomize.py',
  'tests/conftest.py',
  'Makefile',
  'GNUmakefile',
  'a/package.json',
  'Cargo.toml',
  'build.gradle.kts',
];
const PLAIN = [
  '.gitignore',
  '.editorconfig',
  '.github/CODEOWNERS',
  'src/config.ts',
  'src/profile.ts',
  'docs/makefile-notes.md',
  'a/logfile.txt',
  'package-lock.json',
  'a...b/c',
];

test('FF-131: files that tools run by themselves are named, by capture and before applying, and no others', async () => {
  const repo = await repository({ 'a.txt': 'a\n' });
  const said = await warnings(repo, (directory) =>
    write(directory, Object.fromEntries([...SELF_RUNNING, ...PLAIN].map((name) => [name, 'x\n']))),
  );
  expect([...said].sort()).toEqual(
    SELF_RUNNING.map((name) => `${name} is configuration that can run programs`).sort(),
  );
});

test('FF-131: a link does not hide that a file is such by another name, whether the link is new or was there', async () => {
  const repo = await repository({ 'a.txt': 'a\n', 'tools/x': 'x\n' });
  expect(
    await warnings(repo, async (directory) => {
      await write(directory, { 'tools/tasks.json': '{}\n', 'Ci/workflows/ci.yml': 'x\n' });
      await symlink('tools', join(directory, '.vscode'));
      await symlink('./Ci/', join(directory, '.github'));
      await symlink('tools/x', join(directory, 'Makefile'));
    }),
  ).toEqual([
    '.github is configuration that can run programs',
    '.vscode is configuration that can run programs',
    'Ci/workflows/ci.yml is configuration that can run programs, as .github/workflows/ci.yml',
    'Makefile is configuration that can run programs',
    'tools/tasks.json is configuration that can run programs, as .vscode/tasks.json',
  ]);
  await symlink('over', join(repo, '.vscode'));
  await symlink('tools', join(repo, 'over'));
  await mkdir(join(repo, 'loop'));
  await symlink('.', join(repo, 'loop/again'));
  await commitAll(repo, 'links');
  expect(
    await warnings(repo, (directory) =>
      write(directory, { 'tools/tasks.json': '{}\n', 'loop/plain': 'x\n' }),
    ),
  ).toEqual(['tools/tasks.json is configuration that can run programs, as .vscode/tasks.json']);
});

test('FF-131: a link that leads out of the repository, or may, is named', async () => {
  const repo = await repository({ 'a.txt': 'a\n', 'd/e/b.txt': 'b\n' });
  const out = {
    absolute: '/etc/passwd',
    above: '../x',
    'd/above': '../../x',
    turning: 'd/e/../../x',
    hooks: '.git/hooks',
  };
  const inside = { 'd/up': '../a.txt', 'd/e/top': '../..', here: './d//e', dangling: 'nowhere' };
  const said = await warnings(repo, async (directory) => {
    for (const [name, target] of Object.entries({ ...out, ...inside }))
      await symlink(target, join(directory, name));
  });
  expect([...said].sort()).toEqual(
    Object.entries(out)
      .map(([name, target]) => `${name} is a link to ${target}, outside of the repository's files`)
      .sort(),
  );
});
