import { access, lstat, realpath } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { PalisadeError } from '@palisade/contracts';
import { Git, splitNul } from './git.ts';
import { type Budget, budgetOf, type GitResult } from './git-process.ts';
import { findMissing } from './missing-content.ts';
import { neutralFilters } from './operator-config.ts';

/** Where a run starts. */
export interface ResolvedBase {
  readonly topLevel: string;
  /** Absolute common git directory: shared by all linked work trees of the repository. */
  readonly gitDir: string;
  readonly commit: string;
  /** Short name of the branch the revision is on, null when detached. A label only (FF-029). */
  readonly branch: string | null;
  /** Uncommitted changes that are not part of the base. */
  readonly dirty: number;
  /** Files and folders that git knows nothing of and was not told to ignore. */
  readonly untracked: number;
  /** What a full checkout would have and a workspace will not, one sentence each (FF-033). */
  readonly missing: readonly string[];
}

/** Time for questions to the operator's repository. */
const RESOLVE_MS = 120_000;

/**
 * Finds the repository of a directory and the commit of a revision (`HEAD` by default). Reads only:
 * no lock is taken, no ref, index or configuration is written, no program of the repository runs.
 *
 * Errors: `not_found` (no such directory, not a repository, unknown revision), `policy_denied` (files
 * elsewhere, see {@link locate}) and `requirements_unmet` (no usable git, no commit yet, objects missing), each with `next`.
 */
export async function resolveBase(input: {
  readonly directory: string;
  readonly revision?: string;
}): Promise<ResolvedBase> {
  const { git, topLevel, gitDir } = await openRepository(input.directory, budgetOf(RESOLVE_MS));
  const commit = await resolveCommit(git, input.revision);
  await assertObjectsPresent(git, commit, topLevel);
  const [branch, { dirty, untracked }, missing] = await Promise.all([
    branchOf(git, input.revision ?? 'HEAD'),
    countDirty(git, topLevel !== gitDir),
    findMissing(git, commit),
  ]);
  return { topLevel, gitDir, commit, branch, dirty, untracked, missing };
}

/** A repository of the operator, for reading. */
export interface OpenRepository {
  /** Reads in the directory it was opened with: takes no lock and runs no program of the repository's configuration. */
  readonly git: Git;
  /** Absolute folder of the work tree; equals `gitDir` for a bare repository. */
  readonly topLevel: string;
  /** Absolute common git directory: shared by all linked work trees of the repository. */
  readonly gitDir: string;
}

/**
 * The repository around a directory. Errors: `not_found` (no such directory, not a repository),
 * `policy_denied` (files elsewhere, see {@link locate}) and `requirements_unmet` (no usable git), each with `next`.
 */
export async function openRepository(directory: string, budget: Budget): Promise<OpenRepository> {
  const cwd = await existingDirectory(directory);
  const discover = Git.around(cwd, { budget, failure: 'not_found' });
  const [, { topLevel, gitDir }, foreignConfig] = await Promise.all([
    assertGitVersion(discover),
    locate(discover, cwd),
    neutralFilters(discover),
  ]);
  const git = discover.with({ config: [`safe.directory=${topLevel}`], foreignConfig });
  return { git, topLevel, gitDir };
}

async function existingDirectory(directory: string): Promise<string> {
  try {
    const path = await realpath(directory);
    await access(path);
    return path;
  } catch (error) {
    throw new PalisadeError('not_found', `there is no readable directory ${directory}`, {
      next: 'name an existing directory',
      cause: error,
    });
  }
}

async function assertGitVersion(git: Git): Promise<void> {
  const words = await git.text(['--version']);
  const [, major, minor] = /(\d+)\.(\d+)/.exec(words) ?? [];
  if (Number(major) > 2 || (Number(major) === 2 && Number(minor) >= 39)) return;
  throw new PalisadeError('requirements_unmet', `git is too old: ${words}`, {
    next: 'install git 2.39 or newer',
  });
}

/**
 * The repository around a directory. `topLevel` equals `gitDir` for a bare one. `policy_denied` when the
 * repository's configuration claims files that it does not lie beside (`core.worktree`): a change of them
 * would land where nobody looks for it.
 */
export async function locate(
  git: Git,
  directory: string,
): Promise<{ topLevel: string; gitDir: string; ownGitDir: string }> {
  const ask = (...words: string[]) =>
    git.run(['rev-parse', '--path-format=absolute', ...words], { accept: [0, 128] });
  const whole = await ask('--is-bare-repository', '--git-common-dir', '--git-dir', '--show-toplevel');
  const lines = whole.stdout.toString('utf8').split('\n');
  const places =
    whole.code === 0 && lines.length === 5
      ? { bare: lines[0], gitDir: lines[1], ownGitDir: lines[2], topLevel: lines[3] }
      : await askOneByOne(ask, directory);
  const { bare, gitDir = '', ownGitDir = '', topLevel = '' } = places;
  if (bare === 'true') return { topLevel: gitDir, gitDir, ownGitDir };
  await assertBeside(git, directory, topLevel, ownGitDir);
  return { topLevel, gitDir, ownGitDir };
}

/** A path may hold newlines, so each is the last word of an answer; and a bare repository has no top. */
async function askOneByOne(ask: (...words: string[]) => Promise<GitResult>, directory: string) {
  const [found, own, top] = await Promise.all([
    ask('--is-bare-repository', '--git-common-dir'),
    ask('--git-dir'),
    ask('--show-toplevel'),
  ]);
  const [, bare, gitDir] = /^(true|false)\n(.*)\n$/s.exec(found.stdout.toString('utf8')) ?? [];
  const isUsable = found.code === 0 && own.code === 0 && (bare === 'true' || top.code === 0);
  if (!isUsable)
    throw new PalisadeError('not_found', `${directory} is not inside a usable git repository`, {
      why: `${found.stderr}${own.stderr}${top.stderr}`.trim().split('\n')[0] ?? '',
      next: 'name a git repository, or make one here: git init, and a commit',
    });
  return { bare, gitDir, ownGitDir: lineOf(own.stdout), topLevel: lineOf(top.stdout) };
}

function lineOf(stdout: Buffer): string {
  return stdout.toString('utf8').replace(/\n$/, '');
}

/** A work tree holds the `.git` it is known by, a linked one and a submodule too; and the directory it was asked for. */
async function assertBeside(git: Git, directory: string, topLevel: string, ownGitDir: string): Promise<void> {
  const isOwn = (await resolvedGitDir(git, join(topLevel, '.git'))) === (await realpath(ownGitDir));
  const isInside = !/^\.\.(\/|$)/.test(relative(topLevel, directory));
  if (isOwn && isInside) return;
  const file = join(ownGitDir, 'config');
  throw new PalisadeError('policy_denied', `the repository of ${directory} has its files in ${topLevel}`, {
    why: `core.worktree in ${file} says so, and no .git there leads back`,
    next: `work where the files are, or remove the setting: git config --file ${JSON.stringify(file)} --unset core.worktree`,
  });
}

/** The git directory that a `.git` is or names; undefined when it is none. */
async function resolvedGitDir(git: Git, path: string): Promise<string | undefined> {
  const facts = await lstat(path).catch(() => undefined);
  if (facts?.isDirectory() === true) return realpath(path);
  const named = await git.run(['rev-parse', '--resolve-git-dir', path], { accept: [0, 128] });
  return named.code === 0 ? realpath(resolve(git.scope.cwd, lineOf(named.stdout))) : undefined;
}

async function resolveCommit(git: Git, revision: string | undefined): Promise<string> {
  const name = revision ?? 'HEAD';
  const found = await git.run(['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`], {
    accept: [0, 1, 128],
  });
  const commit = found.stdout.toString('utf8').trim();
  if (found.code === 0 && /^[0-9a-f]{40,64}$/.test(commit)) return commit;
  if (revision === undefined)
    throw new PalisadeError('requirements_unmet', 'the repository has no commit yet', {
      next: 'commit once: git add -A && git commit',
    });
  throw new PalisadeError('not_found', `there is no commit called ${revision}`, {
    next: 'name a branch, a tag or a commit that exists here',
  });
}

/** Whether objects may be missing that the repository's remote has: nothing here fetches them. */
export async function isPartialClone(git: Git): Promise<boolean> {
  const pattern = String.raw`^(extensions\.partialclone|remote\..*\.promisor)$`;
  return (await git.run(['config', '--get-regexp', pattern], { accept: [0, 1] })).code === 0;
}

/** A partial clone lacks objects; a workspace never fetches, so it says so before work begins. */
async function assertObjectsPresent(git: Git, commit: string, topLevel: string): Promise<void> {
  if (!(await isPartialClone(git))) return;
  const listed = await git.text(['rev-list', '--objects', '--no-walk', '--missing=print', commit]);
  const missing = listed.split('\n').filter((line) => line.startsWith('?')).length;
  if (missing > 0)
    throw new PalisadeError(
      'requirements_unmet',
      `${missing} objects of the base are not in this partial clone`,
      {
        next: `git -C ${JSON.stringify(topLevel)} fetch --refetch --no-filter`,
      },
    );
}

/** Short name of the branch a revision is on, or null. */
export async function branchOf(git: Git, revision: string): Promise<string | null> {
  const found = await git.run(['rev-parse', '--symbolic-full-name', '--end-of-options', revision], {
    accept: [0, 1, 128],
  });
  const name = found.stdout.toString('utf8').trim().split('\n').at(-1) ?? '';
  return name.startsWith('refs/heads/') ? name.slice('refs/heads/'.length) : null;
}

async function countDirty(
  git: Git,
  hasWorkTree: boolean,
): Promise<Pick<ResolvedBase, 'dirty' | 'untracked'>> {
  if (!hasWorkTree) return { dirty: 0, untracked: 0 };
  const { stdout } = await git.run([
    'status',
    '--porcelain=v1',
    '-z',
    '--no-renames',
    '--untracked-files=normal',
    '--ignore-submodules=dirty',
  ]);
  const changes = splitNul(stdout).map(String);
  const untracked = changes.filter((change) => change.startsWith('??')).length;
  return { dirty: changes.length - untracked, untracked };
}
