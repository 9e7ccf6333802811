import { lchownSync, lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { PalisadeError } from '@palisade/contracts';

/**
 * The path of a directory without any link in it. What mounts it would resolve a link later, when it may
 * point elsewhere; so it is resolved here, once.
 *
 * @param what names it in the error
 * @throws PalisadeError `invalid_input`
 */
export function realDirectory(path: string, what: string): string {
  try {
    const real = realpathSync(path);
    if (statSync(real).isDirectory()) return real;
  } catch (error) {
    throw new PalisadeError('invalid_input', `${what} directory cannot be used`, { cause: error });
  }
  throw new PalisadeError('invalid_input', `${what} is not a directory`);
}

/**
 * Gives a tree to a user, without following any symlink. No program of the sandbox runs yet, so
 * nothing can swap a directory for a link while we walk. A file with a second name elsewhere (a
 * hard link, as shared object stores use) stays whose it is: giving it away would give away the
 * other name too. Names are bytes and need not be UTF-8.
 */
export function giveTree(root: string, uid: number): void {
  const pending = [Buffer.from(root)];
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    const facts = lstatSync(path);
    const isForeign = facts.uid !== uid || facts.gid !== uid;
    if (isForeign && (facts.isDirectory() || facts.nlink === 1)) lchownSync(path, uid, uid);
    if (!facts.isDirectory()) continue;
    for (const name of readdirSync(path, { encoding: 'buffer' }))
      pending.push(Buffer.concat([path, SLASH, name]));
  }
}

const SLASH = Buffer.from('/');
