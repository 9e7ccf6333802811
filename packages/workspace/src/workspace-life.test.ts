import { execFileSync, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmod,
  lstat,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  capture,
  commitAll,
  git,
  present,
  refusal,
  repository,
  scratch,
  treeOf,
  userEnv,
  workspace,
  write,
} from '../test/repository.ts';
import { hideFromGit, materialise, recordBase, recordBaseline, release, resolveBase } from './index.ts';

test('a base is the commit, branch and counts of uncommitted changes and untracked files, from any folder of the repository', async () => {
  const repo = await repository({ 'a.txt': 'a\n', 'sub/b.txt': 'b\n' });
  const commit = (await git(repo, ['rev-parse', 'HEAD'])).trim();
  await write(repo, { 'a.txt': 'changed\n', 'new/x.txt': 'x' });
  const expected = {
    topLevel: repo,
    gitDir: join(repo, '.git'),
    commit,
    branch: 'main',
    dirty: 1,
    untracked: 1,
    missing: [],
  };
  expect(await resolveBase({ directory: join(repo, 'sub') })).toEqual(expected);
  await git(repo, ['checkout', '-q', '--detach']);
  expect((await resolveBase({ directory: repo })).branch).toBeNull();
  expect(await resolveBase({ directory: repo, revision: 'main' })).toMatchObject({ commit, branch: 'main' });
  const linked = join(await scratch(), 'linked');
  await git(repo, ['worktree', 'add', '-q', '-b', 'side', linked]);
  expect(await resolveBase({ directory: linked })).toMatchObject({
    topLevel: linked,
    gitDir: join(repo, '.git'),
    branch: 'side',
    dirty: 0,
    untracked: 0,
  });
});

test('FF-028: no folder, no repository, a damaged one, no commit, no such revision and no git are each named with the next step', async () => {
  const plain = await scratch();
  expect(await refusal(resolveBase({ directory: join(plain, 'nowhere') }))).toMatchObject({
    code: 'not_found',
    next: expect.any(String),
  });
  expect(await refusal(resolveBase({ directory: plain }))).toMatchObject({
    code: 'not_found',
    next: expect.stringContaining('git init'),
  });
  await writeFile(join(plain, '.git'), 'gitdir: /nonexistent\n');
  expect(await refusal(resolveBase({ directory: plain }))).toMatchObject({ code: 'not_found' });
  const unborn = await scratch();
  await git(unborn, ['init', '-q']);
  expect(await refusal(resolveBase({ directory: unborn }))).toMatchObject({
    code: 'requirements_unmet',
    next: expect.stringContaining('git commit'),
  });
  const repo = await repository({ 'a.txt': 'a' });
  for (const revision of ['nope', '--all', '-x'])
    expect(await refusal(resolveBase({ directory: repo, revision }))).toMatchObject({
      code: 'not_found',
      next: expect.any(String),
    });
  const path = process.env['PATH'];
  process.env['PATH'] = plain;
  onTestFinished(() => {
    process.env['PATH'] = path;
  });
  const withoutGit = refusal(resolveBase({ directory: repo }));
  expect(await withoutGit).toMatchObject({ code: 'requirements_unmet', next: 'install git 2.39 or newer' });
});

test('FF-033: content that a checkout would convert is announced', async () => {
  const repo = await repository({
    '.gitattributes': '# note filter=x\n*.bin filter=lfs diff=lfs\n*.bat text eol=crlf\n*.txt text\n',
    'a.bin': 'version https://git-lfs.github.com/spec/v1\n',
  });
  expect((await resolveBase({ directory: repo })).missing).toEqual([
    '.gitattributes: *.bin will be as stored, without the lfs filter',
    '.gitattributes: *.bat will be as stored, without CRLF line endings',
  ]);
});

test('FF-135: asking for the base runs no filter or fsmonitor of the repository, and writes nothing to it', async () => {
  const repo = await repository({ 'a.txt': 'a\n', '.gitattributes': '* filter=evil\n' });
  const marker = join(await scratch('plain'), 'marker');
  for (const name of ['filter.evil.clean', 'filter.evil.process', 'core.fsmonitor'])
    await git(repo, ['config', name, `touch ${marker}; exit 1`]);
  await git(repo, ['config', 'filter.evil.required', 'true']);
  await utimes(join(repo, 'a.txt'), 1, 1);
  const before = await treeOf(join(repo, '.git'));
  const { dirty } = await resolveBase({ directory: repo });
  expect(dirty).toBe(0);
  expect(await present(marker)).toBe(false);
  expect(await treeOf(join(repo, '.git'))).toBe(before);
});

test('FF-026: with live workspaces under .palisade in a fresh clone, git add -A stages nothing of ours and no tracked file changed', async () => {
  const repo = await repository({ 'a.txt': 'a\n' });
  const home = join(repo, '.palisade');
  await hideFromGit(home);
  await hideFromGit(home);
  const gitBefore = await treeOf(join(repo, '.git'));
  for (const name of ['one', 'two']) {
    const { gitDir, commit, dirty, untracked } = await resolveBase({ directory: repo });
    expect([dirty, untracked]).toEqual([0, 0]);
    const place = join(home, 'attempts', name);
    const handle = await materialise({
      source: { kind: 'git', gitDir, commit },
      directory: join(place, 'workspace'),
      stateDir: join(place, 'state'),
      basePatches: [],
    });
    await recordBase(handle);
    await recordBaseline(handle);
    await write(handle.directory, { 'new.txt': 'n' });
    expect((await capture(handle)).files).toHaveLength(1);
  }
  expect(await treeOf(join(repo, '.git'))).toBe(gitBefore);
  await git(repo, ['add', '-A']);
  expect(await git(repo, ['status', '--porcelain'])).toBe('');
});

test('FF-022: switching branches, amending, repacking and pruning the repository under a live workspace harms neither history nor capture', async () => {
  const repo = await repository({ 'a.txt': 'a\n', 'b/b.txt': 'b\n' });
  const handle = await workspace(repo);
  await git(repo, ['switch', '-q', '--orphan', 'other']);
  await git(repo, ['commit', '-q', '--allow-empty', '-m', 'other']);
  await git(repo, ['branch', '-D', 'main']);
  await git(repo, ['reflog', 'expire', '--expire=now', '--all']);
  await git(repo, ['gc', '-q', '--prune=now']);
  await expect(
    git(repo, ['cat-file', '-e', handle.base.kind === 'git' ? handle.base.commit : '']),
  ).rejects.toThrow();
  await write(handle.directory, { 'b/b.txt': 'B\n' });
  expect(await git(handle.directory, ['log', '--format=%s'])).toBe('first\n');
  expect(await git(handle.directory, ['status', '--porcelain'])).toBe(' M b/b.txt\n');
  expect((await capture(handle)).files.map((file) => file.path)).toEqual(['b/b.txt']);
});

test('FF-027: a global signer that never returns stops neither workspace nor capture nor the agent', async () => {
  const home = await scratch();
  const signer = join(await scratch('plain'), 'signer');
  await writeFile(signer, '#!/bin/sh\nexec sleep 1000\n', { mode: 0o755 });
  await writeFile(
    join(home, '.gitconfig'),
    `[commit]\n\tgpgsign = true\n[gpg]\n\tprogram = ${signer}\n[user]\n\tsigningkey = x\n`,
  );
  const repo = await repository({ 'a.txt': 'a\n' });
  const before = process.env['HOME'];
  process.env['HOME'] = home;
  onTestFinished(() => {
    process.env['HOME'] = before;
  });
  const first = await workspace(repo);
  await write(first.directory, { 'a.txt': 'A\n' });
  const handle = await workspace(repo, { basePatches: [{ path: (await capture(first)).patchPath }] });
  await write(handle.directory, { 'a.txt': 'AA\n' });
  await git(handle.directory, ['commit', '-q', '-am', 'unsigned'], userEnv(home));
  expect((await capture(handle)).files).toHaveLength(1);
});

test('FF-002: status and diff in a read-only workspace with stale file times and filter attributes succeed and show nothing false', async () => {
  const repo = await repository({
    'a.bin': 'a\r\n',
    'b.txt': 'b\n',
    '.gitattributes': '*.bin filter=lfs\n*.txt text eol=crlf\n',
  });
  const { directory } = await workspace(repo);
  for (const name of ['a.bin', 'b.txt']) await utimes(join(directory, name), 1_000_000, 1_000_000);
  execFileSync('chmod', ['-R', 'a-w', directory]);
  onTestFinished(() => void execFileSync('chmod', ['-R', 'u+w', directory]));
  const run = (args: string[]) =>
    process.geteuid?.() === 0
      ? execFileSync(
          'setpriv',
          [
            '--reuid',
            '65534',
            '--regid',
            '65534',
            '--clear-groups',
            'git',
            '-c',
            `safe.directory=${directory}`,
            ...args,
          ],
          { cwd: directory, env: userEnv('/nonexistent'), encoding: 'utf8' },
        )
      : execFileSync('git', args, { cwd: directory, env: userEnv('/nonexistent'), encoding: 'utf8' });
  execFileSync('chmod', ['-R', 'a+rX', join(directory, '../..')]);
  execFileSync('chmod', ['a+rx', join(directory, '../../..')]);
  expect(run(['status', '--porcelain'])).toBe('');
  expect(run(['diff', 'HEAD'])).toBe('');
  expect(run(['log', '--format=%s'])).toBe('first\n');
});

test('FF-019: release removes closed, deep and linked trees without following a symlink, and again without complaint', async () => {
  const outside = await scratch();
  await write(outside, { 'kept.txt': 'kept' });
  await chmod(join(outside, 'kept.txt'), 0o640);
  const repo = await repository({ 'a.txt': 'a\n' });
  const handle = await workspace(repo);
  await write(handle.directory, { 'closed/x.txt': 'x' });
  await chmod(join(handle.directory, 'closed'), 0o000);
  await symlink(outside, join(handle.directory, 'link'));
  // Deeper than a path may be long.
  const deep = `const fs = require('node:fs'); for (let i = 0; i < 60; i++) { fs.mkdirSync('x'.repeat(200)); process.chdir('x'.repeat(200)); } fs.writeFileSync('bottom', 'x');`;
  execFileSync(process.execPath, ['-e', deep], { cwd: handle.directory });
  await release(handle);
  await release(handle);
  expect(await present(handle.directory)).toBe(false);
  expect(await present(handle.stateDir)).toBe(false);
  expect(await readFile(join(outside, 'kept.txt'), 'utf8')).toBe('kept');
  expect((await lstat(join(outside, 'kept.txt'))).mode & 0o777).toBe(0o640);
  expect(await git(repo, ['fsck', '--full', '--strict'])).toBe('');
});

test('FF-031: a removal or creation cut off at any point is finished by the next provision of the same name', async () => {
  const repo = await repository({ 'a.txt': 'a\n' });
  const { gitDir, commit } = await resolveBase({ directory: repo });
  const place = await scratch();
  const input = {
    source: { kind: 'git', gitDir, commit } as const,
    directory: join(place, 'w'),
    stateDir: join(place, 's'),
    basePatches: [],
  };
  const cuts: ((handle: Awaited<ReturnType<typeof materialise>>) => Promise<unknown>)[] = [
    () => rm(join(place, 'w'), { recursive: true }),
    () => rm(join(place, 's', 'capture.git'), { recursive: true }),
    () => rm(join(place, 's', 'history'), { recursive: true }),
    () => rm(join(place, 'w', '.git'), { recursive: true }),
    async () => {
      await rm(join(place, 'w'), { recursive: true });
      await rm(join(place, 's', 'capture.git'), { recursive: true });
    },
    async () => {
      await rm(join(place, 's'), { recursive: true });
      await rm(join(place, 'w'), { recursive: true });
      await mkdir(join(place, 'w'));
    },
  ];
  for (const cut of cuts) {
    const handle = await materialise(input);
    await write(handle.directory, { 'left over': 'x' });
    await cut(handle);
    const again = await materialise(input);
    expect((await readdir(again.directory)).sort()).toEqual(['.git', 'a.txt']);
    await recordBase(again);
    await recordBaseline(again);
    await release(again);
    expect(await readdir(place)).toEqual([]);
  }
});

test.each(['', '{"schema_version":1,"dir', '\0\0\0\0', 'null', '{}'])(
  'FF-031: a workspace whose mark was torn to %j is released, and made again',
  async (torn) => {
    const repo = await repository({ 'a.txt': 'a\n' });
    const { gitDir, commit } = await resolveBase({ directory: repo });
    const place = await scratch();
    const input = {
      source: { kind: 'git', gitDir, commit } as const,
      directory: join(place, 'w'),
      stateDir: join(place, 's'),
      basePatches: [],
    };
    const tear = () => writeFile(join(place, 's', 'workspace.json'), torn);
    const handle = await materialise(input);
    await tear();
    await expect(recordBase(handle)).rejects.toMatchObject({ code: 'capture_failed' });
    expect((await readdir((await materialise(input)).directory)).sort()).toEqual(['.git', 'a.txt']);
    await tear();
    await release(handle);
    expect(await readdir(place)).toEqual([]);
  },
);

test('FF-031: SIGKILL at random moments of materialise and release never blocks the next provision', async () => {
  const repo = await repository(
    Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`d${i % 9}/f${i}`, `${i}\n`])),
  );
  const { gitDir, commit } = await resolveBase({ directory: repo });
  const place = await scratch();
  const script = join(await scratch('plain'), 'loop.mjs');
  await writeFile(
    script,
    `import { materialise, release } from ${JSON.stringify(join(import.meta.dirname, 'index.ts'))};
     const input = JSON.parse(process.argv[2]);
     for (;;) { const handle = await materialise(input); process.send('made'); await release(handle); }`,
  );
  const input = {
    source: { kind: 'git', gitDir, commit } as const,
    directory: join(place, 'w'),
    stateDir: join(place, 's'),
    basePatches: [],
  };
  for (let i = 0; i < 4; i++) {
    const child = fork(script, [JSON.stringify(input)], { execArgv: [], stdio: 'ignore' });
    await new Promise((resolve) => child.once('message', resolve));
    await new Promise((resolve) => setTimeout(resolve, i * 23));
    child.kill('SIGKILL');
    await new Promise((resolve) => child.once('exit', resolve));
    const handle = await materialise(input);
    await recordBase(handle);
    await release(handle);
    expect(await readdir(place)).toEqual([]);
  }
}, 300_000);

test('a place that holds something of somebody else is refused and left alone', async () => {
  const place = await scratch();
  await write(place, { 'w/mine.txt': 'mine' });
  const input = {
    source: { kind: 'empty' } as const,
    directory: join(place, 'w'),
    stateDir: join(place, 's'),
    basePatches: [],
  };
  for (let tries = 0; tries < 2; tries++)
    expect(await refusal(materialise(input))).toMatchObject({ code: 'already_exists' });
  expect(await readFile(join(place, 'w/mine.txt'), 'utf8')).toBe('mine');
});

test('FF-030: four workspaces of one checkout work at the same time without a lock error', async () => {
  const repo = await repository({ 'a.txt': 'a\n' });
  const index = createHash('sha256')
    .update(await readFile(join(repo, '.git/index')))
    .digest('hex');
  const products = await Promise.all(
    ['1', '2', '3', '4'].map(async (name) => {
      const handle = await workspace(repo);
      await write(handle.directory, { [`${name}.txt`]: name });
      await git(handle.directory, ['add', '-A']);
      await git(handle.directory, ['commit', '-q', '-m', name]);
      return (await capture(handle)).files.map((file) => file.path);
    }),
  );
  expect(products).toEqual([['1.txt'], ['2.txt'], ['3.txt'], ['4.txt']]);
  expect(
    createHash('sha256')
      .update(await readFile(join(repo, '.git/index')))
      .digest('hex'),
  ).toBe(index);
});

test('FF-037: asking for the base again and again never disturbs 40 commits made meanwhile', async () => {
  const repo = await repository({ 'a.txt': 'a\n' });
  let done = false;
  const commits = (async () => {
    for (let i = 0; i < 40; i++) {
      await write(repo, { 'a.txt': `${i}\n` });
      await commitAll(repo, String(i));
    }
    done = true;
  })();
  let asked = 0;
  const polling = (async () => {
    do {
      await resolveBase({ directory: repo });
      asked++;
      // eslint-disable-next-line no-unmodified-loop-condition
    } while (!done);
  })();
  await Promise.all([commits, polling]);
  expect(asked).toBeGreaterThan(3);
  expect((await git(repo, ['rev-list', '--count', 'HEAD'])).trim()).toBe('41');
}, 300_000);

test('a shallow clone, a sha256 repository and one with borrowed objects are all materialised with history', async () => {
  const repo = await repository({ 'a.txt': 'a\n' });
  await write(repo, { 'a.txt': 'b\n' });
  await commitAll(repo, 'second');
  const place = await scratch();
  await git(place, ['clone', '-q', '--depth', '1', `file://${encodeURI(repo)}`, 'shallow']).catch(async () =>
    git(place, ['clone', '-q', '--depth', '1', '--no-local', repo, 'shallow']),
  );
  await git(place, ['clone', '-q', '--shared', repo, 'borrowing']);
  const sha256 = join(place, 'sha256');
  await mkdir(sha256);
  await git(sha256, ['init', '-q', '--object-format=sha256']);
  await write(sha256, { 'a.txt': 'x\n' });
  await commitAll(sha256, 'first');
  for (const [name, count] of [
    ['shallow', '1'],
    ['borrowing', '2'],
    ['sha256', '1'],
  ] as const) {
    const handle = await workspace(join(place, name));
    expect((await git(handle.directory, ['rev-list', '--count', 'HEAD'])).trim()).toBe(count);
    await write(handle.directory, { 'a.txt': 'changed\n' });
    expect((await capture(handle)).files).toHaveLength(1);
  }
});

test('when objects cannot be linked the workspace borrows them and keeps the base itself', async () => {
  const repo = await repository({ 'a.txt': 'a\n' });
  const { gitDir, commit } = await resolveBase({ directory: repo });
  const place = '/dev/shm';
  if (!(await present(place)) || (await lstat(place)).dev === (await lstat(repo)).dev) return;
  const root = join(place, `palisade-ws-${process.pid}`);
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const handle = await materialise({
    source: { kind: 'git', gitDir, commit },
    directory: join(root, 'w'),
    stateDir: join(root, 's'),
    basePatches: [],
  });
  await recordBase(handle);
  await recordBaseline(handle);
  expect(handle.readOnlyPaths).toContain(join(gitDir, 'objects'));
  expect(await git(handle.directory, ['log', '--format=%s'])).toBe('first\n');
  await rename(join(gitDir, 'objects'), join(gitDir, 'gone'));
  await write(handle.directory, { 'a.txt': 'A\n' });
  expect((await capture(handle)).files.map((file) => file.path)).toEqual(['a.txt']);
});
