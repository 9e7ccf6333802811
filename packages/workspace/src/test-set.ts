import { type ContentHash, contentHash } from '@palisade/contracts';
import type { Git } from './git.ts';
import { pathText } from './path-text.ts';
import { parseTree, type TreeEntry } from './tree-entry.ts';

/** The test files of a product: what a self-check can have run, and what it cannot have missed. */
export interface TestSet {
  readonly count: number;
  /** Address of their names and contents. */
  readonly hash: ContentHash;
  /** Test files of the base that the product has not any more, or only as empty files; a moved one is not gone. */
  readonly gone: readonly string[];
}

/** Names by which the usual test runners find tests. */
const TEST_FILES: readonly RegExp[] = [
  /(^|\/)(tests?|__tests__|specs?)\/.*\.[a-z]+$/i,
  /[._-](test|tests|spec|specs|e2e)\.[a-z]+$/i,
  /(^|\/)test_[^/]+\.[a-z]+$/i,
  /_(test|spec)\.[a-z]+$/i,
  /(Test|Tests|Spec|IT)\.(java|kt|kts|scala|groovy|cs|fs|swift|php)$/,
];

/** Object ids of the empty file, in both formats of git. */
const EMPTY: ReadonlySet<string> = new Set([
  'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391',
  '473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813',
]);

/** Compares the test files of two trees (FF-143). */
export async function testSet(git: Git, base: string, product: string): Promise<TestSet> {
  const before = await testFiles(git, base);
  const after = base === product ? before : await testFiles(git, product);
  const lines = [...after].map(([path, { mode, oid }]) => `${mode} ${oid} ${path}\n`);
  const fresh = [...after].filter(([path, entry]) => !before.has(path) && !EMPTY.has(entry.oid));
  const gone: string[] = [];
  for (const [path, entry] of before) {
    const now = after.get(path);
    if (EMPTY.has(entry.oid) || (now !== undefined && !EMPTY.has(now.oid))) continue;
    const moved = fresh.findIndex(([other]) => nameOf(other) === nameOf(path));
    if (moved === -1) gone.push(path);
    else fresh.splice(moved, 1);
  }
  return { count: after.size, hash: contentHash(lines.join('')), gone };
}

async function testFiles(git: Git, tree: string): Promise<Map<string, TreeEntry>> {
  const { stdout } = await git.run(['ls-tree', '-r', '-z', '--full-tree', tree]);
  const found = new Map<string, TreeEntry>();
  for (const entry of parseTree(stdout)) {
    const path = pathText(entry.path);
    // A link or a submodule in the place of a test runs nothing.
    if (entry.mode.startsWith('100') && TEST_FILES.some((name) => name.test(path))) found.set(path, entry);
  }
  return found;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
