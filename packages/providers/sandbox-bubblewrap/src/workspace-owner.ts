import { lchownSync, lstatSync, readdirSync } from 'node:fs';

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
