import type { Git } from './git.ts';
import { splitNul } from './git.ts';
import { pathText } from './path-text.ts';
import { diffTrees } from './product-tree.ts';
import { pathKey } from './tree-entry.ts';

/** One path a patch changes. Existence and mode are facts of their own (FF-001, FF-003). */
export interface PatchFile {
  /** Text form of the name; see `pathText`. The new name of a rename. */
  readonly path: string;
  /** The old name of a rename or copy. */
  readonly oldPath?: string;
  /** Added, modified, deleted, renamed, copied, or of another type (file, symlink, submodule). */
  readonly status: 'A' | 'M' | 'D' | 'R' | 'C' | 'T';
  /** Six octal digits, null when the path does not exist on that side. */
  readonly oldMode: string | null;
  readonly newMode: string | null;
  /** Lines; 0 for binary content. */
  readonly added: number;
  readonly deleted: number;
  readonly binary: boolean;
}

/** What differs between two trees, in the order a patch has it. */
export async function changedFiles(git: Git, before: string, after: string): Promise<PatchFile[]> {
  const counts = await lineCounts(git, before, after);
  return (await diffTrees(git, before, after)).map((change): PatchFile => {
    const count = counts.get(pathKey(change.path)) ?? { added: 0, deleted: 0, binary: false };
    const oldMode = change.before?.mode ?? null;
    const newMode = change.after?.mode ?? null;
    return { path: pathText(change.path), status: statusOf(oldMode, newMode), oldMode, newMode, ...count };
  });
}

/** A, D, T or M from the two modes. */
export function statusOf(oldMode: string | null, newMode: string | null): 'A' | 'M' | 'D' | 'T' {
  if (oldMode === null) return 'A';
  if (newMode === null) return 'D';
  return oldMode.slice(0, 3) === newMode.slice(0, 3) ? 'M' : 'T';
}

async function lineCounts(
  git: Git,
  before: string,
  after: string,
): Promise<Map<string, { added: number; deleted: number; binary: boolean }>> {
  const { stdout } = await git.run(['diff-tree', '-r', '-z', '--numstat', '--no-renames', before, after]);
  const counts = new Map<string, { added: number; deleted: number; binary: boolean }>();
  for (const field of splitNul(stdout)) {
    const first = field.indexOf(9);
    const second = field.indexOf(9, first + 1);
    const added = field.toString('latin1', 0, first);
    const deleted = field.toString('latin1', first + 1, second);
    const binary = added === '-';
    counts.set(pathKey(field.subarray(second + 1)), {
      added: binary ? 0 : Number(added),
      deleted: binary ? 0 : Number(deleted),
      binary,
    });
  }
  return counts;
}
