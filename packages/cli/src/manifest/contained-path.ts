import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { assertSafePath, PalisadeError } from '@palisade/contracts';
import { foreignName } from '../output/foreign-text.ts';

/**
 * The path of something that a file names relative to its directory: it must lie in there, and no part of
 * it may be a symbolic link, since the repository chooses where one leads. Raises `unsafe_path`.
 */
export function containedPath(root: string, name: string): string {
  const plain = name.replace(/^(?:\.\/)+/, '').replace(/\/+$/, '');
  // The directory itself is a good answer to "."
  const parts = plain === '.' || plain === '' ? [] : assertSafePath(plain).split('/');
  let path = root;
  for (const part of parts) {
    path = join(path, part);
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true)
      throw new PalisadeError('unsafe_path', `${foreignName(name)} leads through a symbolic link`);
  }
  return path;
}
