import { appendFile, lstat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isPalisadeError, type PalisadeError } from '@palisade/contracts';
import { expect, test } from 'vitest';
import { git, repository, scratch, write } from '../test/repository.ts';
import { isTrackedByGit, resolveBase } from './index.ts';

/* What a repository that somebody else prepared, `.git` and all, may try on the host. */

async function refusal(promise: Promise<unknown>): Promise<PalisadeError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (isPalisadeError(error)) return error;
  throw new Error(`no refusal but ${String(error)}`);
}

const present = async (path: string) =>
  lstat(path).then(
    () => true,
    () => false,
  );

const DRIVERS = ['evil', 'a=b', 'a=b=c', 'x.y', '=', 'ü', 'a"b', 'a\\b'];

test.each(['its own configuration', 'a file it includes', 'a file it includes for its folder'])(
  'FF-135: no filter program runs, whatever it is called, that a repository names in %s',
  async (where) => {
    const marker = join(await scratch('plain'), 'marker');
    const names = DRIVERS.map((_, index) => `${index}.txt`);
    const repo = await repository(Object.fromEntries(names.map((name) => [name, `${name}\n`])));
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
    expect(await present(marker)).toBe(false);
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
