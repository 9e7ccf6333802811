import { PalisadeError } from '@palisade/contracts';
import type { Git } from './git.ts';
import { pathText } from './path-text.ts';
import { diffTrees } from './product-tree.ts';

/*
 * Git takes both sides of a file into memory to write its part of a patch, however small that part
 * becomes: gigabytes of zeros are a few kilobytes in a patch, and no memory is left on the way.
 */

/** A file may be this many times bigger than its patch: with the usual limit, what git itself calls big. */
const FILE_FACTOR = 2;

/** Most bytes of one file in a patch of at most `patchBytes`. */
export function maxFileBytes(patchBytes: number): number {
  return patchBytes * FILE_FACTOR;
}

export function fileTooBig(path: Buffer, bytes: number, maxBytes: number): PalisadeError {
  return new PalisadeError(
    'too_large',
    `${pathText(path)} holds ${bytes} bytes, and a file in a patch at most ${maxBytes}`,
  );
}

/** Throws `too_large` that names the first file which differs between two trees and is too big on either side. */
export async function assertFilesFit(
  git: Git,
  before: string,
  after: string,
  maxBytes: number,
): Promise<void> {
  const sides = (await diffTrees(git, before, after)).flatMap((change) =>
    [change.before, change.after].flatMap((entry) =>
      entry === null || entry.mode === '160000' ? [] : [{ path: change.path, oid: entry.oid }],
    ),
  );
  if (sides.length === 0) return;
  const sizes = await git.text(['cat-file', '--batch-check=%(objectsize)'], {
    input: Buffer.from(sides.map((side) => `${side.oid}\n`).join('')),
  });
  for (const [index, size] of sizes.split('\n').entries()) {
    const path = sides[index]?.path;
    if (path !== undefined && Number(size) > maxBytes) throw fileTooBig(path, Number(size), maxBytes);
  }
}
