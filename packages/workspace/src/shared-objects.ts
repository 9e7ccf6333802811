import { constants } from 'node:fs';
import { link, lstat, mkdir, open, readdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PalisadeError } from '@palisade/contracts';
import { readBeneath } from './beneath.ts';
import { errno } from './errno.ts';
import { assertBudget, type Budget } from './git-process.ts';
import { writeAlternates } from './git-files.ts';

/**
 * How a workspace reaches the objects of its base: by links and copies of our own, by reading the
 * repository's store, or not yet, because that store refers to something outside of the repository.
 */
export type SharedObjects = 'held' | 'borrowed' | 'elsewhere';

/** Beyond this many loose objects they are not linked one by one. */
const MAX_LOOSE = 50_000;
const ATTEMPTS = 3;
/** A clone has a mark for each of its ends. */
const MAX_SHALLOW_BYTES = 64 * 1024 * 1024;

/**
 * Makes the objects of a repository available under `target` without depending on what its owner
 * does next. Pack and loose files are hard-linked, so a repack, gc or branch switch under a live
 * run takes nothing away (FF-022), and nothing is written to the repository. Where links are
 * impossible (another file system, another owner) the store becomes an alternate.
 *
 * A repository may be somebody else's work, `.git` and all, and the agent sees what is shared. So
 * only regular files in the store's own folders are; with a symlink or an alternate in it, which may
 * name any place of this machine, it is for the caller to take from it what the base needs.
 *
 * Object files are immutable and read-only; nothing here or in release ever changes their mode or bytes.
 */
export async function shareObjects(gitDir: string, target: string, budget: Budget): Promise<SharedObjects> {
  await mkdir(join(target, 'pack'), { recursive: true });
  await mkdir(join(target, 'info'), { recursive: true });
  const store = join(gitDir, 'objects');
  for (let attempt = 1; ; attempt++) {
    try {
      await assertAlone(store);
      await linkPacks(store, target, budget);
      await linkLoose(store, target, budget);
      return 'held';
    } catch (error) {
      if (error instanceof LeadsElsewhere) return 'elsewhere';
      // A concurrent repack replaced files between listing and linking: the new listing has them.
      if (errno(error) === 'ENOENT' && attempt < ATTEMPTS) continue;
      if (!['EXDEV', 'EPERM', 'EACCES', 'EMLINK', 'ENOENT', 'ENOTSUP'].includes(errno(error) ?? ''))
        throw error;
      await writeAlternates(target, [store]);
      return 'borrowed';
    }
  }
}

class LeadsElsewhere extends Error {}

async function assertAlone(store: string): Promise<void> {
  if ((await lstat(store)).isSymbolicLink()) throw new LeadsElsewhere();
  const alternates = await lstat(join(store, 'info/alternates')).catch((error: unknown) => {
    if (errno(error) === 'ENOENT' || errno(error) === 'ENOTDIR') return null;
    throw error;
  });
  if (alternates !== null && !(alternates.isFile() && alternates.size === 0)) throw new LeadsElsewhere();
}

async function linkPacks(store: string, target: string, budget: Budget): Promise<void> {
  const names = await list(join(store, 'pack'));
  // Readers find a pack by its index, so the index comes last.
  const ordered = [
    ...names.filter((name) => /\.(pack|rev)$/.test(name)),
    ...names.filter((name) => name.endsWith('.idx')),
  ];
  for (const name of ordered) {
    assertBudget(budget);
    await hold(join(store, 'pack', name), join(target, 'pack', name));
  }
}

async function linkLoose(store: string, target: string, budget: Budget): Promise<void> {
  let count = 0;
  for (const folder of (await list(store)).filter((name) => /^[0-9a-f]{2}$/.test(name))) {
    const names = (await list(join(store, folder))).filter((name) => /^[0-9a-f]{38,62}$/.test(name));
    if (names.length === 0) continue;
    count += names.length;
    if (count > MAX_LOOSE)
      throw Object.assign(new Error('too many loose objects to link'), { code: 'EMLINK' });
    assertBudget(budget);
    await mkdir(join(target, folder), { recursive: true });
    await Promise.all(names.map((name) => hold(join(store, folder, name), join(target, folder, name))));
  }
}

/** Links a file; copies it when the agent's user could not read the original. Git uses nothing that is no file. */
async function hold(source: string, target: string): Promise<void> {
  try {
    const facts = await lstat(source);
    if (facts.isSymbolicLink()) throw new LeadsElsewhere();
    if (!facts.isFile()) return;
    if ((facts.mode & 0o004) !== 0) await link(source, target);
    else await copyRegular(source, target);
  } catch (error) {
    if (errno(error) !== 'EEXIST') throw error;
  }
}

async function copyRegular(source: string, target: string): Promise<void> {
  const file = await open(source, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (!(await file.stat()).isFile()) return;
    await writeFile(target, file.createReadStream({ autoClose: false }), { flag: 'wx', mode: 0o444 });
  } finally {
    await file.close();
  }
}

async function list(directory: string): Promise<string[]> {
  try {
    if ((await lstat(directory)).isSymbolicLink()) throw new LeadsElsewhere();
    return await readdir(directory);
  } catch (error) {
    if (errno(error) === 'ENOENT' || errno(error) === 'ENOTDIR') return [];
    throw error;
  }
}

/** Carries the marks of a shallow clone over, without which history ends in an error. */
export async function copyShallow(gitDir: string, targets: readonly string[]): Promise<void> {
  const shallow = await readBeneath(gitDir, [Buffer.from('shallow')], MAX_SHALLOW_BYTES);
  if (shallow === null) return;
  for (const target of targets) await writeFile(join(target, 'shallow'), shallow);
}

/** Throws unless `gitDir` looks like a git directory. */
export async function assertGitDir(gitDir: string): Promise<void> {
  try {
    if ((await stat(join(gitDir, 'objects'))).isDirectory()) return;
  } catch (error) {
    if (errno(error) !== 'ENOENT' && errno(error) !== 'ENOTDIR') throw error;
  }
  throw new PalisadeError('not_found', `there is no git directory ${gitDir}`, {
    next: `check that ${dirname(gitDir)} still holds the repository`,
  });
}
