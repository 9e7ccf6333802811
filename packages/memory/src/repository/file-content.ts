import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  type Stats,
} from 'node:fs';
import { dirname } from 'node:path';
import { pathBytes } from '@palisade/workspace';
import type { Repository } from './repository.ts';

type Tree = Pick<Repository, 'workTree'>;

/**
 * The bytes of a regular file of the work tree; undefined of anything else and of one that is larger than `most`. No part of the name
 * leads out of the tree: what was opened is where it is said to be, whatever was put in place of its folders meanwhile.
 */
export function contentOf(tree: Tree, path: string, most: number): Buffer | undefined {
  let place: Buffer | undefined;
  let descriptor: number;
  try {
    place = placeOf(tree, path);
    if (place === undefined) return undefined;
    descriptor = openSync(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
  try {
    const facts = fstatSync(descriptor);
    if (!facts.isFile() || facts.size > most || !isAt(descriptor, place)) return undefined;
    return readFileSync(descriptor);
  } catch {
    return undefined;
  } finally {
    closeSync(descriptor);
  }
}

/** What is known of a regular file without reading it; undefined of anything else. */
export function fileFacts(tree: Tree, path: string): Stats | undefined {
  try {
    const place = placeOf(tree, path);
    if (place === undefined || !isReal(place)) return undefined;
    const facts = lstatSync(place);
    return facts.isFile() ? facts : undefined;
  } catch {
    return undefined;
  }
}

/** What lies under a name; undefined of what is not there or is neither of these. */
export function kindOf(tree: Tree, path: string): 'file' | 'folder' | 'link' | undefined {
  try {
    const place = placeOf(tree, path);
    if (place === undefined || !isReal(place)) return undefined;
    const facts = lstatSync(place);
    if (facts.isFile()) return 'file';
    if (facts.isDirectory()) return 'folder';
    return facts.isSymbolicLink() ? 'link' : undefined;
  } catch {
    return undefined;
  }
}

export function isRegularFile(tree: Tree, path: string): boolean {
  return fileFacts(tree, path) !== undefined;
}

/** Whether a relative name, in bytes, stays below where it begins. */
export function isBelow(name: Buffer): boolean {
  return name
    .toString('latin1')
    .split('/')
    .every((part) => part !== '' && part !== '.' && part !== '..');
}

/** Absolute, without a link above the work tree; undefined of a name that leads out of it. */
function placeOf({ workTree }: Tree, path: string): Buffer | undefined {
  const name = pathBytes(path);
  return isBelow(name) ? Buffer.concat([Buffer.from(`${realpathSync.native(workTree)}/`), name]) : undefined;
}

/** Linux tells where an open file is; elsewhere its folder is looked at. */
function isAt(descriptor: number, place: Buffer): boolean {
  if (process.platform !== 'linux') return isReal(place);
  return readlinkSync(`/proc/self/fd/${descriptor}`, { encoding: 'buffer' }).equals(place);
}

/** Whether no folder of a place is a link. */
function isReal(place: Buffer): boolean {
  const folder = dirname(place.toString('latin1'));
  return realpathSync.native(Buffer.from(folder, 'latin1'), { encoding: 'latin1' }) === folder;
}
