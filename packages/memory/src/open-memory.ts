import { existsSync } from 'node:fs';
import { isAbsolute, relative, resolve } from 'node:path';
import { isPalisadeError, PalisadeError } from '@palisade/contracts';
import { type Budget, pathBytes } from '@palisade/workspace';
import { findRepository, type Repository } from './repository/repository.ts';
import { isBelow } from './repository/file-content.ts';
import {
  type ChangedFile,
  stateOf,
  type TrackedFile,
  trackedFiles,
  type WorkTreeState,
} from './repository/work-tree.ts';
import { type Unread, unreadFiles } from './history/unread.ts';
import { openConsole } from './console/console.ts';
import { readHeads } from './store/facts.ts';
import type { MemoryDatabase } from './store/memory-database.ts';
import { openRepositoryDatabase } from './store/repository-database.ts';
import { openTranscripts } from './transcripts/open-transcripts.ts';

/** What an answer is made of: one repository, its memory and where the caller stands, read once. */
export interface Memory extends Disposable {
  readonly repository: Repository;
  readonly database: MemoryDatabase;
  readonly position: Pick<WorkTreeState, 'commit' | 'branch'>;
  /** What differs from `HEAD` in the caller's work tree. */
  readonly changes: readonly ChangedFile[];
  /** What git's index holds, by its path. */
  readonly tracked: ReadonlyMap<string, TrackedFile>;
  /** What the index does not know of the way to `HEAD`. */
  readonly unread: Unread;
  /** Unix ms. */
  readonly now: number;
  /** False until `pal repo index` has run once. */
  readonly isIndexed: boolean;
  /** Directory that paths of the caller start in. */
  readonly directory: string;
  readonly budget: Budget;
  /** The index of the caller's transcripts, opened when it is first asked for; undefined where there is none that can be read. */
  readonly transcripts: () => MemoryDatabase | undefined;
  /** The same of what the caller's sessions tell each other. */
  readonly console: () => MemoryDatabase | undefined;
}

export interface MemoryOptions {
  readonly directory: string;
  readonly budget: Budget;
  /** Unix ms. */
  readonly now: number;
  /** Whether something is to be kept in it; what only asks leaves no file where there was none. */
  readonly create?: boolean;
  /** Variables that say where the user's own databases are; without them they are not looked for. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Opens the memory of the repository around a directory. To be disposed of. Errors: those of {@link findRepository}. */
export async function openMemory(options: MemoryOptions): Promise<Memory> {
  const { directory, budget, now, create = false } = options;
  const repository = await findRepository(directory, budget);
  const [{ commit, branch, changes }, tracked] = await Promise.all([
    stateOf(repository),
    trackedFiles(repository),
  ]);
  const database = openRepositoryDatabase(repository, { create });
  const position = { commit, branch };
  try {
    database.run('CREATE TEMP TABLE elsewhere (id INTEGER PRIMARY KEY)');
    database.freeze();
    const heads = readHeads(database);
    const [unread] = await Promise.all([
      unreadFiles(repository.git, commit, heads),
      leaveOutElsewhere(repository, database, position, heads),
    ]);
    const transcripts = late(options.env, openTranscripts);
    const console = late(options.env, openConsole);
    return {
      repository,
      database,
      position,
      changes,
      tracked: new Map(tracked.map((each) => [each.path, each])),
      unread,
      now,
      isIndexed: heads.length > 0,
      directory: resolve(directory),
      budget,
      transcripts: transcripts.open,
      console: console.open,
      [Symbol.dispose]: () => {
        transcripts.close();
        console.close();
        database[Symbol.dispose]();
      },
    };
  } catch (error) {
    database[Symbol.dispose]();
    throw error;
  }
}

function late(
  env: MemoryOptions['env'],
  open: (options: { readonly env: NonNullable<MemoryOptions['env']> }) => MemoryDatabase,
): { readonly open: () => MemoryDatabase | undefined; readonly close: () => void } {
  let opened: MemoryDatabase | undefined;
  const opening = () => {
    if (env === undefined) return undefined;
    try {
      opened ??= open({ env });
    } catch (error) {
      // What is wrong with it is said where it is asked for, and spoils no answer about the repository.
      if (!isPalisadeError(error)) throw error;
    }
    // One that was never made is stood in for by an empty one.
    return opened !== undefined && existsSync(opened.path) ? opened : undefined;
  };
  return { open: opening, close: () => opened?.[Symbol.dispose]() };
}

/** The index holds the commits of all branches it was made on; those that do not lead to this `HEAD` say nothing here. */
async function leaveOutElsewhere(
  { git }: Repository,
  database: MemoryDatabase,
  { commit }: Memory['position'],
  heads: readonly string[],
): Promise<void> {
  if (commit === null || heads.every((head) => head === commit)) return;
  const listed = await git.run(['rev-list', ...heads, '--not', commit], { accept: [0, 128] });
  for (const sha of listed.stdout.toString('latin1').split('\n'))
    if (sha !== '') database.run('INSERT OR IGNORE INTO elsewhere SELECT id FROM commits WHERE sha = ?', sha);
}

/**
 * The path of a file within the repository, from what the caller wrote: relative to where the caller is, or absolute.
 * Errors: `unsafe_path` when it is outside.
 */
export function pathWithin({ repository: { workTree }, directory }: Memory, written: string): string {
  const near = resolve(directory, written);
  const named = resolve(workTree, written);
  // What is named as it stands in the repository is meant, wherever the caller is.
  const path = relative(workTree, !existsSync(near) && existsSync(named) ? named : near);
  if (isAbsolute(path) || !isBelow(pathBytes(path)))
    throw new PalisadeError('unsafe_path', `${written} is not a file within the repository`, {
      next: 'name a file of this repository',
    });
  return path;
}
