import { lstat, mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PalisadeError } from '@palisade/contracts';
import { ownName, verdictOn } from '@palisade/process';

/*
 * Folders for what is thrown away: in the system's folder for temporary files, named by the process
 * they belong to. What a killed one left goes when the next is made, unless it may hold the only copy of something.
 */

const NAME = /^palisade-(?:apply|products)-(.+)-[A-Za-z0-9]{6}$/;
const MARK = 'holds-the-only-copy';

/** Makes a folder of our own; the caller removes it. */
export async function makeScratch(purpose: 'apply' | 'products'): Promise<string> {
  const root = await realpath(tmpdir()).catch((cause: unknown) => {
    throw new PalisadeError('invalid_input', `there is no temporary directory ${tmpdir()}`, {
      next: 'set TMPDIR to a directory you can write to, by its absolute path',
      cause,
    });
  });
  await removeAbandoned(root);
  return mkdtemp(join(root, `palisade-${purpose}-${ownName()}-`));
}

/** From here on only who knows what the folder holds may remove it. */
export async function keepScratch(folder: string): Promise<void> {
  await writeFile(join(folder, MARK), '');
}

/** Removes the folders of this user whose processes are dead. Never fails: it is no part of what was asked for. */
async function removeAbandoned(root: string): Promise<void> {
  for (const entry of await readdir(root).catch(() => [])) {
    const [, owner] = NAME.exec(entry) ?? [];
    if (owner === undefined || verdictOn(owner) !== 'dead') continue;
    const folder = join(root, entry);
    const facts = await lstat(folder).catch(() => null);
    // Anybody can give a folder such a name.
    if (facts?.isDirectory() !== true || facts.uid !== process.geteuid?.()) continue;
    const isKept = await lstat(join(folder, MARK)).then(
      () => true,
      () => false,
    );
    if (!isKept) await rm(folder, { recursive: true, force: true }).catch(() => {});
  }
}
