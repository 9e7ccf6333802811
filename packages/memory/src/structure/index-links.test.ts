import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TestRepository } from '../../test/history.ts';
import { explain } from '../index.ts';
import { structuralLinks } from '../signals/structural-links.ts';
import { isTestFile, stemOf } from './test-file.ts';

async function links(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  using repository = new TestRepository();
  repository.commit({ files });
  await repository.index();
  using memory = await repository.memory();
  return memory.database
    .all<{ source: string; target: string }>('SELECT source, target FROM links ORDER BY source, target')
    .map(({ source, target }) => `${source} > ${target}`);
}

describe('imports', () => {
  it('TypeScript: relative, index files, compiled names, and the aliases of the nearest configuration (WM-024)', async () => {
    const found = await links({
      'tsconfig.base.json':
        '{ // ours\n "compilerOptions": { "baseUrl": ".", "paths": { "@lib/*": ["packages/lib/src/*"], }, }, }',
      'app/tsconfig.json': '{"extends": "../tsconfig.base.json"}',
      'app/main.ts':
        "import './part.js'; import '@lib/tool'; import './folder'; import 'react'; import '../../outside'; import 'packages/lib/src/tool';",
      'app/part.ts': '',
      'app/folder/index.tsx': '',
      'packages/lib/src/tool.ts': '',
      'packages/lib/src/other.ts': "import '@lib/tool';",
    });
    expect(found).toEqual([
      'app/main.ts > app/folder/index.tsx',
      'app/main.ts > app/part.ts',
      'app/main.ts > packages/lib/src/tool.ts',
    ]);
  });

  it('Python: absolute from the root and from src, relative with dots, packages', async () => {
    const found = await links({
      'src/shop/__init__.py': '',
      'src/shop/store.py': 'from . import shelf\nfrom .deep.item import Item\nimport os',
      'src/shop/shelf.py': 'import shop.store',
      'src/shop/deep/item.py': 'from ..shelf import x',
      'tools/run.py': 'from tools.help import y',
      'tools/help.py': '',
    });
    expect(found).toEqual([
      'src/shop/deep/item.py > src/shop/shelf.py',
      'src/shop/shelf.py > src/shop/store.py',
      'src/shop/store.py > src/shop/__init__.py',
      'src/shop/store.py > src/shop/deep/item.py',
      'src/shop/store.py > src/shop/shelf.py',
      'tools/run.py > tools/help.py',
    ]);
  });

  it('Go: packages of the module, the deepest module first, without their tests', async () => {
    const found = await links({
      'go.mod': 'module example.org/shop\n',
      'sub/go.mod': 'module example.org/shop/sub\n',
      'main.go': 'package main\nimport ("example.org/shop/store"; "example.org/shop/sub/x"; "fmt")\n',
      'store/store.go': 'package store\n',
      'store/store_test.go': 'package store\n',
      'sub/x/x.go': 'package x\n',
    });
    expect(found).toEqual(['main.go > store/store.go', 'main.go > sub/x/x.go']);
  });

  it('Rust, Java, C, Ruby and PHP by their own rules', async () => {
    const found = await links({
      'src/lib.rs': 'mod store;\nuse crate::store::shelf::Item;\n',
      'src/store/mod.rs': 'mod shelf;\nuse super::lib;\n',
      'src/store/shelf.rs': '',
      'j/src/org/example/A.java': 'import org.example.deep.B;\n',
      'j/src/org/example/deep/B.java': '',
      'c/main.c': '#include "part.h"\n#include "deep/far.h"\n#include <stdio.h>\n',
      'c/part.h': '',
      'c/include/deep/far.h': '',
      'r/a.rb': "require_relative 'b'\n",
      'r/b.rb': '',
      'p/A.php': '<?php use App\\Deep\\C; ?>',
      'p/App/Deep/C.php': '<?php ',
    });
    expect(found).toEqual([
      'c/main.c > c/include/deep/far.h',
      'c/main.c > c/part.h',
      'j/src/org/example/A.java > j/src/org/example/deep/B.java',
      'p/A.php > p/App/Deep/C.php',
      'r/a.rb > r/b.rb',
      'src/lib.rs > src/store/mod.rs',
      'src/lib.rs > src/store/shelf.rs',
      'src/store/mod.rs > src/lib.rs',
      'src/store/mod.rs > src/store/shelf.rs',
    ]);
  });

  it('WM-024: what each language says in other words', async () => {
    const found = await links({
      'rs/src/main.rs':
        'mod config;\nmod store;\nuse crate::{config::Config, store::{shelf::Shelf, item as i}};\n',
      'rs/src/config.rs': '',
      'rs/src/store/mod.rs': 'pub mod shelf; pub mod item;',
      'rs/src/store/shelf.rs': '',
      'rs/src/store/item.rs': 'use super::shelf::Shelf as S;\n',
      'j/org/example/A.java': 'import static org.example.Tools.pick;\nimport java.util.List;\n',
      'j/org/example/Tools.java': '',
      'j/org/example/own/List.java': '',
      'c/main.c': '#include <shop/item.h>\n#include <string.h>\n',
      'c/include/shop/item.h': '',
      'c/compat/string.h': '',
      'gems/shop/lib/shop.rb': "require 'shop/late'\n",
      'gems/shop/lib/shop/late.rb': '',
      'php/index.php': "<?php require_once __DIR__ . '/boot.php'; use App\\{One, Two}; ?>",
      'php/boot.php': '<?php ',
      'php/src/App/One.php': '<?php ',
      'php/src/App/Two.php': '<?php ',
      'sh/run.sh': 'source "$(dirname "$0")/lib.sh"\n. "$HERE/deep/more.sh"\n. "$A/$B.sh"\n',
      'sh/lib.sh': '',
      'sh/deep/more.sh': '',
      'ps/run.ps1': '. $PSScriptRoot\\lib.ps1\nImport-Module ./Shop.psm1\n',
      'ps/lib.ps1': '',
      'ps/Shop.psm1': '',
      'css/a.css': '@import "b.css";\n@import url("../css/c.css");\n@import "https://example.org/x.css";\n',
      'css/b.css': '',
      'css/c.css': '',
      'ts/a.ts': "import './a.css';\n",
      'ts/a.css': '',
    });
    expect(found).toEqual([
      'c/main.c > c/include/shop/item.h',
      'css/a.css > css/b.css',
      'css/a.css > css/c.css',
      'gems/shop/lib/shop.rb > gems/shop/lib/shop/late.rb',
      'j/org/example/A.java > j/org/example/Tools.java',
      'php/index.php > php/boot.php',
      'php/index.php > php/src/App/One.php',
      'php/index.php > php/src/App/Two.php',
      'ps/run.ps1 > ps/Shop.psm1',
      'ps/run.ps1 > ps/lib.ps1',
      'rs/src/main.rs > rs/src/config.rs',
      'rs/src/main.rs > rs/src/store/item.rs',
      'rs/src/main.rs > rs/src/store/mod.rs',
      'rs/src/main.rs > rs/src/store/shelf.rs',
      'rs/src/store/item.rs > rs/src/store/shelf.rs',
      'rs/src/store/mod.rs > rs/src/store/item.rs',
      'rs/src/store/mod.rs > rs/src/store/shelf.rs',
      'sh/run.sh > sh/deep/more.sh',
      'sh/run.sh > sh/lib.sh',
      'ts/a.ts > ts/a.css',
    ]);
  });

  it('WM-015: follow what is changed in the work tree, what is new and what is gone', async () => {
    using repository = new TestRepository();
    repository.commit({ files: { 'a.ts': "import './b';", 'b.ts': '', 'c.ts': '' } });
    await repository.index();
    repository.write({ 'a.ts': "import './c'; import './new/d';", 'new/d.ts': '' });
    await repository.index();
    const of = async (path: string) => {
      using memory = await repository.memory();
      return explain(memory, path)
        .structural_links.filter(({ kind }) => kind.startsWith('js'))
        .map((link) => `${link.kind} ${link.path}`);
    };
    expect(await of('a.ts')).toEqual(['js-import c.ts', 'js-import new/d.ts']);
    expect(await of('new/d.ts')).toEqual(['js-dependent a.ts']);
    repository.git('checkout', '--quiet', '--', 'a.ts');
    await repository.index();
    expect(await of('a.ts')).toEqual(['js-import b.ts']);
  });
});

describe('contents', () => {
  it('D-02: are read once, wherever they lie, and never where git ignores them', async () => {
    using repository = new TestRepository();
    repository.commit({
      files: {
        '.gitignore': 'out/\n',
        'a.ts': 'export const same = 1;\n',
        'b.ts': 'export const same = 1;\n',
      },
    });
    repository.write({
      'out/c.ts': 'export const made = 1;\n',
      'node_modules/x/index.ts': 'export const foreign = 1;\n',
    });
    const structures = async () => {
      await repository.index();
      using memory = await repository.memory();
      return [
        memory.database.all<{ id: number }>('SELECT id FROM structures').map(({ id }) => id),
        memory.database.all<{ path: string }>('SELECT path FROM tree ORDER BY path').map(({ path }) => path),
      ] as const;
    };
    const [before] = await structures();
    expect(before.length).toBe(1);
    repository.commit({ renames: { 'a.ts': 'moved.ts' } });
    expect(await structures()).toEqual([before, ['.gitignore', 'b.ts', 'moved.ts']]);
  });

  it('are known by the hash of the repository: what was read before it was committed is not read again', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'palisade-memory-'));
    execFileSync('git', ['init', '--quiet', '--object-format=sha256', '--initial-branch=main', directory]);
    using repository = new TestRepository(directory);
    repository.commit({ files: { 'a.ts': 'export const a = 1;\n' } });
    const ids = async () => {
      await repository.index();
      using memory = await repository.memory();
      return memory.database.all<{ id: number }>('SELECT id FROM structures').map(({ id }) => id);
    };
    const [first] = await ids();
    repository.write({ 'a.ts': 'export const a = 2;\n' });
    const changed = await ids();
    repository.commit({ files: { 'a.ts': 'export const a = 2;\n' } });
    expect(await ids()).toEqual(changed);
    expect(changed).not.toContain(first);
  });
});

describe('links of a file', () => {
  it('WM-023: each by the first reason that holds, the surest first', async () => {
    using repository = new TestRepository();
    repository.commit({
      files: {
        'go.mod': 'module example.org/m\n',
        'main.go': 'package main\nimport "example.org/m/store"\nfunc main() { store.Open() }\n',
        'quiet.go': 'package main\nimport _ "example.org/m/store"\n',
        'store/open.go': 'package store\nimport "example.org/m/deep"\nfunc Open() { deep.Do() }\n',
        'store/open_test.go': 'package store\n',
        'store/other_test.go': 'package store\n',
        'store/use.go': 'package store\nfunc more() { Open() }\n',
        'store/apart.go': 'package store\n',
        'deep/deep.go': 'package deep\nfunc Do() {}\n',
        'py/a.py': 'from . import b\n',
        'py/b.py': '',
        'py/b.pyi': '',
      },
    });
    await repository.index();
    using memory = await repository.memory();
    const of = (path: string) => structuralLinks(memory, path).map((link) => `${link.kind} ${link.path}`);
    expect(of('store/open.go')).toEqual([
      'test-pair store/open_test.go',
      'go-symbol store/use.go',
      'go-import deep/deep.go',
      'go-dependent main.go',
      'go-package-dependent quiet.go',
      'same-dir-test store/other_test.go',
      'same-dir store/apart.go',
    ]);
    expect(of('py/b.py').slice(0, 2)).toEqual(['same-stem py/b.pyi', 'py-dependent py/a.py']);
    expect(of('py/a.py')[0]).toBe('py-import py/b.py');
  });
});

describe('tests of a file', () => {
  it('are told by their names (WM-025)', () => {
    const tests = [
      'a_test.go',
      'a_spec.rb',
      'a.test.ts',
      'a.spec.js',
      'x/test_a.py',
      'a_test.py',
      'ATest.java',
      'a.isolated.test.ts',
    ];
    expect(tests.filter((path) => !isTestFile(path))).toEqual([]);
    expect(['contest.go', 'latest.ts', 'a.ts', 'testing.py', 'Test.md'].filter(isTestFile)).toEqual([]);
    expect([...tests.map(stemOf), stemOf('x/a.ts')]).toEqual(['a', 'a', 'a', 'a', 'a', 'a', 'A', 'a', 'a']);
  });

  it('or by the folder they lie in, where a program or a script lies there that no runner finds by its name', () => {
    const tests = [
      'tests/unit/type/zset.tcl',
      'test/app.js',
      'a/__tests__/b.tsx',
      'spec/x/run.sh',
      'tests/a.rs',
      'tests/data/test_a.py',
    ];
    const others = [
      'tests/conftest.py',
      'tests/__init__.py',
      'tests/tool.py',
      'test/e2e/framework.go',
      'tests/common/mod.rs',
      'tests/helpers/load.tcl',
      'spec/spec_helper.rb',
      'test/support/env.js',
      'tests/fixtures/a.test.js',
      'tests/__snapshots__/a.js',
      'test/data/a.js',
      'tests/README.md',
      'tests/a.json',
      'latest/a.js',
    ];
    expect(tests.filter((path) => !isTestFile(path))).toEqual([]);
    expect(others.filter(isTestFile)).toEqual([]);
  });

  it('WM-023: its own come before those that merely import it, and all of the folder only without any', async () => {
    using repository = new TestRepository();
    repository.commit({
      files: {
        'src/store.ts': '',
        'test/store.test.ts': "import '../src/store';",
        'test/all.test.ts': "import '../src/store';",
        'src/lone.ts': '',
        'src/beside.test.ts': '',
      },
    });
    await repository.index();
    using memory = await repository.memory();
    expect(explain(memory, 'src/store.ts').suggested_tests).toEqual([
      'test/store.test.ts',
      'test/all.test.ts',
    ]);
    expect(explain(memory, 'src/lone.ts').suggested_tests).toEqual(['src/beside.test.ts']);
    expect(explain(memory, 'test/all.test.ts').suggested_tests).toEqual(['test/all.test.ts']);
  });
});
