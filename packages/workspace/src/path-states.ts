import { join } from 'node:path';
import type { ApplyTarget } from './apply-target.ts';
import { joinNul } from './git.ts';
import { pathBytes, pathText } from './path-text.ts';
import { indexInfo, parseTree, pathKey, type TreeEntry } from './tree-entry.ts';
import { WorkTree } from './work-tree.ts';

/** What one path holds, as git would store it; null when there is no file. */
export type PathState = Omit<TreeEntry, 'path'> | null;

/** One path before and after a product was applied. Plain JSON. */
export interface PathStates {
  /** Text form of the name. */
  readonly path: string;
  readonly before: PathState;
  readonly after: PathState;
}

let serial = 0;

/**
 * Reads what the checkout holds at these paths now into an index of ours. Its entries start from
 * the operator's index, because git's line-ending rule looks there. Returns the index and the states.
 */
export async function readStates(
  target: ApplyTarget,
  paths: readonly string[],
): Promise<{ indexFile: string; states: Map<string, PathState> }> {
  const indexFile = join(target.scratch, `states-${serial++}.index`);
  const git = target.git.with({ indexFile });
  await git.run(['read-tree', '--empty']);
  const wanted = paths.map((path) => pathBytes(path));
  const seeds = await operatorIndex(target, wanted);
  if (seeds.length > 0)
    await git.run(['update-index', '-z', '--index-info'], { input: indexInfo(target.format, seeds) });
  const tree = new WorkTree(target.topLevel);
  const present: Buffer[] = [];
  const absent: Buffer[] = [];
  for (const path of wanted) ((await tree.kind(path)).kind === 'file' ? present : absent).push(path);
  if (absent.length > 0)
    await git.run(['update-index', '--force-remove', '-z', '--stdin'], { input: joinNul(absent) });
  if (present.length > 0)
    await git.run(['update-index', '--add', '--replace', '-z', '--stdin'], { input: joinNul(present) });
  return { indexFile, states: await statesOf(target, indexFile, paths) };
}

/** The states an index holds for these paths. */
export async function statesOf(
  target: ApplyTarget,
  indexFile: string,
  paths: readonly string[],
): Promise<Map<string, PathState>> {
  const tree = await target.git.with({ indexFile }).text(['write-tree']);
  const { stdout } = await target.git.run(['ls-tree', '-r', '-z', '--full-tree', tree]);
  const states = new Map<string, PathState>(paths.map((path) => [path, null]));
  for (const { mode, oid, path } of parseTree(stdout)) states.set(pathText(path), { mode, oid });
  return states;
}

/** True when both say the same about a path. */
export function sameState(a: PathState | undefined, b: PathState | undefined): boolean {
  return a?.mode === b?.mode && a?.oid === b?.oid;
}

/** The first of these paths, for messages. */
export function listPaths(states: readonly PathStates[]): string {
  const names = states.slice(0, 10).map((state) => state.path);
  return states.length > 10 ? `${names.join(', ')} and ${states.length - 10} more` : names.join(', ');
}

/** The operator's index entries (stage 0) of these paths. */
export async function operatorIndex(
  target: ApplyTarget,
  paths: readonly Buffer[],
): Promise<{ path: Buffer; entry: PathState }[]> {
  if (target.operator === null) return [];
  const wanted = new Set(paths.map(pathKey));
  const found: { path: Buffer; entry: PathState }[] = [];
  for (const field of await target.operator.fields(['ls-files', '-z', '--stage'])) {
    const tab = field.indexOf(9);
    const path = field.subarray(tab + 1);
    if (!wanted.has(pathKey(path))) continue;
    const [mode = '', oid = '', stage = ''] = field.toString('latin1', 0, tab).split(' ');
    if (stage === '0' && mode !== '160000') found.push({ path, entry: { mode, oid } });
  }
  return found;
}

/** What the operator's last commit holds at these paths; all null without a commit. */
export async function committedStates(
  target: ApplyTarget,
  paths: readonly string[],
): Promise<Map<string, PathState>> {
  const states = new Map<string, PathState>(paths.map((path) => [path, null]));
  if (target.operator === null) return states;
  const listed = await target.operator.run(['ls-tree', '-r', '-z', '--full-tree', 'HEAD'], {
    accept: [0, 128],
  });
  for (const { mode, oid, path } of parseTree(listed.stdout)) {
    const text = pathText(path);
    if (states.has(text)) states.set(text, { mode, oid });
  }
  return states;
}

/** Those of these paths that are tracked but, in a sparse checkout, not to be in the work tree. */
export async function outsideSparseCheckout(
  target: ApplyTarget,
  paths: readonly string[],
): Promise<string[]> {
  if (target.operator === null) return [];
  const listed = await target.operator.fields(['ls-files', '-z', '-t']);
  const skipped = new Set(
    listed.filter((field) => field[0] === SKIPPED).map((field) => pathText(field.subarray(2))),
  );
  return paths.filter((path) => skipped.has(path));
}

const SKIPPED = 'S'.charCodeAt(0);
