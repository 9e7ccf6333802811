import { describe, expect, it } from 'vitest';
import { LANGUAGES, languageOf } from './languages.ts';
import { parseSymbols } from './parse.ts';
import { scanImports } from './scan-imports.ts';

/*
 * Each sample was read by hand: what it defines and what it imports.
 */

interface Sample {
  readonly text: string;
  readonly symbols: readonly string[];
  readonly imports: readonly string[];
}

const samples: Readonly<Record<string, Sample>> = {
  'a.ts': {
    text: `import { part } from './b.ts';
import type C from '../c';
import old = require('./old');
export * from './d.js';
export const limit = 3, other = 4;
const inner = () => { const local = limit; return local; };
export async function load(x: Shape): Promise<void> { await import('./lazy.ts'); }
function* walk() {}
export abstract class Base { run() {} }
class Store extends Base { #secret() {} get size() { return part; } }
interface Shape { readonly id: string }
type Id = string;
export enum Color { Red }
namespace Inner { export function deep() {} }
declare function told(): void;
const text = 'import "./not-this"'; // import './nor-this'
`,
    symbols: [
      'limit constant 5',
      'other constant 5',
      'inner constant 6',
      'load function 7',
      'walk function 8',
      'Base class 9',
      'run method 9',
      'Store class 10',
      'size method 10',
      'Shape interface 11',
      'Id type 12',
      'Color enum 13',
      'Inner module 14',
      'deep function 14',
      'told function 15',
      'text constant 16',
    ],
    imports: ['./b.ts', '../c', './old', './d.js', './lazy.ts'],
  },
  'view.tsx': {
    text: `import React from 'react';
export function View({ name }: Props) { return <Card title={name}>{React.version}</Card>; }
interface Props { name: string }
`,
    symbols: ['View function 2', 'Props interface 3'],
    imports: ['react'],
  },
  'old.js': {
    text: `const fs = require('fs');
const { part } = require("./part");
class Old {}
module.exports = function make() { return new Old(part, fs); };
`,
    symbols: ['fs constant 1', 'Old class 3'],
    imports: ['fs', './part'],
  },
  'a.py': {
    text: `import os, pkg.deep as deep
from . import sibling
from ..up.two import (Thing as Kind, other)
LIMIT = 3
class Store(Base):
    def get(self, key): return Kind(key)
    @property
    def size(self): return 1
async def main():
    x = 1
`,
    symbols: ['LIMIT constant 4', 'Store class 5', 'get method 6', 'size method 8', 'main function 9'],
    imports: ['os', 'pkg.deep', '.', '.:sibling', '..up.two', '..up.two:Thing', '..up.two:other'],
  },
  'a.go': {
    text: `package main
import (
  "fmt"
  alias "example.org/mod/pkg"
)
import \`raw/path\`
const Limit = 3
type Store struct { name string }
type Reader interface { Read() }
type Name = string
var Count, Sum = 1, 2
var (
  Late int
)
func (s *Store) Get() string { return alias.Do(s.name) }
func main() { fmt.Println(Limit) }
`,
    symbols: [
      'Limit constant 7',
      'Store type 8',
      'Reader type 9',
      'Name type 10',
      'Count variable 11',
      'Sum variable 11',
      'Late variable 13',
      'Get method 15',
      'main function 16',
    ],
    imports: ['fmt', 'example.org/mod/pkg', 'raw/path'],
  },
  'a.rs': {
    text: `use crate::store::{Item, Shelf};
use super::up;
mod inner;
mod inline { pub fn x() {} }
pub struct Store { items: Vec<Item> }
enum Kind { A }
pub trait Get { fn get(&self); }
impl Get for Store { fn get(&self) { up::go(LIMIT) } }
const LIMIT: u8 = 1;
macro_rules! say { () => {} }
`,
    symbols: [
      'inner module 3',
      'x function 4',
      'Store class 5',
      'Kind enum 6',
      'Get interface 7',
      'get function 8',
      'LIMIT constant 9',
      'say macro 10',
    ],
    imports: ['crate::store::{Item, Shelf}', 'super::up', 'inner'],
  },
  'A.java': {
    text: `package org.example;
import org.example.store.Shelf;
import static org.example.Tools.pick;
public class A extends Base { Shelf get() { return pick(); } }
interface B { void run(); }
enum C { ONE }
record D(int x) {}
@interface Marks {}
`,
    symbols: [
      'A class 4',
      'get method 4',
      'B interface 5',
      'run method 5',
      'C enum 6',
      'D class 7',
      'Marks interface 8',
    ],
    imports: ['org.example.store.Shelf', 'org.example.Tools.pick'],
  },
  'a.cpp': {
    text: `#include <vector>
#include "store/shelf.h"
#include <shop/item.h>
#define LIMIT 3
struct Point { int x; };
class Store { public: int get() { return LIMIT; } };
enum Color { Red };
typedef struct Point Spot;
int Store::size() { return helper(); }
static char *name(void) { return 0; }
int main() { return 0; }
int told(int x);
char *spelt(void);
using Id = int;
`,
    symbols: [
      'LIMIT macro 4',
      'Point class 5',
      'Store class 6',
      'get method 6',
      'Color enum 7',
      'Spot type 8',
      'size method 9',
      'name function 10',
      'main function 11',
      'told function 12',
      'spelt function 13',
      'Id type 14',
    ],
    imports: ['store/shelf.h', 'shop/item.h'],
  },
  'a.rb': {
    text: `require 'json'
require_relative "store/shelf"
load 'tasks.rb'
autoload :Late, 'shop/late'
LIMIT = 3
module Shop
  class Store < Base
    def get(key) = helper(key)
    def self.open; end
  end
end
`,
    symbols: ['LIMIT constant 5', 'Shop module 6', 'Store class 7', 'get method 8', 'open method 9'],
    imports: ['json', 'store/shelf', 'tasks.rb', 'shop/late'],
  },
  'a.php': {
    text: `<?php
namespace App;
use App\\Store\\Shelf;
require_once 'lib/tools.php';
use App\\Deep\\{One, Two as T};
require __DIR__ . '/boot.php';
include_once(__DIR__ . '/end.php');
const LIMIT = 3;
interface Gets {}
class Store implements Gets { public function get() { return new Shelf(); } }
function helper() {}
`,
    symbols: [
      'LIMIT constant 8',
      'Gets interface 9',
      'Store class 10',
      'get method 10',
      'helper function 11',
    ],
    imports: [
      'App\\Store\\Shelf',
      'lib/tools.php',
      'App\\Deep\\One',
      'App\\Deep\\Two',
      '/boot.php',
      '/end.php',
    ],
  },
  'a.cs': {
    text: `using System;
using App.Store;
using static App.Tools;
namespace App {
  public class Shop : Base { public void Run() { Helper(); } }
  interface IGet { }
  record Pair(int A);
  struct Point { }
  enum Color { Red }
  delegate void Done(int x);
  class Sized { public int Size { get; set; } }
}
`,
    symbols: [
      'Shop class 5',
      'Run method 5',
      'IGet interface 6',
      'Pair class 7',
      'Point class 8',
      'Color enum 9',
      'Done type 10',
      'Sized class 11',
      'Size property 11',
    ],
    imports: [],
  },
  'a.sh': {
    text: `. ./lib.sh
source tools/more.sh
source "$(dirname "$0")/near.sh"
. "$HERE/far.sh"
function deploy { build; }
build() { echo hi; }
build
`,
    symbols: ['deploy function 5', 'build function 6'],
    imports: ['./lib.sh', 'tools/more.sh', '$(dirname "$0")/near.sh', '$HERE/far.sh'],
  },
  'a.ps1': {
    text: `. ./lib.ps1
. $PSScriptRoot\\tools\\more.ps1
. "$PSScriptRoot/other.ps1"
Import-Module ./Shop.psm1 -Force
function Get-Item2 {
  param($Name)
  Write-Output $Name
}
filter Pick { $_ }
class Store : Base {
  [string] $Name
  [void] Run() { Get-Item2 1 }
}
enum Color { Red }
& ./run.ps1
`,
    symbols: ['Get-Item2 function 5', 'Pick function 9', 'Store class 10', 'Run method 12', 'Color enum 14'],
    imports: ['./lib.ps1', '$PSScriptRoot\\tools\\more.ps1', '$PSScriptRoot/other.ps1', './Shop.psm1'],
  },
  'a.css': {
    text: `@import "./base.css";
@import url("theme/dark.css") screen;
@import url(plain.css);
:root { --main: red; }
.card:hover, #top .title { color: var(--main); animation: fade 1s; }
.card { color: blue; }
@keyframes fade { from { top: 0 } }
@media (min-width: 1px) { .inner { top: 0 } }
`,
    symbols: [
      '--main constant 4',
      'card class 5',
      'top id 5',
      'title class 5',
      'fade keyframes 7',
      'inner class 8',
    ],
    imports: ['./base.css', 'theme/dark.css', 'plain.css'],
  },
};

describe('structure of a file', () => {
  it.each(Object.entries(samples))('%s', async (path, { text, symbols, imports }) => {
    const language = languageOf(path);
    if (language === undefined) throw new Error(`no language for ${path}`);
    const found = await parseSymbols(text, language);
    expect(found?.map(({ name, kind, line }) => `${name} ${kind} ${line}`)).toEqual(symbols);
    expect(scanImports(text, language.name).toSorted()).toEqual(imports.toSorted());
  });

  it('every language has a sample', () => {
    const covered = new Set(Object.keys(samples).map((path) => languageOf(path)?.name));
    expect(LANGUAGES.map(({ name }) => name).filter((name) => !covered.has(name))).toEqual([]);
  });

  it('of what does not parse, the parts that do; of rubbish, nothing', async () => {
    const language = languageOf('a.ts');
    if (language === undefined) throw new Error('no language');
    const half = await parseSymbols('export function good() {}\nclass {{{ <<<<<<< HEAD\n', language);
    expect(half?.map(({ name }) => name)).toContain('good');
    for (const text of ['', '\0'.repeat(1_000), '\uD800', '('.repeat(20_000)])
      expect((await parseSymbols(text, language)) ?? []).toEqual([]);
  });
});
