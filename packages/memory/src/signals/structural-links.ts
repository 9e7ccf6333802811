import { posix } from 'node:path';
import type { StructuralLink } from '@palisade/contracts';
import type { Memory } from '../open-memory.ts';
import type { MemoryDatabase } from '../store/memory-database.ts';
import { languageOf } from '../structure/languages.ts';
import { isTestFile, stemOf } from '../structure/test-file.ts';

const SHORT: Readonly<Record<string, string>> = {
  typescript: 'js',
  tsx: 'js',
  javascript: 'js',
  python: 'py',
  cpp: 'c',
  csharp: 'cs',
  bash: 'sh',
  powershell: 'ps',
};
/** Names that every folder has one of. */
const COMMON_STEMS = new Set([
  'index',
  'main',
  'mod',
  'lib',
  'types',
  '__init__',
  'readme',
  'test',
  'tests',
  'setup',
  'package',
  'tsconfig',
]);
const MOST_OF_FOLDER = 8;
/** Of Go files, in how many it is looked for names: each may use thousands. */
const MOST_READ = 200;

/** The files a file is connected with, the surest first; each by the first reason that holds. */
export function structuralLinks(memory: Memory, path: string): readonly StructuralLink[] {
  const found = new Map<string, StructuralLink>();
  const add = (other: string, kind: string, reason: string) => {
    if (other !== path && !found.has(other)) found.set(other, { path: other, kind, reason });
  };
  const { database } = memory;
  const paths = (sql: string, ...values: string[]) =>
    database.all<{ path: string }>(sql, ...values).map((row) => row.path);
  const family = languageOf(path)?.name ?? '';
  const short = shortOf(path);
  const stem = stemOf(path);
  const isTest = isTestFile(path);
  const named = COMMON_STEMS.has(stem.toLowerCase())
    ? paths('SELECT path FROM tree WHERE stem = ? AND folder = ?', stem, posix.dirname(path))
    : byNearness(path, paths('SELECT path FROM tree WHERE stem = ?', stem));
  // A name is shared by chance between languages.
  const alike = named.filter((other) => shortOf(other) === short);
  for (const other of alike)
    if (isTestFile(other) !== isTest)
      add(other, 'test-pair', isTest ? 'what this test is named after' : 'the test named after it');
  for (const other of alike.slice(0, MOST_OF_FOLDER))
    add(other, 'same-stem', 'has the same name but for its ending');

  if (family === 'go')
    for (const other of goSymbolUsers(memory, path))
      add(other, 'go-symbol', 'uses a name of it, in the same package');
  for (const other of byNearness(path, paths('SELECT target AS path FROM links WHERE source = ?', path)))
    add(other, `${short}-import`, 'it imports this');
  const dependents = byNearness(path, paths('SELECT source AS path FROM links WHERE target = ?', path));
  const users = family === 'go' ? new Set(usersOf(memory, path, dependents)) : undefined;
  for (const other of dependents) {
    if (users === undefined || users.has(other)) add(other, `${short}-dependent`, 'imports it');
  }
  for (const other of dependents) add(other, 'go-package-dependent', 'imports its package');

  const beside = paths('SELECT path FROM tree WHERE folder = ? ORDER BY path', posix.dirname(path));
  for (const other of beside.filter(isTestFile)) add(other, 'same-dir-test', 'a test in the same folder');
  for (const other of beside.filter((each) => !isTestFile(each)).slice(0, MOST_OF_FOLDER))
    add(other, 'same-dir', 'in the same folder');
  return [...found.values()];
}

/** What a language is called in the kind of a link. */
function shortOf(path: string): string {
  const name = languageOf(path)?.name ?? '';
  return SHORT[name] ?? name;
}

/** Those that share the longest folder first. */
function byNearness(path: string, others: readonly string[]): readonly string[] {
  const parts = path.split('/');
  const shared = (other: string) => {
    const own = other.split('/');
    let at = 0;
    while (at < own.length - 1 && own[at] === parts[at]) at++;
    return at;
  };
  return others
    .map((other) => ({ other, near: shared(other) }))
    .toSorted((a, b) => b.near - a.near || a.other.length - b.other.length || (a.other < b.other ? -1 : 1))
    .map(({ other }) => other);
}

function goSymbolUsers(memory: Memory, path: string): readonly string[] {
  const beside = memory.database
    .all<{ path: string }>(
      'SELECT path FROM tree WHERE folder = ? AND structure IS NOT NULL ORDER BY path',
      posix.dirname(path),
    )
    .map((row) => row.path)
    .filter((other) => other.endsWith('.go') && !isTestFile(other));
  return usersOf(memory, path, beside);
}

/** Which of the files use a name that a file defines. */
function usersOf({ database }: Memory, path: string, others: readonly string[]): readonly string[] {
  const names = new Set(namesOf(database, 'defines', path));
  return names.size === 0
    ? []
    : others
        .slice(0, MOST_READ)
        .filter((other) => namesOf(database, 'uses', other).some((name) => names.has(name)));
}

function namesOf(database: MemoryDatabase, what: 'defines' | 'uses', path: string): readonly string[] {
  const found = database.get<{ names: string }>(
    `SELECT ${what} AS names FROM tree JOIN structures ON id = structure WHERE path = ?`,
    path,
  );
  return (found?.names ?? '').split(' ').filter((name) => name !== '');
}
