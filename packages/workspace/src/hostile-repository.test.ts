import { execFileSync } from 'node:child_process';
import {
  appendFile,
  chmod,
  mkdir,
  readdir,
  readFile,
  rename,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  capture,
  commitAll,
  git,
  present,
  refusal,
  repository,
  scratch,
  workspace,
  write,
} from '../test/repository.ts';
import {
  applyPlanned,
  isTrackedByGit,
  planApply,
  resolveBase,
  revertApplied,
  type WorkspaceHandle,
} from './index.ts';
import { historyObjects } from './handle.ts';

/* What a repository that somebody else prepared, `.git` and all, may try on the host. */

const DRIVERS = ['evil', '', 'a=b', 'a=b=c', 'x.y', '=', 'ü', 'a"b', 'a\\b'];

test.each(['its own configuration', 'a file it includes', 'a file it includes for its folder'])(
  'FF-135: no filter program runs, whatever it is called, that a repository names in %s',
  async (where) => {
    const marker = join(await scratch('plain'), 'marker');
    const names = DRIVERS.map((_, index) => `${index}.txt`);
    const repo = await repository(Object.fromEntries(names.map((name) => [name, `${name}\n`])));
    const handle = await workspace(repo);
    await write(handle.directory, { '0.txt': 'changed\n', '1.txt': 'changed\n' });
    const { patchPath } = await capture(handle);
    await write(repo, {
      '.git/info/attributes': DRIVERS.map((driver, index) => `${index}.txt filter=${driver}\n`).join(''),
    });
    const settings = DRIVERS.map(
      (driver) =>
        `[filter "${driver.replaceAll(/["\\]/g, String.raw`\$&`)}"]\n\tclean = "touch ${marker}; cat"\n\trequired = true\n`,
    ).join('');
    if (where === 'its own configuration') await appendFile(join(repo, '.git/config'), settings);
    else {
      await writeFile(join(repo, '.git/more'), settings);
      const section = where === 'a file it includes' ? '[include]' : '[includeIf "gitdir:**"]';
      await appendFile(join(repo, '.git/config'), `${section}\n\tpath = more\n`);
    }
    for (const name of names) await utimes(join(repo, name), 1, 1);
    expect((await resolveBase({ directory: repo })).dirty).toBe(0);
    const plan = await planApply({ directory: repo, patches: [{ item: 'x', file: patchPath }] });
    await revertApplied(await applyPlanned(plan, { stage: true }), repo);
    expect(await present(marker)).toBe(false);
    for (const name of names) await utimes(join(repo, name), 1, 1);
    await git(repo, ['status', '--porcelain']);
    expect(await present(marker)).toBe(true);
  },
);

test('FF-135: a repository with a filter program whose name cannot be said is refused before anything runs', async () => {
  const marker = join(await scratch('plain'), 'marker');
  const repo = await repository({ 'a.txt': 'a\n' });
  const driver = Buffer.from([0x61, 0xff]);
  await writeFile(
    join(repo, '.git/info/attributes'),
    Buffer.concat([Buffer.from('* filter='), driver, Buffer.from('\n')]),
  );
  await appendFile(
    join(repo, '.git/config'),
    Buffer.concat([
      Buffer.from('[filter "'),
      driver,
      Buffer.from(`"]\n\tclean = "touch ${marker}; cat"\n\trequired = true\n`),
    ]),
  );
  await utimes(join(repo, 'a.txt'), 1, 1);
  expect(await refusal(resolveBase({ directory: repo }))).toMatchObject({
    code: 'requirements_unmet',
    message: expect.stringContaining('filter.'),
    next: expect.any(String),
  });
  expect(await present(marker)).toBe(false);
});

test('FF-135: no other setting of a repository, nor of a repository within it, starts a program or a fetch', async () => {
  const marker = join(await scratch('plain'), 'marker');
  const repo = await repository({ 'a.txt': 'a\n', '.gitattributes': '* diff=evil merge=evil\n' });
  const inner = join(repo, 'inner');
  await git(repo, ['init', '-q', inner]);
  await write(inner, { 'b.txt': 'b\n', '.git/info/attributes': '* filter=evil\n' });
  await git(inner, ['add', '.']);
  await git(inner, ['commit', '-q', '-m', 'inner']);
  await git(repo, ['add', 'inner']);
  await git(repo, ['commit', '-q', '-m', 'with a repository in it']);
  const program = `touch ${marker}; cat`;
  for (const [place, names] of [
    [
      repo,
      [
        'core.sshCommand',
        'core.askPass',
        'core.pager',
        'core.editor',
        'core.gitProxy',
        'core.alternateRefsCommand',
        'credential.helper',
        'diff.external',
        'diff.evil.command',
        'diff.evil.textconv',
        'merge.evil.driver',
        'gpg.program',
        'pager.status',
        'pager.rev-parse',
        'sequence.editor',
        'uploadpack.packObjectsHook',
        'remote.origin.uploadpack',
        'remote.origin.receivepack',
        'alias.status',
        'trailer.evil.command',
      ],
    ],
    [inner, ['core.fsmonitor', 'filter.evil.clean', 'filter.evil.process']],
  ] as const)
    for (const name of names) await git(place, ['config', name, program]);
  for (const [name, value] of [
    ['alias.rev-parse', `!touch ${marker}`],
    ['submodule.inner.update', `!touch ${marker}`],
    ['submodule.inner.ignore', 'none'],
    ['status.submoduleSummary', 'true'],
    ['log.showSignature', 'true'],
    ['core.repositoryFormatVersion', '1'],
    ['extensions.partialClone', 'origin'],
    ['remote.origin.promisor', 'true'],
    ['remote.origin.url', `ext::sh -c touch% ${marker}`],
    ['protocol.ext.allow', 'always'],
    ['protocol.allow', 'always'],
  ] as const)
    await git(repo, ['config', name, value]);
  await write(repo, { '.git/hooks/post-index-change': `#!/bin/sh\ntouch ${marker}\n` });
  await utimes(join(repo, 'a.txt'), 1, 1);
  await utimes(join(inner, 'b.txt'), 1, 1);
  await isTrackedByGit(join(repo, 'inner'));
  expect((await resolveBase({ directory: repo })).commit).toMatch(/^[0-9a-f]{40}$/);
  await refusal(resolveBase({ directory: repo, revision: '1'.repeat(40) }));
  expect(await present(marker)).toBe(false);
});

const LOOSE = `ab/${'1'.repeat(38)}`;

/** Everything the agent can read of what is shared with it. */
async function shared(handle: WorkspaceHandle): Promise<{ text: string; kinds: Set<string> }> {
  const kinds = new Set<string>();
  let text = '';
  for (const root of [historyObjects(handle.stateDir), join(handle.directory, '.git')])
    for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
      kinds.add(entry.isFile() ? 'file' : entry.isDirectory() ? 'folder' : 'other');
      if (entry.isFile()) text += await readFile(join(entry.parentPath, entry.name), 'latin1');
    }
  return { text, kinds };
}

test.each(['objects/pack/pack-evil.rev', 'objects/pack/pack-evil.pack', `objects/${LOOSE}`])(
  'FF-135: a file of the host that .git/%s links to does not reach the agent',
  async (name) => {
    const repo = await repository({ 'a.txt': 'a\n' });
    const secret = join(await scratch(), 'secret');
    await write(repo, { [`.git/objects/ab/x`]: '' });
    await mkdir(join(repo, '.git/objects/pack'), { recursive: true });
    await writeFile(secret, 'only for root\n');
    await chmod(secret, 0o600);
    await symlink(secret, join(repo, '.git', name));
    const handle = await workspace(repo);
    const { text, kinds } = await shared(handle);
    expect(text).not.toContain('only for root');
    expect([...kinds].sort()).toEqual(['file', 'folder']);
    expect(await git(handle.directory, ['log', '--format=%s'])).toBe('first\n');
    await write(handle.directory, { 'a.txt': 'A\n' });
    expect((await capture(handle)).files).toHaveLength(1);
  },
);

test.each(['objects/pack/pack-evil.rev', `objects/${LOOSE}`])(
  'FF-135: a fifo as .git/%s holds nobody up',
  async (name) => {
    const repo = await repository({ 'a.txt': 'a\n' });
    await write(repo, { [`.git/objects/ab/x`]: '', '.git/objects/pack/x': '' });
    execFileSync('mkfifo', ['-m', '600', join(repo, '.git', name)]);
    const handle = await workspace(repo);
    expect([...(await shared(handle)).kinds].sort()).toEqual(['file', 'folder']);
  },
);

test.each(['an alternate', 'a symlink for its store', 'a symlink for its packs'])(
  'FF-135: of another repository that one refers to by %s, the agent gets what the base reaches and nothing else',
  async (how) => {
    const lender = await repository({ 'a.txt': 'a\n' });
    await write(lender, { 'a.txt': 'b\n' });
    const commit = await commitAll(lender, 'second');
    await git(lender, ['checkout', '-q', '-b', 'private']);
    await write(lender, { 'private.txt': 'private\n' });
    await commitAll(lender, 'private');
    const blob = (await git(lender, ['rev-parse', 'HEAD:private.txt'])).trim();
    await git(lender, ['repack', '-adq']);
    const repo = await scratch();
    await git(repo, ['init', '-q', '-b', 'main']);
    const store = join(lender, '.git/objects');
    const objects = join(repo, '.git/objects');
    if (how === 'an alternate') await writeFile(join(objects, 'info/alternates'), `${store}\n`);
    else {
      const part = how === 'a symlink for its packs' ? 'pack' : '';
      await rename(join(objects, part), join(repo, '.git/unused'));
      await symlink(join(store, part), join(objects, part));
    }
    await git(repo, ['reset', '-q', '--hard', commit]);
    expect(await git(repo, ['cat-file', 'blob', blob])).toBe('private\n');
    const handle = await workspace(repo);
    expect(handle.readOnlyPaths).toEqual([historyObjects(handle.stateDir)]);
    expect(await git(handle.directory, ['log', '--format=%s'])).toBe('second\nfirst\n');
    expect(await git(handle.directory, ['show', 'HEAD~1:a.txt'])).toBe('a\n');
    await expect(git(handle.directory, ['cat-file', 'blob', blob])).rejects.toThrow(/Not a valid|bad file/);
    await write(handle.directory, { 'a.txt': 'changed\n' });
    expect((await capture(handle)).files).toHaveLength(1);
  },
);

test('a shallow clone that borrows objects gives a workspace with the history it has', async () => {
  const lender = await repository({ 'a.txt': 'a\n' });
  await write(lender, { 'a.txt': 'b\n' });
  await commitAll(lender, 'second');
  const place = await scratch();
  await git(place, ['clone', '-q', '--depth', '1', '--no-local', '--reference', lender, lender, 'c']);
  const handle = await workspace(join(place, 'c'));
  expect(await git(handle.directory, ['log', '--format=%s'])).toBe('second\n');
});

test.each(['beside the repository', 'above it', 'below it'])(
  'FF-135: a repository whose configuration puts its files %s is refused, and applying there changes nothing',
  async (where) => {
    const place = await scratch();
    const repo = join(place, 'repo');
    const victim = {
      'beside the repository': join(place, 'v'),
      'above it': place,
      'below it': join(repo, 'v'),
    }[where];
    if (victim === undefined) throw new Error(where);
    await mkdir(repo);
    await git(repo, ['init', '-q']);
    await write(repo, { 'a.txt': 'a\n' });
    await write(victim, { 'a.txt': 'a\n' });
    await commitAll(repo, 'first');
    const handle = await workspace(repo);
    await write(handle.directory, { 'a.txt': 'A\n' });
    const { patchPath } = await capture(handle);
    await git(repo, ['config', 'core.worktree', victim]);
    for (const asked of [
      () => resolveBase({ directory: repo }),
      () => planApply({ directory: repo, patches: [{ item: 'x', file: patchPath }] }),
    ]) {
      const { code, message, next } = await refusal(asked());
      expect({ code, next }).toEqual({
        code: 'policy_denied',
        next: expect.stringContaining('core.worktree'),
      });
      expect(message).toContain(repo);
      expect(message).toContain(victim);
    }
  },
);

test('FF-135: a fifo for the attributes of a repository does not hold an apply up', async () => {
  const repo = await repository({ 'a.txt': 'a\n' });
  const handle = await workspace(repo);
  await write(handle.directory, { 'a.txt': 'A\n' });
  const { patchPath } = await capture(handle);
  await mkdir(join(repo, '.git/info'), { recursive: true });
  execFileSync('mkfifo', [join(repo, '.git/info/attributes')]);
  const plan = await planApply({ directory: repo, patches: [{ item: 'x', file: patchPath }] });
  expect(plan.files).toHaveLength(1);
});

test('linked work trees, submodules and repositories with their git directory apart are themselves', async () => {
  const repo = await repository({ 'a.txt': 'a\n', 'd/b.txt': 'b\n' });
  const place = await scratch();
  const linked = join(place, 'linked');
  await git(repo, ['worktree', 'add', '-q', linked]);
  await git(place, ['clone', '-q', '--separate-git-dir', join(place, 'apart.git'), repo, 'apart']);
  const apart = join(place, 'apart');
  await git(apart, ['-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', repo, 'sub']);
  const symlinked = join(place, 'symlinked');
  await git(place, ['clone', '-q', repo, 'symlinked']);
  await rename(join(symlinked, '.git'), join(place, 'elsewhere.git'));
  await symlink('../elsewhere.git', join(symlinked, '.git'));
  for (const topLevel of [repo, linked, apart, join(apart, 'sub'), symlinked])
    expect((await resolveBase({ directory: join(topLevel, 'd') })).topLevel).toBe(topLevel);
});

test('a repository in a folder whose name has newlines gives a base, a workspace and a product that applies', async () => {
  const repo = join(await scratch(), 'two\nlines\n');
  await mkdir(repo);
  await git(repo, ['init', '-q', '-b', 'main']);
  await write(repo, { 'a.txt': 'a\n' });
  await commitAll(repo, 'first');
  expect(await resolveBase({ directory: repo })).toMatchObject({
    topLevel: repo,
    gitDir: join(repo, '.git'),
  });
  const handle = await workspace(repo);
  await write(handle.directory, { 'a.txt': 'A\n' });
  const { patchPath } = await capture(handle);
  await applyPlanned(await planApply({ directory: repo, patches: [{ item: 'x', file: patchPath }] }));
  expect(await readFile(join(repo, 'a.txt'), 'utf8')).toBe('A\n');
});
