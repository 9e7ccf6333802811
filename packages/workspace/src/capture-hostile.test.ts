import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import {
  appendFile,
  chmod,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  rm,
  symlink,
  truncate,
  unlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { isPalisadeError } from '@palisade/contracts';
import { expect, onTestFinished, test } from 'vitest';
import {
  capture,
  commitAll,
  git,
  repository,
  scratch,
  treeAfterApply,
  treeOf,
  userEnv,
  workspace,
  write,
} from '../test/repository.ts';
import { materialise, recordBase, recordBaseline, resolveBase } from './index.ts';

const isRoot = process.geteuid?.() === 0;

const names = (files: readonly { path: string; status: string }[]) =>
  files.map((file) => `${file.status} ${file.path}`).sort();

async function codeOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    if (isPalisadeError(error)) return error.code;
    throw error;
  }
  return 'no error';
}

test('FF-012: an edit of a file that a capability also edits is merged onto the plain base, without the overlay', async () => {
  const lines = ['1', '2', '3', '4', '5', '6', '7', '8', '9'];
  const repo = await repository({ 'x.txt': `${lines.join('\n')}\n`, 'gone.txt': 'g\n', 'mode.sh': 'm\n' });
  const handle = await workspace(repo, {
    overlay: async (directory) => {
      await write(directory, {
        'x.txt': `${['overlay', ...lines.slice(1)].join('\n')}\n`,
        '.claude/skills/s/SKILL.md': 'skill\n',
        'mode.sh': 'overlaid\n',
        'inputs/data.json': '{}',
      });
    },
  });
  await write(handle.directory, {
    'x.txt': `${['overlay', ...lines.slice(1, 8), 'agent'].join('\n')}\n`,
    'new.txt': 'n\n',
  });
  await unlink(join(handle.directory, 'gone.txt'));
  await chmod(join(handle.directory, 'mode.sh'), 0o755);
  const captured = await capture(handle);
  expect(names(captured.files)).toEqual(['A new.txt', 'D gone.txt', 'M mode.sh', 'M x.txt']);
  expect(captured.patch.includes('overlay')).toBe(false);
  expect([captured.warnings, captured.conflictsPath]).toEqual([[], null]);
  await write(repo, { 'x.txt': `${[...lines.slice(0, 8), 'agent'].join('\n')}\n`, 'new.txt': 'n\n' });
  await unlink(join(repo, 'gone.txt'));
  await chmod(join(repo, 'mode.sh'), 0o755);
  expect(await treeAfterApply(repo, captured.patchPath)).toBe(await treeOf(repo, ['.git']));
});

test('FF-012: an edit that cannot be carried to the base is reported and kept in a patch of its own', async () => {
  const repo = await repository({ 'x.txt': 'one\n', 'a.txt': 'a\n' });
  const handle = await workspace(repo, {
    overlay: (directory) => write(directory, { 'x.txt': 'overlay\n', 'skill.md': 'skill\n' }),
  });
  await write(handle.directory, { 'x.txt': 'agent\n', 'skill.md': 'better skill\n', 'a.txt': 'A\n' });
  const captured = await capture(handle);
  expect(names(captured.files)).toEqual(['M a.txt']);
  expect(captured.warnings.filter((text) => text.includes('not part of the product'))).toHaveLength(2);
  const kept = await readFile(captured.conflictsPath ?? '', 'utf8');
  expect(kept).toContain('+agent');
  expect(kept).toContain('+better skill');
});

test('an agent that stops ignoring what overlay and setup left does not turn it into its work', async () => {
  const repo = await repository({ '.gitignore': '.claude/\nnode_modules/\n' });
  const handle = await workspace(repo, {
    overlay: (directory) => write(directory, { '.claude/skill.md': 's', 'node_modules/x/index.js': 'x' }),
  });
  await write(handle.directory, { '.gitignore': '', '.claude/own.md': 'mine' });
  const captured = await capture(handle);
  expect(names(captured.files)).toEqual(['A .claude/own.md', 'M .gitignore']);
});

test('inputs/, outputs/ and .palisade are never in a product, and a tracked file changed there is reported', async () => {
  const repo = await repository({ 'inputs/tracked.json': '{}\n', 'a.txt': 'a\n' });
  const handle = await workspace(repo);
  await write(handle.directory, {
    'inputs/tracked.json': '1\n',
    'outputs/r.txt': 'r',
    '.palisade/x': 'x',
    'src/inputs/y': 'y',
  });
  const captured = await capture(handle);
  expect(names(captured.files)).toEqual(['A src/inputs/y']);
  expect(captured.warnings).toEqual([
    'inputs/ has tracked files that were changed; nothing under it is part of the product',
  ]);
});

test.each([['true'], ['input'], ['false']])(
  'FF-009: with autocrlf=%s in the global configuration the product is byte-equal',
  async (setting) => {
    const home = await scratch();
    await writeFile(
      join(home, '.gitconfig'),
      `[core]\n\tautocrlf = ${setting}\n\teol = crlf\n[diff]\n\tnoprefix = true\n\tcontext = 9\n\trenames = copies\n[apply]\n\twhitespace = error\n`,
    );
    const before = { HOME: process.env['HOME'], XDG_CONFIG_HOME: process.env['XDG_CONFIG_HOME'] };
    process.env['HOME'] = home;
    delete process.env['XDG_CONFIG_HOME'];
    onTestFinished(() => {
      for (const [name, value] of Object.entries(before))
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
    });
    const repo = await repository({
      'crlf.txt': 'a\r\nb\r\n',
      'lf.txt': 'a\nb\n',
      'mixed.txt': 'a\rb\r\nc\n',
    });
    const handle = await workspace(repo);
    await write(handle.directory, {
      'crlf.txt': 'a\r\nB\r\n',
      'lf.txt': 'a\nB\n',
      'mixed.txt': 'a\rb\r\nC\n',
    });
    const captured = await capture(handle);
    const digest = createHash('sha256').update(captured.patch).digest('hex');
    expect(digest).toMatchInlineSnapshot(
      `"3dd3e28c18199a184e21e6afb9ba8fbdbd9264080eae11e4b6f3b15f06903edb"`,
    );
    expect([captured.added, captured.deleted]).toEqual([3, 3]);
    expect(await treeAfterApply(repo, captured.patchPath)).toBe(await treeOf(handle.directory));
  },
);

test('FF-007 FF-011: CRLF, lone CR, a byte-order mark, trailing blanks, form feeds and a missing last newline survive whatever .gitattributes say', async () => {
  const odd = '\ufeffone \t\r\ntwo\rthree\n\f\nfour  ';
  const attributes =
    '* text=auto eol=crlf ident working-tree-encoding=UTF-16 whitespace=fix -diff filter=x\n';
  const repo = await repository({ 'odd.txt': odd, 'id.txt': '$Id: kept $\n' });
  await write(repo, { '.gitattributes': attributes });
  const env = userEnv('/nonexistent', { GIT_ATTR_SOURCE: '' });
  delete env['GIT_ATTR_SOURCE'];
  const blob = (await git(repo, ['hash-object', '-w', '--no-filters', '.gitattributes'], env)).trim();
  await git(repo, ['update-index', '--add', '--cacheinfo', `100644,${blob},.gitattributes`], env);
  await git(repo, ['commit', '-q', '-m', 'attributes'], env);
  const handle = await workspace(repo);
  expect(await readFile(join(handle.directory, 'odd.txt'), 'utf8')).toBe(odd);
  expect(await git(handle.directory, ['status', '--porcelain'])).toBe('');
  await write(handle.directory, { 'odd.txt': odd.replace('two', 'TWO'), 'id.txt': '$Id: kept $\nx' });
  const captured = await capture(handle);
  expect(names(captured.files)).toEqual(['M id.txt', 'M odd.txt']);
  expect(captured.files.every((file) => !file.binary)).toBe(true);
  expect(
    captured.patch.includes('\n-two\rthree\n+TWO\rthree\n \f\n four  \n\\ No newline at end of file\n'),
  ).toBe(true);
  expect(captured.patch.includes('\n \ufeffone \t\r\n')).toBe(true);
});

test('FF-135: nothing an agent plants in configuration, attributes, hooks or nested repositories runs on the host', async () => {
  const repo = await repository({ 'a.txt': 'a\n', 'd/b.txt': 'b\n' });
  const handle = await workspace(repo);
  const { directory } = handle;
  const marker = join(await scratch('plain'), 'marker');
  const program = join(await scratch('plain'), 'program');
  await writeFile(program, `#!/bin/sh\ntouch ${marker}\n`, { mode: 0o755 });
  const plant = async (place: string) => {
    for (const name of [
      'core.fsmonitor',
      'core.pager',
      'core.sshCommand',
      'core.editor',
      'diff.external',
      'diff.evil.command',
      'diff.evil.textconv',
      'merge.evil.driver',
      'filter.evil.clean',
      'filter.evil.smudge',
      'filter.evil.process',
      'gpg.program',
    ])
      await git(place, ['config', name, program]);
    await git(place, ['config', 'core.hooksPath', join(place, 'hooks')]);
    await write(place, { '.gitattributes': '* filter=evil diff=evil merge=evil\n', '.lfsconfig': '[lfs]\n' });
    await mkdir(join(place, '.git/hooks'), { recursive: true });
    for (const hook of ['pre-commit', 'post-index-change', 'post-checkout', 'reference-transaction'])
      for (const folder of ['.git/hooks', 'hooks'])
        await write(place, { [`${folder}/${hook}`]: `#!/bin/sh\ntouch ${marker}\n` }).then(() =>
          chmod(join(place, folder, hook), 0o755),
        );
  };
  await plant(directory);
  const nested = join(directory, 'nested');
  await write(nested, { 'n.txt': 'n\n' });
  await git(nested, ['init', '-q']);
  await git(nested, ['commit', '-q', '--allow-empty', '-m', 'n']);
  await plant(nested);
  await write(directory, { 'a.txt': 'A\n' });
  await rm(marker, { force: true });
  const captured = await capture(handle);
  expect(names(captured.files)).toContain('M a.txt');
  expect(names(captured.files)).toContain('A nested/n.txt');
  await expect(lstat(marker)).rejects.toThrow('ENOENT');
  // The same tree does run it for a git that believes the agent.
  await git(directory, ['config', '--unset', 'filter.evil.process']);
  await git(directory, ['status']).catch(() => '');
  expect((await lstat(marker)).isFile()).toBe(true);
});

test('FF-131: configuration that runs programs is named, also a hook folder that only the operator configured', async () => {
  const repo = await repository({ 'a.txt': 'a\n' });
  await git(repo, ['config', 'core.hooksPath', 'tools/hooks']);
  await git(repo, ['config', 'include.path', '../shared.gitconfig']);
  const handle = await workspace(repo);
  await write(handle.directory, {
    'tools/hooks/pre-commit': '#!/bin/sh\n',
    'shared.gitconfig': '[core]\n',
    '.github/workflows/ci.yml': 'x',
    'src/plain.ts': 'x',
  });
  const { warnings } = await capture(handle);
  expect(warnings).toEqual([
    '.github/workflows/ci.yml is configuration that can run programs',
    "shared.gitconfig is run by this repository's git configuration (shared.gitconfig)",
    "tools/hooks/pre-commit is run by this repository's git configuration (tools/hooks)",
  ]);
});

test('FF-021: files that another user owns are captured, and no global configuration is written', async () => {
  const repo = await repository({ 'a.txt': 'a\n', 'd/b.txt': 'b\n' });
  const handle = await workspace(repo);
  await write(handle.directory, { 'a.txt': 'A\n', 'new/n.txt': 'n\n' });
  if (isRoot) execFileSync('chown', ['-hR', '65534:65534', handle.directory]);
  await chmod(join(handle.directory, 'new'), 0o000);
  await chmod(join(handle.directory, 'a.txt'), 0o000);
  const captured = await capture(handle);
  expect(names(captured.files)).toEqual(['A new/n.txt', 'M a.txt']);
  if (isRoot) expect((await lstat(join(handle.directory, 'new/n.txt'))).uid).toBe(65534);
});

test('FF-019: folders and files without any permission are captured by an unprivileged supervisor', async () => {
  const repo = await repository({ 'a.txt': 'a\n' });
  const handle = await workspace(repo);
  await write(handle.directory, { 'closed/in/n.txt': 'n\n', 'a.txt': 'A\n' });
  await chmod(join(handle.directory, 'closed/in'), 0o000);
  await chmod(join(handle.directory, 'closed'), 0o000);
  await chmod(join(handle.directory, 'a.txt'), 0o000);
  if (!isRoot) {
    expect(names((await capture(handle)).files)).toEqual(['A closed/in/n.txt', 'M a.txt']);
    return;
  }
  const place = join(handle.directory, '..');
  execFileSync('chown', ['-R', '65534:65534', place]);
  execFileSync('chmod', ['755', join(place, '..')]);
  const script = `import { capturePatch, release } from ${JSON.stringify(join(import.meta.dirname, 'index.ts'))};
    process.setgroups([]); process.setgid(65534); process.setuid(65534);
    const handle = ${JSON.stringify(handle)};
    const captured = await capturePatch(handle, { patchPath: ${JSON.stringify(join(place, 'p.patch'))} });
    await release(handle);
    console.log(JSON.stringify(captured.files.map((file) => file.status + ' ' + file.path)));`;
  const out = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  expect(JSON.parse(out)).toEqual(['M a.txt', 'A closed/in/n.txt']);
  expect(await readdir(place)).toEqual(['p.patch']);
});

test('FF-133: a tracked file that looks like a secret is captured like any other', async () => {
  const repo = await repository({ '.env': 'KEY=1\n', 'id_rsa.sample': 'x\n' });
  const handle = await workspace(repo);
  expect((await capture(handle)).empty).toBe(true);
  await write(handle.directory, { '.env': 'KEY=2\n' });
  expect(names((await capture(handle)).files)).toEqual(['M .env']);
});

test('an edit that keeps size and times is still captured', async () => {
  const repo = await repository({ 'a.txt': 'aaaa\n' });
  const handle = await workspace(repo);
  const file = join(handle.directory, 'a.txt');
  const { atime, mtime } = await lstat(file);
  await writeFile(file, 'bbbb\n');
  await utimes(file, atime, mtime);
  expect(names((await capture(handle)).files)).toEqual(['M a.txt']);
});

test('an edit of equal size in the very second of the checkout is captured, also when captured later', async () => {
  const repo = await repository({ 'a.txt': 'aaaa\n' });
  const second = (ms: number) => Math.floor(ms / 1_000);
  for (let tries = 0; ; tries++) {
    const handle = await workspace(repo);
    const file = join(handle.directory, 'a.txt');
    const before = await lstat(file);
    await writeFile(file, 'bbbb\n');
    const after = await lstat(file);
    if (second(before.mtimeMs) !== second(after.mtimeMs) && tries < 50) continue;
    expect(second(after.mtimeMs)).toBe(second(before.mtimeMs));
    while (second(Date.now()) <= second(after.mtimeMs)) await setImmediate();
    expect(names((await capture(handle)).files)).toEqual(['M a.txt']);
    expect(await git(handle.directory, ['status', '--porcelain'])).toBe(' M a.txt\n');
    return;
  }
});

test('a tracked file replaced by a fifo, and a fifo beside it, do not hang or break the capture', async () => {
  const repo = await repository({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
  const handle = await workspace(repo);
  await unlink(join(handle.directory, 'a.txt'));
  execFileSync('mkfifo', [join(handle.directory, 'a.txt'), join(handle.directory, 'pipe')]);
  const captured = await capture(handle);
  expect(names(captured.files)).toEqual(['D a.txt']);
  expect(captured.warnings).toEqual(['a.txt is neither a file nor a symlink and is not captured']);
});

test('a fifo where a moved repository would name its store does not hold the capture up', async () => {
  const handle = await workspace(await repository({ 'a.txt': 'a\n' }));
  const fifo = join(handle.directory, 'moved/objects/info/alternates');
  await write(handle.directory, { 'moved/work.txt': 'w\n' });
  await mkdir(dirname(fifo), { recursive: true });
  execFileSync('mkfifo', [fifo]);
  let wasReleased = false;
  // Whoever waits for a writer is let go in the end, so that this test fails instead of hanging.
  const release = setTimeout(() => {
    wasReleased = true;
    void open(fifo, constants.O_RDWR | constants.O_NONBLOCK).then((file) => file.close());
  }, 10_000);
  onTestFinished(() => clearTimeout(release));
  const captured = await capture(handle);
  expect(wasReleased).toBe(false);
  expect(names(captured.files)).toEqual(['A moved/work.txt']);
});

test.each([['the file'], ['its folder'], ['the top folder']])(
  'no symlink passes work off as the moved repository of the workspace: %s',
  async (what) => {
    const handle = await workspace(await repository({ 'a.txt': 'a\n' }));
    // It names the store by which the workspace's own repository is known.
    const own = join(handle.directory, '.git/objects/info/alternates');
    expect(await readFile(own, 'utf8')).toContain(handle.stateDir);
    const place = join(handle.directory, 'x');
    const at = { 'the file': 'objects/info/alternates', 'its folder': 'objects/info', 'the top folder': '' }[
      what
    ];
    const links = {
      'the file': own,
      'its folder': dirname(own),
      'the top folder': join(handle.directory, '.git'),
    };
    const link = join(place, at ?? '');
    await mkdir(dirname(link), { recursive: true });
    await symlink(links[what as keyof typeof links], link);
    const captured = await capture(handle);
    expect(captured.warnings.join()).not.toContain("workspace's own repository");
    expect(names(captured.files)).toEqual([`A ${link.slice(handle.directory.length + 1)}`]);
  },
);

test.each([['a fifo'], ['a symlink to one']])(
  "%s for the agent's index neither holds the capture up nor breaks it",
  async (what) => {
    const handle = await workspace(await repository({ 'a.txt': 'a\n' }));
    await write(handle.directory, { 'a.txt': 'A\n' });
    const index = join(handle.directory, '.git/index');
    await unlink(index);
    const fifo = what === 'a fifo' ? index : join(handle.directory, '.git/pipe');
    execFileSync('mkfifo', [fifo]);
    if (fifo !== index) await symlink(fifo, index);
    expect(names((await capture(handle)).files)).toEqual(['M a.txt']);
  },
);

test('a symlink in a circle in place of a submodule does not break the capture', async () => {
  const inner = await repository({ 'i.txt': 'i\n' });
  const repo = await repository({ 'a.txt': 'a\n' });
  await git(repo, ['-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner, 'sub']);
  await commitAll(repo, 'submodule');
  const handle = await workspace(repo);
  await rm(join(handle.directory, 'sub'), { recursive: true });
  await symlink('sub', join(handle.directory, 'sub'));
  await write(handle.directory, { 'a.txt': 'A\n' });
  expect(names((await capture(handle)).files)).toContain('M a.txt');
});

test('a patch over the limit fails whole with capture_failed and leaves no file; so does time and cancellation', async () => {
  const handle = await workspace(await repository({ 'a.txt': 'a\n' }));
  const patchPath = join(await scratch(), 'p.patch');
  await writeFile(
    join(handle.directory, 'random.bin'),
    createHash('sha256').update('x').digest().toString('hex').repeat(300),
  );
  expect(await codeOf(capture(handle, { patchPath, maxBytes: 5_000 }))).toBe('capture_failed');
  await writeFile(join(handle.directory, 'sparse'), '');
  await truncate(join(handle.directory, 'sparse'), 2 ** 40);
  expect(await codeOf(capture(handle, { patchPath }))).toBe('capture_failed');
  await unlink(join(handle.directory, 'sparse'));
  expect(await codeOf(capture(handle, { patchPath, timeoutMs: 1 }))).toBe('timed_out');
  expect(await codeOf(capture(handle, { patchPath, signal: AbortSignal.abort() }))).toBe('canceled');
  await expect(lstat(patchPath)).rejects.toThrow('ENOENT');
  expect((await capture(handle, { patchPath })).empty).toBe(false);
});

test('FF-033: a submodule is announced as missing, stays a pointer, and files put into it are reported', async () => {
  const inner = await repository({ 'skill.md': 's\n' });
  const repo = await repository({ 'a.txt': 'a\n' });
  await git(repo, ['-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner, 'lib/sub']);
  await commitAll(repo, 'with submodule');
  const { missing } = await resolveBase({ directory: repo });
  expect(missing).toEqual(['submodule lib/sub will be empty']);
  const handle = await workspace(repo);
  expect((await capture(handle)).empty).toBe(true);
  await write(handle.directory, { 'lib/sub/x.txt': 'x', 'a.txt': 'A\n' });
  await git(join(handle.directory, 'lib/sub'), ['init', '-q']);
  await git(join(handle.directory, 'lib/sub'), ['commit', '-q', '--allow-empty', '-m', 'moved']);
  const captured = await capture(handle);
  expect(names(captured.files)).toEqual(['M a.txt']);
  expect(captured.warnings).toEqual([
    'files were written into the submodule lib/sub; they are not part of the product',
  ]);
});

test('upstream patches are part of the base: in the files, in the history, never in the product', async () => {
  const repo = await repository({ 'a.txt': '1\n2\n3\n4\n5\n6\n7\n8\n' });
  const first = await workspace(repo);
  await write(first.directory, { 'a.txt': 'one\n2\n3\n4\n5\n6\n7\n8\n', 'up.txt': 'u\n' });
  const upstream = await capture(first);
  const handle = await workspace(repo, { basePatches: [{ path: upstream.patchPath }] });
  expect(await readFile(join(handle.directory, 'up.txt'), 'utf8')).toBe('u\n');
  expect(await git(handle.directory, ['status', '--porcelain'])).toBe('');
  expect(await git(handle.directory, ['log', '--format=%s'])).toBe('Apply upstream patches\nfirst\n');
  await appendFile(join(handle.directory, 'a.txt'), '9\n');
  const captured = await capture(handle);
  expect(names(captured.files)).toEqual(['M a.txt']);
  expect(captured.patch.includes('+one')).toBe(false);
  await write(repo, { 'a.txt': 'other\n' });
  await commitAll(repo, 'moved on');
  expect(await codeOf(workspace(repo, { basePatches: [{ path: upstream.patchPath }] }))).toBe(
    'patch_conflict',
  );
});

test('an empty workspace is a repository without history and its product applies to an empty folder', async () => {
  const place = await scratch();
  const handle = await materialise({
    source: { kind: 'empty' },
    directory: join(place, 'w'),
    stateDir: join(place, 's'),
    basePatches: [],
  });
  await recordBase(handle);
  await recordBaseline(handle);
  expect(await git(handle.directory, ['status', '--porcelain'])).toBe('');
  await write(handle.directory, { 'x/y.txt': 'y\n' });
  await symlink('x/y.txt', join(handle.directory, 'l'));
  expect(names((await capture(handle)).files)).toEqual(['A l', 'A x/y.txt']);
});
