import { lstat, readdir, stat } from 'node:fs/promises';
import { PalisadeError } from '@palisade/contracts';
import { errno } from './errno.ts';
import { assertBudget, type Budget } from './git-process.ts';
import { openUnreadable } from './open-unreadable.ts';
import { pathText } from './path-text.ts';
import { childPath } from './remove-tree.ts';

/*
 * Git opens some files of a work tree by their name alone: `.gitignore`, `.gitattributes`, `.gitmodules`,
 * and what is in the `.git` of a nested repository. On a fifo it waits for a writer that never comes, a
 * device has no end, and of a file it takes the whole into memory. It can be told to ignore none of
 * them, so they are looked at before git is (FF-135). Nothing may write to the tree meanwhile.
 */

/** Bigger than any list of rules that people write. */
const MAX_RULES_BYTES = 16 * 1024 * 1024;

/** Throws `capture_failed` that names the file when git would be caught by one. */
export async function assertNoTraps(root: string, budget: Budget): Promise<void> {
  const queue: { readonly path: Buffer; readonly isGit: boolean }[] = [
    { path: Buffer.alloc(0), isGit: false },
  ];
  for (let folder = queue.pop(); folder !== undefined; folder = queue.pop()) {
    assertBudget(budget);
    const { path, isGit } = folder;
    for (const entry of await entriesOf(root, path, budget)) {
      const name = entry.name.toString('latin1');
      // Ours is not looked at through the work tree.
      if (path.length === 0 && name === '.git') continue;
      const inner = path.length === 0 ? entry.name : childPath(path, entry.name);
      if (entry.isDirectory()) queue.push({ path: inner, isGit: isGit || name === '.git' });
      else if (isGit || name.startsWith('.git')) await assertHarmless(root, inner, isGit);
    }
  }
}

async function entriesOf(root: string, path: Buffer, budget: Budget) {
  const read = () => readdir(childPath(root, path), { withFileTypes: true, encoding: 'buffer' });
  try {
    return await read();
  } catch (error) {
    if (errno(error) !== 'EACCES') throw error;
    // What cannot be read now is opened up for git later, so it has to be looked at too.
    await openUnreadable(root, budget);
    return read().catch(() => []);
  }
}

/** A symlink is judged by its end: git follows some, and its older versions follow all. */
async function assertHarmless(root: string, path: Buffer, isGit: boolean): Promise<void> {
  const at = childPath(root, path);
  const facts = (await stat(at).catch(() => null)) ?? (await lstat(at));
  if (facts.isDirectory() || facts.isSymbolicLink()) return;
  const fault = !facts.isFile()
    ? 'is neither a file nor a folder'
    : !isGit && facts.size > MAX_RULES_BYTES
      ? `is bigger than ${MAX_RULES_BYTES} bytes`
      : null;
  if (fault !== null)
    throw new PalisadeError('capture_failed', `${pathText(path)} ${fault}, and git would read it`, {
      next: 'leave no such file in the workspace',
    });
}
