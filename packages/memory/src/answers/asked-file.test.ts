import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TestRepository } from '../../test/history.ts';
import { changed, explain, type Memory, neighbors, plan, preflight, ranking, safe } from '../index.ts';

const ASKED = { explain, safe, plan: (memory: Memory, path: string) => plan(memory, path, ''), neighbors };

/** That every question about one file is refused, and a preflight that names it goes on without. */
function expectRefused(memory: Memory, path: string, code: string, message: string, next: string): void {
  for (const [name, ask] of Object.entries(ASKED)) {
    let error: unknown;
    try {
      (ask as (memory: Memory, path: string, limit: number) => unknown)(memory, path, 5);
    } catch (thrown) {
      error = thrown;
    }
    expect([name, path, error]).toMatchObject([name, path, { code, message, next }]);
  }
}

describe('the file that is asked about', () => {
  it('one of a submodule belongs to another repository, and so does the folder', async () => {
    using inner = new TestRepository().commit({ files: { 'lib/x.c': '1' } });
    using repository = new TestRepository().commit({ files: { 'a.ts': '1' } });
    repository.git(
      '-c',
      'protocol.file.allow=always',
      'submodule',
      '--quiet',
      'add',
      inner.directory,
      'deps/in',
    );
    repository.git('commit', '--quiet', '-m', 'Take it in');
    // One that git does not know as such.
    mkdirSync(join(repository.directory, 'nested'));
    const nested = new TestRepository(join(repository.directory, 'nested'));
    nested.git('init', '--quiet', '--initial-branch=main', '.');
    nested.commit({ files: { 'y.c': '1' } });
    for (const isIndexed of [false, true]) {
      if (isIndexed) await repository.index();
      using memory = await repository.memory();
      const sub = 'another repository, the submodule deps/in';
      expectRefused(
        memory,
        'deps/in/lib/x.c',
        'not_found',
        `deps/in/lib/x.c belongs to ${sub}`,
        'ask in it: cd deps/in',
      );
      expectRefused(memory, 'deps/in', 'not_found', `deps/in is ${sub}`, 'ask in it: cd deps/in');
      expectRefused(
        memory,
        'nested/y.c',
        'not_found',
        'nested/y.c belongs to another repository',
        'ask in it: cd nested',
      );
      expect(preflight(memory, 'x', ['deps/in']).unreadable).toMatchObject([
        { path: 'deps/in' },
        { path: 'nested/' },
      ]);
    }
    inner.commit({ files: { 'lib/x.c': '2' } });
    repository.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'update', '--remote');
    using memory = await repository.memory();
    expect(changed(memory).files.find(({ path }) => path === 'deps/in')?.risk_level).toBe('unknown');
  });

  it("what git ignores and what is git's own is refused, and a file that git knows all the same is not", async () => {
    using repository = new TestRepository().commit({
      files: { '.gitignore': '*.log\nbuild/\n', 'kept.log': '1', 'src/a.ts': '1' },
    });
    repository.write({ 'x.log': '', 'build/out.js': '', 'node_modules/m/i.js': '', 'src/new.ts': '' });
    symlinkSync('src', join(repository.directory, 'link'));
    await repository.index();
    using memory = await repository.memory();
    for (const path of ['x.log', 'build/out.js'])
      expectRefused(
        memory,
        path,
        'not_found',
        `${path} is no file of this repository: git leaves it out`,
        `git check-ignore -v ${path} says by which rule`,
      );
    expect(() => safe(memory, 'node_modules/m/i.js')).toThrow('is no file of this repository');
    expect(() => safe(memory, 'link/a.ts')).toThrow('link/a.ts is reached through link, which is a link');
    for (const path of ['.git/config', 'src/.GIT/hooks/x', '.git'])
      expectRefused(
        memory,
        path,
        'unsafe_path',
        `${path} is git's own: it is no file of the repository`,
        'name a file of this repository',
      );
    for (const path of ['kept.log', 'src/new.ts', 'link']) expect(safe(memory, path).path).toBe(path);
    expect(preflight(memory, 'x', ['x.log', 'build', '.git']).unreadable.map(({ path }) => path)).toEqual([
      'x.log',
      'build',
      '.git',
    ]);
  });

  it('a folder is one, and a misspelt path names the one that is near', async () => {
    using repository = new TestRepository().commit({
      files: {
        'src/cart/tax.ts': '1',
        'src/cart/price list.ts': '1',
        'src/total.ts': '1',
        'it is/a.ts': '1',
      },
    });
    await repository.index();
    using memory = await repository.memory();
    expectRefused(
      memory,
      'src/cart',
      'invalid_input',
      'src/cart is a folder, and this is about one file',
      'pal repo preflight TASK --scope src/cart',
    );
    expect(() => explain(memory, 'it is')).toThrow(
      expect.objectContaining({ next: "pal repo preflight TASK --scope 'it is'" }),
    );
    for (const [written, meant] of [
      ['src/cart/tex.ts', 'src/cart/tax.ts'],
      ['src/crat/tax.ts', 'src/cart/tax.ts'],
      ['tax.ts', 'src/cart/tax.ts'],
      ['src/totla.ts', 'src/total.ts'],
    ] as const)
      expectRefused(
        memory,
        written,
        'not_found',
        `${written} is neither on disk nor in the index (did you mean "${meant}"?)`,
        `name ${meant}, if that is meant`,
      );
    expect(() => explain(memory, 'nothing/like/it.rs')).toThrow(/the index$/);
  });

  it('FF-157: of a renamed file it is about what it is called now, of a deleted one it says that', async () => {
    using repository = new TestRepository();
    const files = (at: number) => ({
      'src/cart/tax.ts': `${'line\n'.repeat(20)}${at}`,
      'src/cart/near.ts': `${at}`,
    });
    repository.commit(
      { files: { ...files(0), 'src/gone.ts': '1' } },
      { files: { ...files(1), 'src/gone.ts': '2' } },
      { renames: { 'src/cart/tax.ts': 'src/cart/vat.ts' }, files: { 'src/gone.ts': null } },
    );
    await repository.index();
    using memory = await repository.memory();
    const moved = plan(memory, 'src/cart/tax.ts', '');
    expect(moved.path).toBe('src/cart/vat.ts');
    expect(moved.steps.join()).not.toContain('tax.ts');
    expect(moved.files_to_inspect).toEqual(['src/cart/vat.ts', 'src/cart/near.ts']);
    expect(moved.evidence.notes.join()).toContain(
      'src/cart/tax.ts is called src/cart/vat.ts now: this is about src/cart/vat.ts',
    );
    expect(explain(memory, 'src/cart/tax.ts').structural_links.map(({ path }) => path)).toEqual([
      'src/cart/near.ts',
    ]);
    const gone = plan(memory, 'src/gone.ts', '');
    expect(gone.steps[0]).toBe('do not change src/gone.ts: it is gone');
    expect(gone.steps.join()).not.toMatch(/read src\/gone|change src\/gone\.ts,/);
    expect(gone.files_to_inspect).not.toContain('src/gone.ts');
    expect(safe(memory, 'src/gone.ts')).toMatchObject({
      verdict: 'inspect_context_first',
      action_guidance: { safe_to_edit_alone: false },
    });
    // Another file that is made under the old name has no part in that history.
    repository.write({ 'src/cart/tax.ts': 'other' });
    using later = await repository.memory();
    expect(safe(later, 'src/cart/tax.ts').risk).toMatchObject({ path: 'src/cart/tax.ts', churn_score: 0 });
  });
});

describe('neighbours', () => {
  it('WM-020, WM-021: what shared one commit with a file is no neighbour of it, in any answer alike', async () => {
    using repository = new TestRepository();
    const wide = (at: number) =>
      Object.fromEntries(Array.from({ length: 55 }, (_, each) => [`f${each}.ts`, `${at}`]));
    repository.commit(
      { files: { LICENSE: '1', 'a.ts': '1', ...wide(1) } },
      { files: { LICENSE: '2', 'a.ts': '2' } },
      { files: wide(2) },
    );
    await repository.index();
    const counts = async () => {
      using memory = await repository.memory({ now: repository.now + 90 * 86_400_000 });
      const ranked = new Map(ranking(memory, 1_000).files.map((each) => [each.path, each]));
      for (const { path, neighbor_count: count, score } of ranked.values())
        expect([path, count, score]).toEqual([
          path,
          explain(memory, path).risk.neighbor_count,
          explain(memory, path).risk.score,
        ]);
      const { risk, neighbors: listed } = explain(memory, 'LICENSE');
      return [
        listed.map(({ path }) => path),
        risk.neighbor_count,
        risk.level,
        ranked.get('f0.ts')?.neighbor_count,
      ];
    };
    expect(await counts()).toEqual([['a.ts'], 1, 'low', 54]);
    // One that goes is nobody's neighbour any more, though nothing else has changed.
    repository.commit({ files: { 'a.ts': null, 'f9.ts': null } });
    await repository.index();
    expect(await counts()).toEqual([[], 0, 'low', 53]);
    repository.write({ 'a.ts': '2' });
    repository.git('rm', '--quiet', '--cached', 'f8.ts');
    repository.git('rm', '--quiet', '-f', '--ignore-unmatch', 'f7.ts');
    await repository.index();
    expect((await counts())[3]).toBe(52);
  });
});
