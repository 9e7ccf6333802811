import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { budgetOf } from '@palisade/workspace';
import { describe, expect, it } from 'vitest';
import { TestRepository } from '../../test/history.ts';
import { installAgentsBlock } from '../agents-block.ts';
import { indexRepository } from '../index.ts';
import { structuralLinks } from '../signals/structural-links.ts';
import { planChecks } from '../verification/plan-checks.ts';
import { resolveImport, type Tree } from './resolve-imports.ts';
import { ScriptAliases } from './script-aliases.ts';

const BOUND_MS = 5_000;

/** Small sizes first: what takes exponential or quadratic time fails at one of them instead of going on for ever. */
function grown(sizes: readonly number[], body: (size: number) => void): void {
  for (const size of sizes) {
    const started = performance.now();
    body(size);
    expect(performance.now() - started, `at ${size}`).toBeLessThan(BOUND_MS);
  }
}

function aliases(files: Readonly<Record<string, string>>): ScriptAliases {
  return new ScriptAliases((path) => files[path]);
}

/** In the time that an index may take. */
async function links(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  using repository = new TestRepository();
  repository.commit({ files });
  const started = performance.now();
  await repository.index();
  expect(performance.now() - started).toBeLessThan(BOUND_MS);
  using memory = await repository.memory();
  return memory.database
    .all<{ source: string; target: string }>('SELECT source, target FROM links ORDER BY source, target')
    .map(({ source, target }) => `${source} > ${target}`);
}

const numbered = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at));

describe('a configuration of TypeScript', () => {
  it('that extends itself many times is read once, and so are many that extend each other', async () => {
    grown([1, 2, 3, 4, 5, 6, 8, 10, 1_000], (size) => {
      const found = aliases({
        'tsconfig.json': JSON.stringify({
          extends: Array<string>(size).fill('./tsconfig'),
          compilerOptions: { baseUrl: 'src' },
        }),
      });
      expect(found.places('x', 'a.ts')).toEqual(['src/x']);
    });
    grown([1, 2, 3, 4, 5, 6, 8, 10, 200], (size) => {
      const all = numbered(size, (at) => `./${at}.json`);
      const files: Record<string, string> = { 'tsconfig.json': JSON.stringify({ extends: all }) };
      for (const name of all)
        files[name.slice(2)] = JSON.stringify({ extends: all, compilerOptions: { baseUrl: 'src' } });
      expect(aliases(files).places('x', 'a.ts')).toEqual(['src/x']);
    });
  });

  it('that leads from one to the next without end is followed for a while', () => {
    const files: Record<string, string> = { 'tsconfig.json': '{"extends": "./0"}' };
    for (let at = 0; at < 20_000; at++) files[`${at}.json`] = `{"extends": "./${at + 1}"}`;
    expect(aliases(files).places('x', 'a.ts')).toEqual([]);
    const near = numbered(20, (at) => [`${at}.json`, `{"extends": "./${at + 1}"}`] as const);
    const ended = { 'tsconfig.json': '{"extends": "./0"}', ...Object.fromEntries(near) };
    expect(
      aliases({ ...ended, '20.json': '{"compilerOptions": {"baseUrl": "."}}' }).places('x', 'a.ts'),
    ).toEqual(['x']);
  });

  it.each([
    ',// ',
    '// ',
    '/*',
    '/**/',
    '/* */,',
    '"',
    String.raw`"\"`,
    String.raw`\"`,
    ',',
    ', ',
    ' ',
    ',\n',
    '{"a":',
    '[',
  ])('whatever it repeats, here %j, takes a moment', async (piece) => {
    grown([5, 10, 15, 18, 20, 22, 24, 26, 28, 30, 100, 1_000, 10_000, 100_000, 200_000], (size) => {
      for (const text of [`{"a": 1,${piece.repeat(size)}`, `{"a": "${piece.repeat(size)}`])
        aliases({ 'tsconfig.json': text }).places('x', 'a.ts');
    });
  });

  it('keeps what stands in strings, and ends a comment with its line', () => {
    const text = String.raw`{ // one, } "
      "compilerOptions": { /* two } */ "baseUrl": "s//r\"c,]", // three, ]
        "paths": { "@/*": ["/*a,]",], /* four */ }, // five
      }, }`;
    expect(aliases({ 'tsconfig.json': text }).places('@/x', 'a.ts')).toEqual(['s/r"c,]/xa,]', 's/r"c,]/@/x']);
  });

  it('with more and longer paths than anybody writes is held to some', async () => {
    grown([100, 1_000, 10_000, 40_000], (size) => {
      const paths = Object.fromEntries(numbered(size, (at) => [`${at}*`, ['*', 'x'.repeat(10)]]));
      const found = aliases({
        'tsconfig.json': JSON.stringify({ compilerOptions: { baseUrl: 'b'.repeat(size), paths } }),
      });
      for (let at = 0; at < 5_000; at++) expect(found.places(`${at}z`, 'a.ts').length).toBeLessThan(30);
    });
  });
});

describe('a tree', () => {
  it('has the module of its go.mod found in any number of empty lines', async () => {
    for (const size of [1_000, 10_000, 50_000, 200_000])
      expect(
        await links({
          'go.mod': `${'\n'.repeat(size)}module example.org/m\n`,
          'main.go': 'package main\nimport "example.org/m/a"\n',
          'a/a.go': 'package a\n',
        }),
      ).toEqual(['main.go > a/a.go']);
  });

  it('of Go has the first 50 files of a package by name behind an import, and 200 looked through for names', async () => {
    const name = (at: number) => `f${String(at).padStart(3, '0')}`;
    using repository = new TestRepository();
    const files: Record<string, string> = {
      'go.mod': 'module example.org/m\n',
      'p/a_test.go': 'package p\n',
    };
    for (let at = 0; at < 300; at++) {
      files[`p/${name(at)}.go`] = 'package p\nfunc Do() { Do() }\n';
      files[`q/${name(at)}.go`] = 'package q\nimport "example.org/m/p"\n';
    }
    repository.commit({ files });
    // What git does not know yet comes last of all files, and by its name still first.
    repository.write({ 'p/early.go': 'package p\n' });
    expect((await repository.index()).import_link_count).toBe(300 * 50);
    using memory = await repository.memory();
    const targets = memory.database.all<{ target: string }>(
      "SELECT target FROM links WHERE source = 'q/f007.go' ORDER BY target",
    );
    expect(targets.map(({ target }) => target)).toEqual([
      'p/early.go',
      ...numbered(49, (at) => `p/${name(at)}.go`),
    ]);
    const users = structuralLinks(memory, 'p/f299.go').filter(({ kind }) => kind === 'go-symbol');
    expect(users.length).toBeLessThanOrEqual(200);
  });

  it('leads from one file to at most 1,000', async () => {
    const files: Record<string, string> = {};
    for (let at = 0; at < 1_200; at++) files[`d/f${at}.css`] = '';
    files['a.css'] = numbered(1_200, (at) => `@import "d/f${at}.css";\n`).join('');
    expect((await links(files)).length).toBe(1_000);
  });

  it('with many roots of Python and many files of one name is looked through in a moment', async () => {
    for (const size of [10, 100, 500]) {
      const files: Record<string, string> = {
        'z.py': numbered(50 * size, (at) => `import m${at}\n`).join(''),
      };
      for (let at = 0; at < size; at++) files[`p${at}/src/own${at}.py`] = '';
      files['p7/src/m7/__init__.py'] = '';
      expect(await links(files)).toEqual(['z.py > p7/src/m7/__init__.py']);
    }
    for (const size of [10, 100, 300, 900]) {
      const files: Record<string, string> = {
        'z/Z.java': numbered(size, (at) => `import x${at}.${'a.'.repeat(200)}A;\n`).join(''),
      };
      for (let at = 0; at < size; at++) files[`p${at}/A.java`] = '';
      expect(await links(files)).toEqual([]);
    }
  });

  it('is stopped on request while its imports are resolved', async () => {
    using repository = new TestRepository();
    const files: Record<string, string> = {};
    const imports = numbered(4_000, (at) => `import './no${at}';\n`).join('');
    for (let at = 0; at < 400; at++) files[`f${at}.ts`] = imports;
    repository.commit({ files });
    const stop = new AbortController();
    let stopped = 0;
    const indexing = indexRepository({
      directory: repository.directory,
      budget: { ...budgetOf(60_000), signal: stop.signal },
      now: repository.now,
      onProgress: (what) => {
        if (what === 'files')
          setTimeout(() => {
            stopped = performance.now();
            stop.abort();
          }, 100);
      },
    });
    await expect(indexing).rejects.toThrow(expect.objectContaining({ code: 'canceled' }));
    expect(performance.now() - stopped).toBeLessThan(1_000);
  });
});

describe('an import', () => {
  const paths = new Set(['src/lib.rs', 'src/x.rs', 'src/x/b.rs', 'sh/run.sh', 'sh/d.sh', 'lib/d.sh', 'e.sh']);
  const tree: Tree = {
    has: (path) => paths.has(path),
    named: (stem) => [...paths].filter((path) => path.includes(`/${stem}.`)),
    goFiles: () => [],
    goModules: () => [],
    aliases: aliases({}),
    pythonRoots: () => [],
  };

  it('of Rust with a long list, deep names or many braces takes a moment', async () => {
    const list = (size: number) => `{${numbered(size, String).join(',')}}`;
    grown([10, 50, 100, 200, 500, 1_000, 300_000], (size) => {
      for (const text of [
        `crate::x::${'a::'.repeat(size)}${list(size)}`,
        `crate::x::${'{'.repeat(size)}`,
        `crate::x::${'a::{'.repeat(size)}b`,
        `crate::x::a${' '.repeat(size)}b::${list(Math.min(size, 500))}`,
      ])
        for (let count = 0; count < 50; count++) resolveImport('rust', text, 'src/lib.rs', tree);
    });
    const found = (text: string) => [...new Set(resolveImport('rust', text, 'src/lib.rs', tree))];
    expect(found('crate::{x::{self as\n it, b as c}, y}')).toEqual(['src/x.rs', 'src/x/b.rs']);
    expect(found(`crate::x::{${'z,'.repeat(100)} b}`)).toEqual(['src/x.rs', 'src/x/b.rs']);
  });

  it.each([
    '$(cd "$(dirname "$0")" && pwd)/d.sh',
    '$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/d.sh',
    '$(dirname "$(readlink -f "$0")")/d.sh',
    '${HERE:-$(dirname "$0")}/d.sh',
    '${BASH_SOURCE%/*}/d.sh',
    '$HERE/d.sh',
    './d.sh',
  ])('of a shell script by %s is of its own folder', (specifier) => {
    expect(resolveImport('bash', specifier, 'sh/run.sh', tree)).toEqual(['sh/d.sh']);
  });

  it('of a shell script by its own folder may climb, and is nothing when it cannot be told', () => {
    const of = (specifier: string) => resolveImport('bash', specifier, 'sh/run.sh', tree);
    expect(of('$(cd "$(dirname "$0")" && pwd)/../lib/d.sh')).toEqual(['lib/d.sh']);
    for (const specifier of ['$(a', '$((((((', '$(a)$(b)/d.sh', '$A/$B.sh', '$()', '$'.repeat(900)])
      expect(of(specifier), specifier).toEqual([]);
  });
});

describe('files of a project', () => {
  it('are read once for a change, however many files of theirs are changed', async () => {
    const workTree = mkdtempSync(join(tmpdir(), 'palisade-memory-'));
    try {
      mkdirSync(join(workTree, 'a'));
      const scripts = Object.fromEntries(numbered(40_000, (at) => [`s${at}`, 'x']));
      writeFileSync(join(workTree, 'package.json'), JSON.stringify({ scripts: { test: 'x', ...scripts } }));
      writeFileSync(join(workTree, 'a/package.json'), JSON.stringify({ scripts }));
      grown([10, 100, 1_000, 3_000], (size) => {
        const { full } = planChecks(
          { workTree },
          numbered(size, (at) => `a/f${at}.ts`),
          [],
        );
        expect(full.map(({ argv }) => argv)).toEqual([['npm', 'run', '-s', 'test']]);
      });
    } finally {
      rmSync(workTree, { recursive: true });
    }
  });

  it('that instruct agents may hold any number of empty lines', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'palisade-memory-'));
    try {
      grown([1_000, 10_000, 100_000, 300_000], (size) => {
        writeFileSync(join(directory, 'AGENTS.md'), `# Ours${'\n'.repeat(size)}end`);
        expect(installAgentsBlock(directory, false)).toMatchObject([{ change: 'updated' }]);
      });
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});
