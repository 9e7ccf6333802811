import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PalisadeError } from '@palisade/contracts';
import type { Git } from './git.ts';
import { formatOf } from './git-files.ts';
import { pathText } from './path-text.ts';
import { indexInfo, parseRawDiff, pathKey, type TreeChange, type TreeEntry } from './tree-entry.ts';

type Entry = Omit<TreeEntry, 'path'> | null;

/** What an attempt changed, carried over to the plain base. */
export interface ProductTree {
  /** The base tree with the agent's changes. */
  readonly tree: string;
  /** The baseline with only those changes that could not be carried over; equal to the baseline when there are none. */
  readonly conflictTree: string;
  readonly warnings: readonly string[];
}

export interface ProductInput {
  /** Commit plus upstream patches. */
  readonly base: string;
  /** Base plus overlay and setup: what the agent started from. */
  readonly baseline: string;
  /** What the agent left. */
  readonly final: string;
  readonly scratchIndex: string;
}

/**
 * Carries baseline → final over to the plain base (FF-012). Where the overlay did not touch a path
 * the agent's version is taken as it is. Where it did, the agent's edit is merged three-way onto
 * the base's version; an edit that cannot be is reported and kept apart, never dropped silently and
 * never mixed with the overlay's text.
 */
export async function productTree(git: Git, input: ProductInput): Promise<ProductTree> {
  const changes = await diffTrees(git, input.baseline, input.final);
  const overlaid = new Map(
    (await diffTrees(git, input.base, input.baseline)).map((change) => [pathKey(change.path), change]),
  );
  const carried: { path: Buffer; entry: Entry }[] = [];
  const conflicts: { path: Buffer; entry: Entry }[] = [];
  const warnings: string[] = [];
  for (const { path, before, after } of changes) {
    const overlay = overlaid.get(pathKey(path));
    const outcome: Entry | Conflict =
      overlay === undefined
        ? after
        : await carryOver(git, { base: overlay.before, baseline: before, final: after });
    if (outcome instanceof Conflict) {
      conflicts.push({ path, entry: after });
      warnings.push(
        `${pathText(path)} ${outcome.reason}; the agent's change to it is not part of the product`,
      );
    } else carried.push({ path, entry: outcome });
  }
  return {
    tree: await treeWith(git, input.base, carried, input.scratchIndex),
    conflictTree:
      conflicts.length === 0
        ? input.baseline
        : await treeWith(git, input.baseline, conflicts, input.scratchIndex),
    warnings,
  };
}

/** Differences of two trees, renames not folded. */
export async function diffTrees(git: Git, before: string, after: string): Promise<TreeChange[]> {
  // Trees are addressed by what they hold: the same one needs no look.
  if (before === after) return [];
  const { stdout } = await git.run([
    'diff-tree',
    '-r',
    '-z',
    '--raw',
    '--no-renames',
    '--no-abbrev',
    before,
    after,
  ]);
  return parseRawDiff(stdout);
}

/** `tree` with these paths set. */
export async function treeWith(
  git: Git,
  tree: string,
  entries: readonly { path: Buffer; entry: Entry }[],
  indexFile: string,
): Promise<string> {
  if (entries.length === 0) return tree;
  const own = git.with({ indexFile });
  try {
    await own.run(['read-tree', tree]);
    await own.run(['update-index', '-z', '--index-info'], { input: indexInfo(formatOf(tree), entries) });
    return await own.text(['write-tree']);
  } finally {
    await rm(indexFile, { force: true });
  }
}

class Conflict {
  readonly reason: string;
  constructor(reason: string) {
    this.reason = reason;
  }
}

/** The base's version of a path after the agent's edit of the overlaid version. */
async function carryOver(
  git: Git,
  { base, baseline, final }: { base: Entry; baseline: Entry; final: Entry },
): Promise<Entry | Conflict> {
  if (same(base, final)) return base;
  if (baseline === null) return final;
  if (final === null) return null;
  if (base === null) return new Conflict('came from a capability or the setup, not from the base');
  if (!isFile(base) || !isFile(baseline) || !isFile(final))
    return new Conflict('was replaced by a capability or the setup and then by the agent');
  const mode = final.mode === baseline.mode ? base.mode : final.mode;
  if (final.oid === baseline.oid) return { mode, oid: base.oid };
  const merged = await mergeBlobs(git, base.oid, baseline.oid, final.oid);
  return merged === null
    ? new Conflict('was changed by a capability or the setup in the same place as by the agent')
    : { mode, oid: merged };
}

async function mergeBlobs(git: Git, ours: string, ancestor: string, theirs: string): Promise<string | null> {
  const folder = await mkdtemp(join(git.scope.gitDir ?? '', 'merge-'));
  try {
    const files: string[] = [];
    for (const [index, oid] of [ours, ancestor, theirs].entries()) {
      const file = join(folder, String(index));
      await writeFile(file, (await git.run(['cat-file', 'blob', oid])).stdout);
      files.push(file);
    }
    const [a = '', b = '', c = ''] = files;
    // Its status is the number of conflicts, or above 127 when it cannot merge at all (binary files).
    const merged = await git.run(['merge-file', '-p', '-q', a, b, c], {
      accept: Array.from({ length: 256 }, (_, code) => code),
    });
    if (merged.code !== 0) return null;
    return await git.text(['hash-object', '-w', '-t', 'blob', '--stdin'], { input: merged.stdout });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function same(a: Entry, b: Entry): boolean {
  return a?.mode === b?.mode && a?.oid === b?.oid;
}

function isFile(entry: NonNullable<Entry>): boolean {
  return entry.mode === '100644' || entry.mode === '100755';
}

/** Throws `capture_failed` unless the patch turns `base` into exactly `expected` (FF-017). */
export async function provePatch(
  git: Git,
  proof: { base: string; expected: string; patchPath: string; scratchIndex: string },
): Promise<void> {
  const own = git.with({ indexFile: proof.scratchIndex });
  try {
    await own.run(['read-tree', proof.base]);
    await own.run(['apply', '--cached', '--whitespace=nowarn', proof.patchPath]);
    const got = await own.text(['write-tree']);
    if (got !== proof.expected)
      throw new PalisadeError('capture_failed', 'the captured patch does not give the tree the agent left', {
        why: `tree ${got} instead of ${proof.expected}`,
      });
  } finally {
    await rm(proof.scratchIndex, { force: true });
  }
}
