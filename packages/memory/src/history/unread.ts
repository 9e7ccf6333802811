import { type Git, pathText, splitNul } from '@palisade/workspace';

/** Files that commits changed which are not in the index; `all` when nobody can say which. */
export type Unread = ReadonlySet<string> | 'all';

/** Of so many commits the files are looked up. */
const MOST_COMMITS = 1_000;
const START = '\u0002';

/**
 * What the index does not know of the way to a commit.
 *
 * @param commit null before the first one
 * @param heads commits whose whole history is in the index
 */
export async function unreadFiles(
  git: Git,
  commit: string | null,
  heads: readonly string[],
): Promise<Unread> {
  if (heads.length === 0) return 'all';
  if (commit === null || heads.includes(commit)) return new Set();
  const listed = await git.run(
    [
      'log',
      `--max-count=${MOST_COMMITS + 1}`,
      '-z',
      '--name-only',
      '--no-renames',
      '--diff-merges=off',
      '--no-ext-diff',
      '--no-show-signature',
      '--format=tformat:%x02',
      commit,
      '--not',
      ...heads,
      '--',
    ],
    { accept: [0, 128], maxOutput: Number.MAX_SAFE_INTEGER },
  );
  // A commit of the index is not in the repository any more, or a tree is not in the clone.
  if (listed.code !== 0) return 'all';
  const fields = splitNul(listed.stdout).map((field) =>
    pathText(field[0] === 0x0a ? field.subarray(1) : field),
  );
  if (fields.filter((field) => field === START).length > MOST_COMMITS) return 'all';
  return new Set(fields.filter((field) => field !== START && field !== ''));
}
