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
      'text constant 14',
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
async def main():
    x = 1
`,
    symbols: ['LIMIT constant 4', 'Store class 5', 'get function 6', 'main function 7'],
    imports: ['os', 'pkg.deep', '.', '.:sibling', '..up.two', '..up.two:Thing', '..up.two:other'],
  },
  'a.go': {
    text: `package main
import (
  "fmt"
  alias "example.org/mod/pkg"
)
const Limit = 3
type Store struct { name string }
type Reader interface { Read() }
func (s *Store) Get() string { return alias.Do(s.name) }
func main() { fmt.Println(Limit) }
`,
    symbols: ['Limit constant 6', 'Store type 7', 'Reader type 8', 'Get method 9', 'main function 10'],
    imports: ['fmt', 'example.org/mod/pkg'],
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
`,
    symbols: ['A class 4', 'get method 4', 'B interface 5', 'run method 5', 'C enum 6', 'D class 7'],
    imports: ['org.example.store.Shelf', 'org.example.Tools.pick'],
  },
  'a.cpp': {
    text: `#include <vector>
#include "store/shelf.h"
#define LIMIT 3
struct Point { int x; };
class Store { public: int get() { return LIMIT; } };
enum Color { Red };
typedef struct Point Spot;
int Store::size() { return helper(); }
static char *name(void) { return 0; }
int main() { return 0; }
`,
    symbols: [
      'LIMIT macro 3',
      'Point class 4',
      'Store class 5',
      'get method 5',
      'Color enum 6',
      'Spot type 7',
      'size method 8',
      'name function 9',
      'main function 10',
    ],
    imports: ['store/shelf.h'],
  },
  'a.rb': {
    text: `require 'json'
require_relative "store/shelf"
module Shop
  class Store < Base
    def get(key) = helper(key)
    def self.open; end
  end
end
`,
    symbols: ['Shop module 3', 'Store class 4', 'get method 5', 'open method 6'],
    imports: ['json', 'store/shelf'],
  },
  'a.php': {
    text: `<?php
namespace App;
use App\\Store\\Shelf;
require_once 'lib/tools.php';
interface Gets {}
class Store implements Gets { public function get() { return new Shelf(); } }
function helper() {}
`,
    symbols: ['Gets interface 5', 'Store class 6', 'get method 6', 'helper function 7'],
    imports: ['App\\Store\\Shelf', 'lib/tools.php'],
  },
  'a.cs': {
    text: `using System;
using App.Store;
namespace App {
  public class Shop : Base { public void Run() { Helper(); } }
  interface IGet { }
  record Pair(int A);
  struct Point { }
  enum Color { Red }
}
`,
    symbols: [
      'Shop class 4',
      'Run method 4',
      'IGet interface 5',
      'Pair class 6',
      'Point class 7',
      'Color enum 8',
    ],
    imports: [],
  },
  'a.sh': {
    text: `. ./lib.sh
source tools/more.sh
build() { echo hi; }
build
`,
    symbols: ['build function 3'],
    imports: ['./lib.sh', 'tools/more.sh'],
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
