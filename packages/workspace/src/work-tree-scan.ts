import { lstat, readdir } from 'node:fs/promises';
import { PalisadeError, shortened } from '@palisade/contracts';
import { fileTooBig } from './file-sizes.ts';
import { type Git, joinNul, splitNul } from './git.ts';
import { assertBudget } from './git-process.ts';
import { openUnreadable } from './open-unreadable.ts';
import { pathText } from './path-text.ts';
import { childPath } from './remove-tree.ts';
import { pathKey } from './tree-entry.ts';
import { WorkTree } from './work-tree.ts';

/** What differs between an index and the files of a work tree, and what to do about each path. */
export interface WorkTreeScan {
  /** Regular files and symlinks whose content must be read. */
  readonly present: readonly Buffer[];
  /** Paths of the index that are no longer files. */
  readonly absent: readonly Buffer[];
  /** Bytes of all present files together. */
  readonly bytes: number;
  readonly warnings: readonly string[];
}

export interface ScanOptions {
  /** Top-level names that are never looked at. */
  readonly exclude: readonly string[];
  /** Further paths to consider although an ignore rule hides them, e.g. what the agent added by force. */
  readonly forced?: readonly Buffer[];
  /** Untracked paths that are not the agent's work. */
  readonly skip?: (path: Buffer) => Promise<boolean>;
  /** Most bytes of one changed file; `too_large` names one that has more. */
  readonly maxFileBytes?: number;
}

/** Most entries below one nested repository; more is refused aloud rather than cut. */
const MAX_NESTED_ENTRIES = 1_000_000;

/**
 * Finds what changed, with git's own rules for ignored files, but names as bytes and nested
 * repositories as the files they hold (FF-014). Nothing an agent can configure is read: the ignore
 * rules in `.gitignore` files are data, every other setting is ours.
 */
export async function scanWorkTree(git: Git, options: ScanOptions): Promise<WorkTreeScan> {
  const excluded = new Set(options.exclude);
  const isExcluded = (path: Buffer) => excluded.has(topName(path));
  const changed = await git.fields([
    'diff-files',
    '-z',
    '--name-only',
    '--no-renames',
    '--ignore-submodules=all',
  ]);
  const { plain, nested } = await listUntracked(git);
  const warnings: string[] = [];
  for (const repository of nested.filter((path) => !isExcluded(path))) {
    const inside = await listNested(git, repository);
    plain.push(...inside);
    warnings.push(
      `${pathText(repository)} is a nested repository: its ${inside.length} files are captured, its history is not`,
    );
  }
  const runFolders = new Set(changed.filter(isExcluded).map(topName));
  for (const name of runFolders)
    warnings.push(`${name}/ has tracked files that were changed; nothing under it is part of the product`);
  const seen = new Set<string>();
  const tree = new WorkTree(git.scope.cwd);
  const present: Buffer[] = [];
  const absent: Buffer[] = [];
  let bytes = 0;
  const tracked = changed.length;
  for (const [index, path] of [...changed, ...plain, ...(options.forced ?? [])].entries()) {
    const key = pathKey(path);
    if (seen.has(key) || isExcluded(path)) continue;
    seen.add(key);
    assertBudget(git.scope.budget);
    if (index >= tracked && options.skip !== undefined && (await options.skip(path))) continue;
    const found = await tree.kind(path);
    if (found.kind === 'file') {
      if (found.size > (options.maxFileBytes ?? Infinity))
        throw fileTooBig(path, found.size, options.maxFileBytes ?? 0);
      present.push(path);
      bytes += found.size;
    } else {
      absent.push(path);
      if (found.kind === 'special')
        warnings.push(`${pathText(path)} is neither a file nor a symlink and is not captured`);
    }
  }
  return { present, absent, bytes, warnings };
}

function topName(path: Buffer): string {
  const slash = path.indexOf(0x2f);
  return path.toString('latin1', 0, slash === -1 ? path.length : slash);
}

/** Untracked files that no rule ignores, and nested repositories, which git names with a slash at the end. */
async function listUntracked(git: Git): Promise<{ plain: Buffer[]; nested: Buffer[] }> {
  const args = ['ls-files', '-z', '--others', '--exclude-standard'] as const;
  let listed = await git.run(args);
  if (complaints(listed.stderr) !== '') {
    // Git passes over a directory it cannot open with a warning; that would lose the files in it.
    await openUnreadable(git.scope.cwd, git.scope.budget);
    listed = await git.run(args);
    if (complaints(listed.stderr) !== '')
      throw new PalisadeError('capture_failed', 'a part of the workspace cannot be read', {
        why: shortened(listed.stderr.trim()).slice(0, 2_000),
        next: 'capture as the owner of these files or as root',
      });
  }
  const plain: Buffer[] = [];
  const nested: Buffer[] = [];
  for (const path of splitNul(listed.stdout))
    if (path.at(-1) === 0x2f) nested.push(path.subarray(0, -1));
    else plain.push(path);
  return { plain, nested };
}

/** What git complained of, without rules that are symlinks: it ignores those, as it does for the user, and says so. */
function complaints(stderr: string): string {
  return stderr.replaceAll(
    /^warning: unable to access '.*\.git(?:ignore|attributes)': Too many levels of symbolic links\n/gm,
    '',
  );
}

/** Every file below a nested repository that no `.gitignore` hides; git directories are left out. */
async function listNested(git: Git, repository: Buffer): Promise<Buffer[]> {
  const files: Buffer[] = [];
  const queue = [repository];
  for (let directory = queue.pop(); directory !== undefined; directory = queue.pop()) {
    const names = await readdir(childPath(git.scope.cwd, directory), { encoding: 'buffer' });
    for (const name of names) {
      assertBudget(git.scope.budget);
      if (name.toString('latin1') === '.git') continue;
      const path = childPath(directory, name);
      const stats = await lstat(childPath(git.scope.cwd, path));
      if (stats.isDirectory()) queue.push(path);
      else files.push(path);
      if (files.length > MAX_NESTED_ENTRIES)
        throw new PalisadeError('capture_failed', `${pathText(repository)} holds too many files`);
    }
  }
  if (files.length === 0) return files;
  // The leading `./` keeps a name such as `:(top)x` from being read as an instruction.
  const ignored = await git.run(['check-ignore', '-z', '--stdin', '--no-index'], {
    input: joinNul(files.map((path) => childPath('.', path))),
    accept: [0, 1],
  });
  const hidden = new Set(splitNul(ignored.stdout).map((path) => pathKey(path.subarray(2))));
  return files.filter((path) => !hidden.has(pathKey(path)));
}
