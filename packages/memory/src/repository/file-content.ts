import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { pathBytes } from '@palisade/workspace';
import type { Repository } from './repository.ts';

type Tree = Pick<Repository, 'workTree'>;

/**
 * The bytes of a regular file of the work tree; undefined of anything else and of one that is larger than `most`. Never follows
 * a link in the last part of the name.
 */
export function contentOf(tree: Tree, path: string, most: number): Buffer | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(
      placeOf(tree, path),
      constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
    );
  } catch {
    return undefined;
  }
  try {
    const facts = fstatSync(descriptor);
    return facts.isFile() && facts.size <= most ? readFileSync(descriptor) : undefined;
  } catch {
    return undefined;
  } finally {
    closeSync(descriptor);
  }
}

/** What is known of a regular file without reading it; undefined of anything else. */
export function fileFacts(tree: Tree, path: string): Stats | undefined {
  try {
    const facts = lstatSync(placeOf(tree, path));
    return facts.isFile() ? facts : undefined;
  } catch {
    return undefined;
  }
}

export function isRegularFile(tree: Tree, path: string): boolean {
  return fileFacts(tree, path) !== undefined;
}

function placeOf({ workTree }: Tree, path: string): Buffer {
  return Buffer.concat([Buffer.from(`${workTree}/`), pathBytes(path)]);
}
