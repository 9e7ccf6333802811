import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { capture, git, scratch, workspace } from './repository.ts';

/** The file of the patch that a change of a workspace gives. */
export async function product(repo: string, change: (directory: string) => Promise<void>): Promise<string> {
  const handle = await workspace(repo);
  await change(handle.directory);
  return (await capture(handle)).patchPath;
}

export async function patchFile(text: string): Promise<string> {
  const file = join(await scratch(), 'any.patch');
  await writeFile(file, text);
  return file;
}

export async function clone(repo: string): Promise<string> {
  const place = await scratch();
  await git(place, ['clone', '-q', repo, 'clone']);
  return join(place, 'clone');
}

export const indexHash = async (directory: string) =>
  createHash('sha256')
    .update(await readFile(join(directory, '.git/index')))
    .digest('hex');
