import { mkdir, readdir, realpath, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isPalisadeError, limits, PalisadeError } from '@palisade/contracts';
import { copyIndex } from './copy-index.ts';
import { errno } from './errno.ts';
import { Git } from './git.ts';
import { type Budget, budgetOf } from './git-process.ts';
import { formatOf, type ObjectFormat, RAW_ATTRIBUTES, writeGitFiles } from './git-files.ts';
import { captureGit, captureGitDir, historyObjects, type WorkspaceHandle, writeState } from './handle.ts';
import { executablePaths } from './operator-config.ts';
import { removeLeftovers } from './release.ts';
import { assertGitDir, copyShallow, shareObjects } from './shared-objects.ts';

/** Branch of the agent's own repository. A label only: capture never looks at it (FF-029). */
const BRANCH = 'refs/heads/work';

export interface MaterialiseInput {
  readonly source:
    | { readonly kind: 'git'; readonly gitDir: string; readonly commit: string }
    | { readonly kind: 'empty' };
  /** Created; what the agent sees. Its parent must not be writable by the agent. */
  readonly directory: string;
  /** Created; ours, never agent-visible. */
  readonly stateDir: string;
  /** Patches of upstream items, applied in order; they become part of the base. */
  readonly basePatches: readonly { readonly path: string }[];
}

/**
 * Makes an isolated workspace: a real repository with its own `.git`, history through shared
 * objects, a clean status, no hooks and none of the operator's configuration. Files hold exactly
 * the stored bytes of the base (see `findMissing` for what that leaves out). The operator's
 * repository is only read.
 *
 * A half-made or half-removed workspace of the same place is cleared first (FF-031). Errors:
 * `not_found` (no such repository or commit), `patch_conflict` (an upstream patch does not apply),
 * `already_exists` (the place holds something that is not ours), `storage_full`, `timed_out`.
 */
export async function materialise(input: MaterialiseInput): Promise<WorkspaceHandle> {
  const budget = budgetOf(limits.captureMs);
  await removeLeftovers(input.stateDir, input.directory);
  await mkdir(dirname(input.directory), { recursive: true });
  await mkdir(input.stateDir, { recursive: true });
  // Real paths, so that what git compares with the work tree is not a symlink's spelling.
  const stateDir = await realpath(input.stateDir);
  const directory = join(await realpath(dirname(input.directory)), input.directory.split('/').at(-1) ?? '');
  const source = input.source;
  const format: ObjectFormat = source.kind === 'git' ? formatOf(source.commit) : 'sha1';
  const state = {
    schema_version: 1,
    directory,
    format,
    phase: 'materialising',
    base_tree: null,
    base_recorded: false,
    baseline_tree: null,
    executable_paths: [],
  } as const;
  // The mark follows the directory: a place that was refused must never be taken for ours.
  await createEmpty(directory);
  await writeState(stateDir, state);

  const readOnlyPaths = [historyObjects(stateDir)];
  let executable: string[] = [];
  await writeGitFiles(captureGitDir(stateDir), {
    format,
    alternates: [historyObjects(stateDir)],
    head: 'ref: refs/heads/base',
    config: [],
    attributes: RAW_ATTRIBUTES,
  });
  const handle: WorkspaceHandle = { directory, stateDir, readOnlyPaths, base: source };
  const git = captureGit(handle, budget).with({
    objectDirectory: historyObjects(stateDir),
    failure: 'internal',
  });
  if (source.kind === 'git') {
    await assertGitDir(source.gitDir);
    await copyShallow(source.gitDir, [captureGitDir(stateDir)]);
    const shared = await shareObjects(source.gitDir, historyObjects(stateDir), budget);
    const store = join(source.gitDir, 'objects');
    const reading = shared === 'elsewhere' ? git.with({ alternates: [store] }) : git;
    await assertCommit(reading, source.commit);
    if (shared === 'elsewhere') await keepObjects(reading, source.commit, historyObjects(stateDir));
    if (shared === 'borrowed') {
      readOnlyPaths.push(store);
      await keepObjects(git, `${source.commit}^{tree}`, historyObjects(stateDir));
    }
    executable = await operatorExecutablePaths(source.gitDir, budget);
  } else {
    await mkdir(join(historyObjects(stateDir), 'info'), { recursive: true });
  }

  const baseIndex = git.with({ indexFile: join(captureGitDir(stateDir), 'base.index') });
  const { tree, head } = await buildBase(baseIndex, source, input.basePatches);
  await checkOut(baseIndex);
  await writeAgentRepository(handle, format, head);
  await copyIndex(join(captureGitDir(stateDir), 'base.index'), join(directory, '.git/index'));
  await writeState(stateDir, { ...state, phase: 'ready', base_tree: tree, executable_paths: executable });
  return handle;
}

async function createEmpty(directory: string): Promise<void> {
  try {
    await mkdir(directory);
  } catch (error) {
    if (errno(error) !== 'EEXIST') throw error;
    if ((await readdir(directory)).length > 0)
      throw new PalisadeError('already_exists', `${directory} is not empty and not a workspace of ours`, {
        next: 'choose another directory or empty this one',
      });
  }
}

async function assertCommit(git: Git, commit: string): Promise<void> {
  const found = await git.run(['cat-file', '-e', `${commit}^{tree}`], { accept: [0, 1, 128] });
  if (found.code !== 0)
    throw new PalisadeError('not_found', `the base commit ${commit} is not in the repository any more`, {
      next: 'start again from a commit that exists',
    });
}

/** A pack of what a revision reaches, so that nothing depends on what happens to the foreign store (FF-022). */
async function keepObjects(git: Git, revision: string, objects: string): Promise<void> {
  // A partial clone lacks some of its history, and says so when somebody asks for that part.
  await git.run(['pack-objects', '--revs', '--missing=allow-any', '-q', join(objects, 'pack/pack')], {
    input: Buffer.from(`${revision}\n`),
  });
}

async function operatorExecutablePaths(gitDir: string, budget: Budget): Promise<string[]> {
  const git = new Git({ budget, gitDir, cwd: gitDir, failure: 'internal' });
  return executablePaths(git, dirname(gitDir));
}

/** Fills the index with commit plus patches. `head` is the commit the agent's HEAD gets, null for none. */
async function buildBase(
  git: Git,
  source: MaterialiseInput['source'],
  patches: MaterialiseInput['basePatches'],
): Promise<{ tree: string; head: string | null }> {
  if (source.kind === 'git') await git.run(['read-tree', `${source.commit}^{tree}`]);
  else await git.run(['read-tree', '--empty']);
  for (const [index, patch] of patches.entries())
    await git
      .with({ failure: 'patch_conflict' })
      .run(['apply', '--cached', '--whitespace=nowarn', '--allow-empty', patch.path])
      .catch((error: unknown) => {
        throw isPalisadeError(error, 'patch_conflict')
          ? new PalisadeError(
              'patch_conflict',
              `upstream patch ${index + 1} of ${patches.length} does not apply`,
              {
                ...(error.why === undefined ? {} : { why: error.why }),
                cause: error,
              },
            )
          : error;
      });
  const tree = await git.text(['write-tree']);
  const commit = source.kind === 'git' ? source.commit : null;
  if (patches.length === 0) return { tree, head: commit };
  const parent = commit === null ? [] : ['-p', commit];
  const head = await git.text(['commit-tree', tree, ...parent, '-m', 'Apply upstream patches'] as const);
  return { tree, head };
}

/** Writes the index's files and records their stat data in it. Submodules become empty directories. */
async function checkOut(git: Git): Promise<void> {
  await git.run(['checkout-index', '--all', '--force', '--index', '--quiet']);
}

async function writeAgentRepository(
  handle: WorkspaceHandle,
  format: ObjectFormat,
  head: string | null,
): Promise<void> {
  const gitDir = join(handle.directory, '.git');
  await writeGitFiles(gitDir, {
    format,
    alternates: handle.readOnlyPaths.slice(0, 1),
    head: `ref: ${BRANCH}`,
    config: [
      '[core]',
      '\tfilemode = true',
      '\tlogallrefupdates = true',
      '\tautocrlf = false',
      // The owner and change time of files differ after the hand-over; their content does not (FF-002).
      '\ttrustctime = false',
      '\tcheckStat = minimal',
      '[user]',
      '\tname = Palisade agent',
      '\temail = agent@palisade.invalid',
      // An agent's commit never waits for a passphrase window (FF-027).
      '[commit]',
      '\tgpgsign = false',
      '[tag]',
      '\tgpgsign = false',
      '[gc]',
      '\tauto = 0',
    ],
    attributes: RAW_ATTRIBUTES,
  });
  await writeFile(join(gitDir, 'info/exclude'), '/.palisade/\n/inputs/\n/outputs/\n');
  await copyShallow(captureGitDir(handle.stateDir), [gitDir]);
  if (head !== null) await writeFile(join(gitDir, BRANCH), `${head}\n`);
}
