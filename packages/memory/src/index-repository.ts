import { type Budget, isPartialClone } from '@palisade/workspace';
import { type IndexReport, PalisadeError } from '@palisade/contracts';
import { indexHistory } from './history/index-history.ts';
import { reconcile } from './history/reconcile.ts';
import { findRepository, type Repository, shallowCommits } from './repository/repository.ts';
import { stateOf, trackedFiles } from './repository/work-tree.ts';
import { countable, countFiles, recountable } from './signals/file-figures.ts';
import { readFact, readHeads, writeFact } from './store/facts.ts';
import type { MemoryDatabase } from './store/memory-database.ts';
import { openRepositoryDatabase } from './store/repository-database.ts';
import { indexLinks } from './structure/index-links.ts';
import { indexTree } from './structure/index-tree.ts';

export interface IndexOptions {
  readonly directory: string;
  readonly budget: Budget;
  /** Unix ms. */
  readonly now: number;
  /** Makes everything anew. */
  readonly rebuild?: boolean;
  readonly onProgress?: (what: string, count: number) => void;
}

/**
 * Brings the memory of the repository around a directory up to date: one transaction, so that whatever ends
 * the process leaves either the index before or the one after (WM-012, L-04). Errors: those of
 * {@link findRepository} and of the database; `requirements_unmet` before the first commit.
 */
export async function indexRepository(options: IndexOptions): Promise<IndexReport> {
  const repository = await findRepository(options.directory, options.budget);
  using database = openRepositoryDatabase(repository, {
    create: true,
    isThorough: options.rebuild === true,
  });
  return await database.write(() => indexed(repository, database, options), options.budget.signal);
}

async function indexed(
  repository: Repository,
  database: MemoryDatabase,
  { now, rebuild = false, onProgress }: IndexOptions,
): Promise<IndexReport> {
  // What git is asked takes longer by its number than by what it is: all at once.
  const [{ commit, branch, changes }, entries, cut, isPartial, unreachable] = await Promise.all([
    stateOf(repository),
    trackedFiles(repository),
    shallowCommits(repository),
    isPartialClone(repository.git),
    unreachableCommits(repository, readHeads(database)),
  ]);
  if (commit === null)
    throw new PalisadeError('requirements_unmet', 'the repository has no commit yet', {
      next: 'commit once: git add -A && git commit',
    });
  const shallow = [...cut].toSorted().join(' ');
  const partial = isPartial ? '1' : '0';
  const reason = rebuild
    ? 'asked for'
    : (reasonToRebuild(database, { shallow, partial }) ??
      (unreachable === undefined ? 'commits it was made of are gone from the repository' : undefined));
  const removed = reason === undefined ? forget(database, unreachable ?? []) : [];
  if (reason !== undefined) database.clearDerived();
  const heads = readHeads(database);
  const before = countable(database);
  // Both read at once; neither goes on when the transaction has ended.
  const [historyRead, treeRead] = await Promise.allSettled([
    indexHistory(repository, database, commit, heads, { cut, isPartial }, (count) =>
      onProgress?.('commits', count),
    ),
    indexTree(
      repository,
      database,
      { tracked: entries.filter(({ kind }) => kind === 'file'), changes },
      (count) => onProgress?.('files', count),
    ),
  ]);
  const history = valueOf(historyRead);
  const change = valueOf(treeRead);
  await indexLinks(repository, database, change);
  reconcile(database);
  countFiles(database, new Set([...removed, ...history.touched, ...recountable(database, before)]));
  writeFact(database, 'heads', JSON.stringify(await independent(repository, commit, heads, history.parents)));
  writeFact(database, 'shallow', shallow);
  writeFact(database, 'partial', partial);
  writeFact(database, 'indexed_at', String(now));
  writeFact(database, 'branch', branch ?? '');
  writeFact(database, 'commit', commit);
  writeFact(database, 'work_tree', repository.workTree);
  return {
    repo_root: repository.root,
    branch,
    ...countsOf(database),
    indexed_at: now,
    added_commits: history.commits,
    ...(reason === undefined || reason === '' ? {} : { rebuilt: reason }),
    notes: [
      ...(database.loss === undefined ? [] : [database.loss]),
      ...(cut.size === 0
        ? []
        : ['a shallow clone: what was before is not known; git fetch --unshallow brings it']),
      ...(isPartial
        ? [
            'a partial clone: what was renamed and changed at once counts as another file; git fetch --refetch --no-filter brings the contents',
          ]
        : []),
    ],
  };
}

function valueOf<T>(result: PromiseSettledResult<T>): T {
  if (result.status === 'rejected') throw result.reason;
  return result.value;
}

/** Empty when there was nothing before. */
function reasonToRebuild(
  database: MemoryDatabase,
  { shallow, partial }: Readonly<Record<'shallow' | 'partial', string>>,
): string | undefined {
  const before = readFact(database, 'shallow');
  if (before === undefined) return '';
  if (before !== shallow) return 'the depth of the clone has changed';
  return readFact(database, 'partial') === partial ? undefined : 'the clone has other contents than before';
}

/**
 * Commits of the index that no name and no work tree leads to any more, and after `-` those that they come after; undefined when
 * commits that others are known by are not in the repository.
 */
async function unreachableCommits(
  { git }: Repository,
  heads: readonly string[],
): Promise<readonly string[] | undefined> {
  const listed = await git.run(['rev-list', '--boundary', ...heads, '--not', '--all', 'HEAD'], {
    accept: [0, 128],
  });
  return listed.code === 0
    ? listed.stdout
        .toString('latin1')
        .split('\n')
        .filter((line) => line !== '')
    : undefined;
}

/** Takes out the commits that were rewritten. Returns the files concerned. */
function forget(database: MemoryDatabase, unreachable: readonly string[]): ReadonlySet<number> {
  const touched = new Set<number>();
  const left = new Set(readHeads(database));
  for (const sha of unreachable) {
    if (sha.startsWith('-')) {
      left.add(sha.slice(1));
      continue;
    }
    left.delete(sha);
    const id = database.get<{ id: number }>('SELECT id FROM commits WHERE sha = ?', sha)?.id;
    if (id === undefined) continue;
    for (const { file } of database.all<{ file: number }>('SELECT file FROM changes WHERE commit_id = ?', id))
      touched.add(file);
    database.run('DELETE FROM changes WHERE commit_id = ?', id);
    database.run('DELETE FROM commits WHERE id = ?', id);
  }
  writeFact(database, 'heads', JSON.stringify([...left]));
  return touched;
}

/** Without those that another one leads to. */
async function independent(
  { git }: Repository,
  commit: string,
  heads: readonly string[],
  parents: ReadonlySet<string>,
): Promise<readonly string[]> {
  const unique = [...new Set([commit, ...heads.filter((head) => !parents.has(head))])];
  if (unique.length < 2) return unique;
  return (await git.text(['merge-base', '--independent', ...unique]))
    .split('\n')
    .filter((line) => line !== '');
}

function countsOf(database: MemoryDatabase) {
  const count = (sql: string) => database.get<{ n: number }>(`SELECT ${sql}`)?.n ?? 0;
  return {
    commit_count: count('COUNT(*) AS n FROM commits'),
    file_count: count('COUNT(*) AS n FROM tree'),
    cochange_edge_count: count('COALESCE(SUM(neighbors), 0) AS n FROM files'),
    source_file_count: count('COUNT(*) AS n FROM tree WHERE structure IS NOT NULL'),
    import_link_count: count('COUNT(*) AS n FROM links'),
  };
}
