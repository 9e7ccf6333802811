import { describe, expect, it } from 'vitest';
import { goNames } from './go-names.ts';
import { LANGUAGES } from './languages.ts';
import { scanImports } from './scan-imports.ts';

/** What a text that is dear to read may begin with. */
const HEADS = ['import ', 'from ', 'use ', 'require ', 'include ', 'source "', '@import ', 'autoload :a, '];
/** Few at first: what grows with every one of them would never end. */
const TIMES = [12, 18, 24, 30, 36, 20_000];

describe('scanning imports', () => {
  it.each<readonly [language: string, text: string, imports: readonly string[]]>([
    [
      'typescript',
      `import {
  a, // from './not-1'
  b,
} from /* from './not-2' */ './yes-1';
import type { C } from "./yes-2";
const one = \`import './not-3' \${two('\`')} from './not-4'\`;
const pattern = /['"\`]/g; import './yes-3';
const half = a / b; const rest = "import './not-5'" /* ' */; export * as x from './yes-4';
type T = import('./yes-5').T; const lazy = import(/* name: 'x' */ './yes-6');
Array.from('./not-6'); object.import('./not-7'); from('./not-8'); require.resolve('./not-9');
const old = require( './yes-7' ); it's broken here
import './yes-8'; // import './not-10'
/* import './not-11' */ export { d } from './yes-9'
`,
      ['yes-1', 'yes-2', 'yes-3', 'yes-4', 'yes-5', 'yes-6', 'yes-7', 'yes-8', 'yes-9'].map(
        (name) => `./${name}`,
      ),
    ],
    [
      'python',
      `"""
import not_1
"""
import a.b as c, \\
    d
from . import (  # all (of) them
    e,
    f as g,  # import not_2
)
if x: import h; import i
text = 'import not_3' # import not_4
    from .j import *
`,
      ['a.b', 'd', '.', '.:e', '.:f', 'h', 'i', '.j', '.j:*'],
    ],
    [
      'go',
      'package x\n// import "not-1"\nimport "a"\nimport . "b"\nimport (\n  c "c/d" // "not-2" )\n  _ "e"\n)\nvar s = `\nimport "not-3"\n`\n',
      ['a', 'b', 'c/d', 'e'],
    ],
    [
      'rust',
      '/* /* use not::one; */ use not::two; */\nuse a::b;\npub use self::{c, d};\nlet s = r#"use not::three; " "#; let t: &\'a str = "use not::four;\n use not::five;";\nmod e;\nmod f {}\nreuse(x);\nuse g::{ /* ; */ h, i};\nlet b = br#"a " use not::six;"#;',
      ['a::b', 'self::{c, d}', 'e', 'g::{  h, i}'],
    ],
    [
      'java',
      '/* import not.A; */\nimport a.B;\nimport static a.C.d;\nimport a.e.*;\nString s = """\nimport not.F;\n""";',
      ['a.B', 'a.C.d', 'a.e'],
    ],
    [
      'cpp',
      '// #include "not.h"\n# include "a/b.h"\n#include <c.h>\nchar q = \'"\';\n#include "d.h"',
      ['a/b.h', 'd.h'],
    ],
    [
      'ruby',
      "# require 'not'\nrequire 'a'\n  require_relative(\"b/c\")\nx.require 'not'\nautoload :D, 'd'",
      ['a', 'b/c', 'd'],
    ],
    [
      'php',
      "<?php\n// use Not\\A;\nuse A\\B as C, D\\E;\nuse function F\\g;\n$f = function () use ($x) {};\nrequire __DIR__ . '/h.php'; include_once('i.php');",
      ['A\\B', 'D\\E', 'F\\g', '/h.php', 'i.php'],
    ],
    [
      'bash',
      '#!/bin/sh\n. ./a.sh && source b.sh\necho ". not.sh"; . "$x/far.sh"; . "$(cd "$y" && pwd)/near.sh"\nif true; then . c.sh; fi # . not.sh',
      ['./a.sh', 'b.sh', '$x/far.sh', '$(cd "$y" && pwd)/near.sh', 'c.sh'],
    ],
    [
      'php',
      "<?php // use Not\\A;\nuse function A\\b; use C\\{D, function e, F as G};\nrequire_once dirname(__FILE__) . '/h.php'; $s = \"require 'not'\";\nfunction x() use ($y) { return function () use ($z) {}; }\nclass K { use T, U { T::a insteadof U; } }",
      ['A\\b', 'C\\D', 'C\\e', 'C\\F', '/h.php'],
    ],
    [
      'powershell',
      '<# . ./not.ps1 #>\n. ./a.ps1; . "$PSScriptRoot/b.ps1" # . ./not2.ps1\nImport-Module ./c.psm1\nWrite-Output ". ./not3.ps1"\n& ./not4.ps1',
      ['./a.ps1', '$PSScriptRoot/b.ps1', './c.psm1'],
    ],
    [
      'css',
      '/* @import "not.css"; */\n@import "a.css";\n@import url(../b.css) screen;\n@import url( "c.css" );\n.x { content: "@import not2.css" }',
      ['a.css', '../b.css', 'c.css'],
    ],
  ])('%s: what imports, and nothing that comments and strings say', (language, text, imports) => {
    expect(scanImports(text, language)).toEqual(imports);
  });

  it('of Go, what a file names at its top and what it uses', () => {
    const { defines, uses } = goNames(`package main
type ( Store struct { name string }; Reader interface { Read() } )
type List[T any] []T
const ( One, Two = iota, other
	Three )
const Limit int = 3
var ErrNone, ErrLate = alias.New("x"), other
var Sum int
func (s *Store) Get(key string) string { type inner int; return alias.Do(s.name, Limit) }
func main() { /* Not */ fmt.Println("Nor", 'x', \`this\`) }
`);
    expect(defines).toEqual([
      'Store',
      'Reader',
      'List',
      'One',
      'Two',
      'Three',
      'Limit',
      'ErrNone',
      'ErrLate',
      'Sum',
      'Get',
      'main',
    ]);
    for (const name of ['alias', 'Do', 'Println', 'other', 'Limit']) expect(uses).toContain(name);
    for (const name of ['Not', 'Nor', 'this', 'Get']) expect(uses).not.toContain(name);
  });

  it('whatever a text says, the time it takes is linear', () => {
    const pieces = [
      '"',
      "'",
      '`',
      '`${',
      '\\',
      '\\"',
      '/',
      '/[',
      '/*',
      '*/',
      '/**/',
      '* /',
      '// ',
      '//',
      '// a ',
      '///',
      '#',
      '"""\\',
      "'''",
      'r#"',
      'r########"',
      '(',
      '{}',
      '=',
      ',',
      '\n',
      ' ',
      '\t',
      '\0',
      'é',
      'a.b',
      'import ',
      'import(',
      'import "',
      'import /*',
      'import//\n',
      'from ',
      'from . ',
      'from x import (',
      'use ',
      'use a,',
      'use a{',
      'load ',
      'autoload :a,',
      'source "$(',
      '$(a)',
      '#include <a/',
      '@import url(',
      'Import-Module ',
      'include A . ',
      'include dirname(',
      'mod ',
      'require ',
      '. ',
      '#include "',
      'const ',
      'type (',
    ];
    for (const { name } of LANGUAGES)
      for (const head of ['', ...HEADS])
        for (const piece of pieces)
          for (const times of TIMES) {
            const text = `${head}${piece.repeat(times)}x\n`;
            const started = performance.now();
            scanImports(text, name);
            if (name === 'go') goNames(text);
            const taken = performance.now() - started;
            // What is linear takes a hundredth of it.
            expect(taken, `${name} ${head} ${JSON.stringify(piece)} ${times}`).toBeLessThan(500 + times / 20);
          }
  }, 120_000);
});
