import { createHash } from 'node:crypto';
import { chmod, cp, lstat, mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { capture, commitAll, git, scratch, treeOf, workspace, write } from '../test/repository.ts';
import { applyPlanned, planApply, revertApplied, summarisePatch } from './index.ts';

/*
 * Random trees, random work on them, then the whole way: capture → plan → apply on a fresh clone →
 * the very tree the agent left → revert → the very tree from before, with the index never touched.
 */

const segment = fc.constantFrom(
  'a',
  'b',
  'A',
  'src',
  'x b',
  'ü',
  '漢',
  'sp ace',
  'q"t',
  'tab\t',
  'new\nline',
  '-f',
  '🐙',
  'a\\b',
  '*',
  '[x]',
  ':(top)',
  '#h',
  '!n',
);
const path = fc.oneof(
  { weight: 6, arbitrary: fc.array(segment, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/')) },
  // A file that is surely there: most made-up paths to remove or move are not.
  { weight: 1, arbitrary: fc.constant('kept.txt') },
);
const line = fc.constantFrom(
  'one',
  'two',
  'diff --git a/x b/x',
  '--- a/x',
  '+++ b/x',
  '@@ -1 +1 @@',
  '',
  '  trailing  ',
  '\f',
  '-- ',
  '\\ No newline at end of file',
);
const text = fc
  .tuple(fc.array(line, { maxLength: 12 }), fc.constantFrom('\n', '\r\n', '\r'), fc.boolean(), fc.boolean())
  .map(([lines, end, terminated, mark]) =>
    Buffer.from(`${mark ? '\ufeff' : ''}${lines.join(end)}${terminated && lines.length > 0 ? end : ''}`),
  );
const content = fc.oneof(
  { weight: 3, arbitrary: text },
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
);

type Step =
  | { do: 'write'; path: string; content: Buffer; executable: boolean }
  | { do: 'link'; path: string; to: string }
  | { do: 'remove' | 'chmod' | 'nest' | 'commit'; path: string }
  | { do: 'move'; path: string; to: string };
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('write' as const), path, content, executable: fc.boolean() }),
  },
  fc.record({
    do: fc.constant('link' as const),
    path,
    to: fc.constantFrom('/etc/passwd', '..', 'a', 'nowhere'),
  }),
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom('remove' as const, 'chmod' as const, 'nest' as const, 'commit' as const),
      path,
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('move' as const), path, to: path }) },
);

/** Does one step; a step that the tree does not allow does nothing. */
async function perform(root: string, step: Step): Promise<void> {
  const place = join(root, step.path);
  try {
    await refuseSymlinkedParent(root, step.path);
    if (step.do === 'write') {
      await mkdir(dirname(place), { recursive: true });
      await rm(place, { force: true });
      await writeFile(place, step.content, { mode: step.executable ? 0o755 : 0o644 });
    } else if (step.do === 'link') {
      await mkdir(dirname(place), { recursive: true });
      await symlink(step.to, place);
    } else if (step.do === 'remove') await rm(place, { recursive: true });
    else if (step.do === 'chmod') {
      const stats = await lstat(place);
      if (stats.isFile()) await chmod(place, (stats.mode & 0o777) ^ 0o111);
    } else if (step.do === 'move') {
      await refuseSymlinkedParent(root, step.to);
      await mkdir(dirname(join(root, step.to)), { recursive: true });
      await rename(place, join(root, step.to));
    } else if (step.do === 'nest') {
      if ((await lstat(place)).isDirectory()) await git(place, ['init', '-q']);
    } else await git(root, ['commit', '-q', '--allow-empty', '-am', 'agent']);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
  }
}

async function refuseSymlinkedParent(root: string, path: string): Promise<void> {
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
    const stats = await lstat(join(root, folder)).catch(() => null);
    if (stats?.isSymbolicLink() === true)
      throw Object.assign(new Error('behind a symlink'), { code: 'ELOOP' });
  }
}

/** The tree of all files, nested repositories as the files they hold. */
async function flatTree(directory: string): Promise<string> {
  const copy = await scratch('copy');
  await cp(directory, copy, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (source) => !source.split('/').includes('.git'),
  });
  return treeOf(copy);
}

test.each(['sha1', 'sha256'])(
  'any work on any tree of %s objects is captured, applies to a fresh clone and can be taken back, the index untouched',
  async (format) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 12 }),
        fc.array(step, { minLength: 1, maxLength: 12 }),
        async (before, work) => {
          const repo = await scratch();
          await git(repo, ['init', '-q', '-b', 'main', `--object-format=${format}`]);
          await write(repo, { 'kept.txt': 'kept\n' });
          for (const one of before.filter((one) => one.do !== 'nest')) await perform(repo, one);
          await commitAll(repo, 'base');
          const original = await flatTree(repo);

          const handle = await workspace(repo);
          for (const one of work) await perform(handle.directory, one);
          const wanted = await flatTree(handle.directory);
          const captured = await capture(handle);
          expect(captured.empty).toBe(wanted === original);
          expect(summarisePatch(captured.patch)).toEqual(captured.files);

          const place = await scratch();
          await git(place, ['clone', '-q', repo, 'clone']);
          const target = join(place, 'clone');
          const index = await hashOf(join(target, '.git/index'));
          const patches = captured.empty ? [] : [{ item: 'it', file: captured.patchPath }];
          const record = await applyPlanned(await planApply({ directory: target, patches }));
          expect(await flatTree(target)).toBe(wanted);
          await revertApplied(record, target);
          expect(await flatTree(target)).toBe(original);
          expect(await hashOf(join(target, '.git/index'))).toBe(index);
        },
      ),
      { numRuns: Number(process.env['PALISADE_PROPERTY_RUNS'] ?? 8), endOnFailure: true },
    );
  },
  600_000,
);

async function hashOf(file: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(file))
    .digest('hex');
}
