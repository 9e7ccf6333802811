import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type RelatedSession, truncateText } from '@palisade/contracts';
import type { Memory } from '../open-memory.ts';
import type { Repository } from '../repository/repository.ts';

const MOST_FILES = 50;
const TITLE_CHARS = 120;
const ID_CHARS = 200;

/**
 * The sessions that read or wrote one of the files in a work tree of this repository, the latest first (WM-030, L-25); undefined
 * without an index of transcripts. What they say of themselves is text of others.
 */
export function relatedSessions(
  { repository, transcripts }: Memory,
  files: readonly string[],
  limit: number,
): readonly RelatedSession[] | undefined {
  const database = transcripts();
  if (database === undefined) return undefined;
  const trees = workTrees(repository);
  const paths = files.slice(0, MOST_FILES).flatMap((file) => trees.map((tree) => `${tree}/${file}`));
  return database
    .all<{
      id: string;
      key: string;
      harness: RelatedSession['harness'];
      git_branch: string | null;
      title: string;
      updated_at: number;
    }>(
      `SELECT s.id, f.key, s.harness, s.git_branch, s.title, s.updated_at
       FROM sessions s JOIN sources f ON f.id = s.source
       WHERE EXISTS (SELECT 1 FROM session_files t WHERE t.source = s.source
         AND t.path IN (SELECT value FROM json_each(?)))
       ORDER BY s.updated_at DESC, s.source LIMIT ?`,
      JSON.stringify(paths),
      limit,
    )
    .map(({ id, key, harness, git_branch, title, updated_at }) => ({
      id: truncateText(id, ID_CHARS),
      key: key.slice(0, 12),
      harness,
      git_branch,
      updated_at,
      untrusted_title: truncateText(title, TITLE_CHARS),
    }));
}

/** The folders of all work trees of a repository, as it notes them itself. */
function workTrees({ workTree, root, gitDir }: Repository): readonly string[] {
  const linked = join(gitDir, 'worktrees');
  let names: readonly string[] = [];
  try {
    names = readdirSync(linked);
  } catch {
    // There are none.
  }
  const trees = names.flatMap((name) => {
    try {
      return [dirname(readFileSync(join(linked, name, 'gitdir'), 'utf8').trim())];
    } catch {
      return [];
    }
  });
  return [...new Set([workTree, root, ...trees])];
}
