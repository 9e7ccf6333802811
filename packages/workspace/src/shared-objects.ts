import { chmod, copyFile, link, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { PalisadeError } from '@palisade/contracts';
import { errno } from './errno.ts';
import { assertBudget, type Budget } from './git-process.ts';
import { unquote } from './path-text.ts';
import { writeAlternates } from './git-files.ts';

/** How a workspace reaches the objects of its base. */
export interface SharedObjects {
  /** True when every object file is held by a link or copy of our own. */
  readonly held: boolean;
  /** Foreign object stores still needed when not held. */
  readonly stores: readonly string[];
}

/** Beyond this many loose objects they are not linked one by one. */
const MAX_LOOSE = 50_000;
const ATTEMPTS = 3;

/**
 * Makes the objects of a repository available under `target` without depending on what its owner
 * does next. Pack and loose files are hard-linked, so a repack, gc or branch switch under a live
 * run takes nothing away (FF-022), and nothing is written to the repository. Where links are
 * impossible (another file system, another owner) the stores become alternates.
 *
 * Object files are immutable and read-only; nothing here or in release ever changes their mode or bytes.
 */
export async function shareObjects(gitDir: string, target: string, budget: Budget): Promise<SharedObjects> {
  await mkdir(join(target, 'pack'), { recursive: true });
  await mkdir(join(target, 'info'), { recursive: true });
  const stores = await objectStores(join(gitDir, 'objects'));
  for (let attempt = 1; ; attempt++) {
    try {
      let loose = 0;
      for (const store of stores) {
        await linkPacks(store, target, budget);
        loose = await linkLoose(store, target, loose, budget);
      }
      return { held: true, stores };
    } catch (error) {
      // A concurrent repack replaced files between listing and linking: the new listing has them.
      if (errno(error) === 'ENOENT' && attempt < ATTEMPTS) continue;
      if (!['EXDEV', 'EPERM', 'EACCES', 'EMLINK', 'ENOENT', 'ENOTSUP'].includes(errno(error) ?? ''))
        throw error;
      await writeAlternates(target, stores);
      return { held: false, stores };
    }
  }
}

/** The store and everything it borrows from, each once. */
async function objectStores(first: string): Promise<string[]> {
  const found = new Set<string>();
  const queue = [resolve(first)];
  for (let store = queue.pop(); store !== undefined; store = queue.pop()) {
    if (found.has(store)) continue;
    found.add(store);
    for (const line of await alternateLines(store)) queue.push(resolve(store, line));
  }
  return [...found];
}

async function alternateLines(store: string): Promise<string[]> {
  let text: Buffer;
  try {
    text = await readFile(join(store, 'info/alternates'));
  } catch (error) {
    if (errno(error) === 'ENOENT') return [];
    throw error;
  }
  return text
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => (line.startsWith('"') ? unquote(Buffer.from(line), 0).name.toString('utf8') : line));
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

async function linkLoose(store: string, target: string, before: number, budget: Budget): Promise<number> {
  let count = before;
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
  return count;
}

/** Links a file; copies it when the agent's user could not read the original. */
async function hold(source: string, target: string): Promise<void> {
  try {
    const { mode } = await stat(source);
    if ((mode & 0o004) !== 0) await link(source, target);
    else {
      await copyFile(source, target);
      await chmod(target, 0o444);
    }
  } catch (error) {
    if (errno(error) !== 'EEXIST') throw error;
  }
}

async function list(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (errno(error) === 'ENOENT' || errno(error) === 'ENOTDIR') return [];
    throw error;
  }
}

/** Carries the marks of a shallow clone over, without which history ends in an error. */
export async function copyShallow(gitDir: string, targets: readonly string[]): Promise<void> {
  let shallow: Buffer;
  try {
    shallow = await readFile(join(gitDir, 'shallow'));
  } catch (error) {
    if (errno(error) === 'ENOENT') return;
    throw error;
  }
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
