import { execFile } from 'node:child_process';
import { lstat, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { isPalisadeError, type PalisadeError } from '@palisade/contracts';
import { onTestFinished } from 'vitest';
import {
  type CapturedPatch,
  type CaptureOptions,
  capturePatch,
  materialise,
  recordBase,
  recordBaseline,
  resolveBase,
  type WorkspaceHandle,
} from '../src/index.ts';
import { removeTree } from '../src/remove-tree.ts';

const run = promisify(execFile);

/** A fresh folder that goes away with the test. The name is awkward on purpose (FF-169). */
export async function scratch(name = `sp ace "q" 'a' 50% ü 漢`): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'palisade-ws-'));
  onTestFinished(() => removeTree(root));
  const directory = join(root, name);
  await mkdir(directory);
  return directory;
}

/** Environment of an ordinary user's git, with an own home folder. */
export function userEnv(home: string, more: Record<string, string> = {}): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    GIT_AUTHOR_NAME: 'User',
    GIT_AUTHOR_EMAIL: 'user@example.test',
    GIT_COMMITTER_NAME: 'User',
    GIT_COMMITTER_EMAIL: 'user@example.test',
    ...more,
  };
}

/** Runs the user's or the agent's own git, with whatever configuration the directory has. */
export async function git(
  cwd: string,
  args: readonly string[],
  env: Record<string, string> = userEnv('/nonexistent'),
): Promise<string> {
  const { stdout } = await run('git', [...args], { cwd, env, maxBuffer: 1 << 28 });
  return stdout;
}

export type Files = Readonly<Record<string, string | Buffer>>;

/** Writes files; names may have folders. */
export async function write(directory: string, files: Files): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(directory, name)), { recursive: true });
    await writeFile(join(directory, name), content);
  }
}

/** A repository with one commit of these files. */
export async function repository(files: Files, format = 'sha1'): Promise<string> {
  const directory = await scratch();
  await git(directory, ['init', '-q', '-b', 'main', `--object-format=${format}`]);
  await write(directory, files);
  await commitAll(directory, 'first');
  return directory;
}

export async function commitAll(directory: string, message: string): Promise<string> {
  await git(directory, ['-c', 'core.autocrlf=false', 'add', '-A', '-f']);
  await git(directory, ['commit', '-q', '--allow-empty', '-m', message]);
  return (await git(directory, ['rev-parse', 'HEAD'])).trim();
}

/** A workspace of the repository's HEAD with base and baseline recorded; `overlay` runs in between. */
export async function workspace(
  repo: string,
  options: { overlay?: (directory: string) => Promise<void>; basePatches?: { path: string }[] } = {},
): Promise<WorkspaceHandle> {
  const { gitDir, commit } = await resolveBase({ directory: repo });
  const place = await scratch();
  const handle = await materialise({
    source: { kind: 'git', gitDir, commit },
    directory: join(place, 'work tree'),
    stateDir: join(place, 'state'),
    basePatches: options.basePatches ?? [],
  });
  await recordBase(handle);
  await options.overlay?.(handle.directory);
  await recordBaseline(handle);
  return handle;
}

/** Captures and reads the patch. */
export async function capture(
  handle: WorkspaceHandle,
  options: Partial<CaptureOptions> = {},
): Promise<CapturedPatch & { patch: Buffer; patchPath: string }> {
  const patchPath = options.patchPath ?? join(await scratch(), 'product.patch');
  const captured = await capturePatch(handle, { ...options, patchPath });
  return { ...captured, patchPath, patch: captured.empty ? Buffer.alloc(0) : await readFile(patchPath) };
}

/** The tree id of a commit after a plain user's `git apply --index` of the patch to a fresh clone. */
export async function treeAfterApply(repo: string, patchPath: string): Promise<string> {
  const clone = await scratch();
  await git(clone, ['clone', '-q', repo, 'clone']);
  const directory = join(clone, 'clone');
  await git(directory, ['apply', '--index', '--whitespace=nowarn', patchPath]);
  return (await git(directory, ['write-tree'])).trim();
}

/** The tree id a plain `git add -A` of a directory's files gives, with nothing of the directory's own repository. */
export async function treeOf(directory: string, exclude: readonly string[] = []): Promise<string> {
  const home = await scratch();
  const gitDir = join(home, 'git');
  await git(home, ['init', '-q', '--bare', gitDir]);
  const env = userEnv(home, { GIT_DIR: gitDir, GIT_WORK_TREE: directory });
  await git(
    directory,
    ['-c', 'core.bare=false', 'add', '-A', '-f', '.', ...exclude.map((p) => `:!${p}`)],
    env,
  );
  return (await git(directory, ['-c', 'core.bare=false', 'write-tree'], env)).trim();
}

/** The refusal a promise ends with; anything else fails the test. */
export async function refusal(promise: Promise<unknown>): Promise<PalisadeError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (isPalisadeError(error)) return error;
  throw new Error(`no refusal but ${String(error)}`);
}

export const present = async (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );
