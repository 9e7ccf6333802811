import { lstat, readFile, realpath, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isPalisadeError, limits, PalisadeError } from '@palisade/contracts';
import { errno } from './errno.ts';
import { Git } from './git.ts';
import { type ObjectFormat, writeGitFiles } from './git-files.ts';
import { budgetOf } from './git-process.ts';
import { executablePaths, operatorValues } from './operator-config.ts';
import { isNotPutBack } from './not-put-back.ts';
import { locate } from './resolve-base.ts';
import { makeScratch } from './scratch-folder.ts';

/** The operator's checkout, seen through a throw-away git directory of ours. */
export interface ApplyTarget {
  /** Where the patch's paths start. */
  readonly topLevel: string;
  /** Git over our scratch directory with the checkout as work tree. It runs no program of the repository. */
  readonly git: Git;
  /** Of that directory's objects: the operator's own format, or the products' for a plain folder. */
  readonly format: ObjectFormat;
  /** Git over the operator's own repository, for reading; null for a plain folder. */
  readonly operator: Git | null;
  /** Git directory of this work tree (a linked one has its own). */
  readonly ownGitDir: string | null;
  /** Names differing only in case are one file here (FF-008). */
  readonly foldsCase: boolean;
  /** Folder for scratch files, outside the checkout. */
  readonly scratch: string;
  readonly executablePaths: readonly string[];
}

/** Settings that decide how stored bytes and files of the checkout correspond. They are values, not programs. */
const CONVERSION_SETTINGS = [
  'core.autocrlf',
  'core.eol',
  'core.attributesFile',
  'core.fileMode',
  'core.symlinks',
];

/**
 * Opens a checkout for proving and applying. Line endings and encodings are converted as the
 * operator's own git would; filter programs are not run, so a file behind one (LFS) is compared as
 * it lies there. `use` gets the target; its scratch folder goes away afterwards, unless it holds the
 * only copy of what could not be put back.
 */
export async function withApplyTarget<T>(
  directory: string,
  format: ObjectFormat,
  use: (target: ApplyTarget) => Promise<T>,
): Promise<T> {
  const scratch = await makeScratch('apply');
  let isKept = false;
  try {
    return await use(await openTarget(directory, format, scratch));
  } catch (error) {
    isKept = isNotPutBack(error);
    throw error;
  } finally {
    if (!isKept) await rm(scratch, { recursive: true, force: true });
  }
}

async function openTarget(input: string, format: ObjectFormat, scratch: string): Promise<ApplyTarget> {
  const directory = await realpath(input).catch((error: unknown) => {
    throw new PalisadeError('not_found', `there is no directory ${input}`, { cause: error });
  });
  const budget = budgetOf(limits.captureMs);
  const discover = Git.around(directory, { budget, failure: 'not_found' });
  const found = await locate(discover, directory).catch((error: unknown) => {
    if (isPalisadeError(error, 'not_found')) return null;
    throw error;
  });
  if (found !== null && found.topLevel === found.gitDir)
    throw new PalisadeError(
      'requirements_unmet',
      `${directory} is a bare repository: it has no files to change`,
      {
        next: 'apply in a clone or work tree of it',
      },
    );
  // A damaged repository must not be mistaken for a plain folder, nor for the one around it (FF-020).
  if (found === null) await assertPlainFolder(directory);
  const topLevel = found?.topLevel ?? directory;
  const operator =
    found === null
      ? null
      : new Git({
          budget,
          cwd: topLevel,
          gitDir: found.ownGitDir,
          workTree: topLevel,
          config: [`safe.directory=${topLevel}`],
        });
  const config = [
    'core.ignoreCase=false',
    'core.safecrlf=false',
    // Whatever file system the checkout is on, git writes to no name that one could take for `.git`.
    'core.protectHFS=true',
    'core.protectNTFS=true',
  ];
  const values =
    operator === null
      ? new Map<string, string>()
      : await operatorValues(operator, [...CONVERSION_SETTINGS, 'core.ignorecase']);
  for (const name of CONVERSION_SETTINGS) {
    const value = values.get(name);
    if (value !== undefined && value !== '') config.push(`${name}=${value}`);
  }
  const gitDir = join(scratch, 'git');
  const ownFormat = operator === null ? format : await objectFormat(operator);
  await writeGitFiles(gitDir, {
    format: ownFormat,
    alternates: found === null ? [] : [join(found.gitDir, 'objects')],
    head: 'ref: refs/heads/none',
    config: [],
    attributes: found === null ? '* -text\n' : await readText(join(found.gitDir, 'info/attributes')),
  });
  return {
    topLevel,
    git: new Git({ budget, gitDir, workTree: topLevel, cwd: topLevel, config, failure: 'patch_conflict' }),
    format: ownFormat,
    operator,
    ownGitDir: found?.ownGitDir ?? null,
    foldsCase: values.get('core.ignorecase') === 'true' || (await foldsCase(topLevel)),
    scratch,
    executablePaths: operator === null ? [] : await executablePaths(operator, topLevel),
  };
}

async function assertPlainFolder(directory: string): Promise<void> {
  if (!(await exists(join(directory, '.git')))) return;
  throw new PalisadeError('requirements_unmet', `the git repository of ${directory} is damaged`, {
    next: `run git status in ${directory} and repair what it names`,
  });
}

async function objectFormat(git: Git): Promise<ObjectFormat> {
  return (await git.text(['rev-parse', '--show-object-format'])) === 'sha256' ? 'sha256' : 'sha1';
}

/** Empty for what is no file: git's own attributes may be a symlink, but nothing that has no end. */
async function readText(path: string): Promise<string> {
  try {
    if (!(await stat(path)).isFile()) return '';
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errno(error) === 'ENOENT') return '';
    throw error;
  }
}

/** Asks the file system without writing to it: a name of the checkout is looked up in another case. */
async function foldsCase(topLevel: string): Promise<boolean> {
  const upper = topLevel.toUpperCase();
  const lower = topLevel.toLowerCase();
  const other = upper === topLevel ? lower : upper;
  if (other === topLevel) return false;
  const [here, there] = await Promise.all([stat(topLevel), stat(other).catch(() => null)]);
  return there !== null && here.ino === there.ino && here.dev === there.dev;
}

/** True for anything at this path, also a dangling symlink. */
export async function exists(path: string | Buffer): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (errno(error) === 'ENOENT' || errno(error) === 'ENOTDIR') return false;
    throw error;
  }
}
