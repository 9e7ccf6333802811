import { truncateText } from '@palisade/contracts';
import type { Repository } from '../repository/repository.ts';
import type { MemoryDatabase } from '../store/memory-database.ts';
import { keptText } from '../transcripts/store/kept-text.ts';
import { isBot, isFix } from './commit-kind.ts';
import { FileIdentities } from './file-identities.ts';
import { logArguments, type LoggedCommit, LogReader } from './log-reader.ts';

/** Of subjects, and of names and addresses of authors. */
const LINE_CHARS = 500;
const BODY_CHARS = 20_000;

/** What a clone lacks of its history. */
export interface Clone {
  /** Commits at which a shallow one ends; what they seem to add was there before. */
  readonly cut: ReadonlySet<string>;
  /** Contents may be missing. */
  readonly isPartial: boolean;
}

/** Ids of rows, by which the figures that depend on them are made. */
export interface IndexedHistory {
  readonly commits: number;
  /** Files whose figures may have changed. */
  readonly touched: ReadonlySet<number>;
  /** Of what was known before, the commits that one of the new ones comes right after. */
  readonly parents: ReadonlySet<string>;
}

/**
 * Adds the commits of `head` that are not there yet (D-01): those that its known ancestors do not lead to.
 * Within a transaction of `database`.
 *
 * @param known commits whose whole history is in the index
 * @param onProgress called with the number of commits read so far
 */
export async function indexHistory(
  repository: Repository,
  database: MemoryDatabase,
  head: string,
  known: readonly string[],
  { cut, isPartial }: Clone,
  onProgress: (commits: number) => void,
): Promise<IndexedHistory> {
  const identities = new FileIdentities(database);
  const authors = new Map<string, number>();
  const touched = new Set<number>();
  const before = new Set(known);
  const parents = new Set<string>();
  let commits = 0;
  const reader = new LogReader((commit) => {
    add(database, commit, cut.has(commit.sha), identities, authors, touched);
    for (const parent of commit.parents) if (before.has(parent)) parents.add(parent);
    commits++;
    if (commits % 500 === 0) onProgress(commits);
  });
  const revisions = [head, ...known.map((sha) => `^${sha}`)].join('\n');
  await repository.git.run([...logArguments(isPartial), '--stdin'], {
    input: Buffer.from(`${revisions}\n`),
    output: {
      writeFile: (piece) => {
        reader.push(piece);
        return Promise.resolve();
      },
    },
    maxOutput: Number.MAX_SAFE_INTEGER,
  });
  reader.end();
  onProgress(commits);
  return { commits, touched, parents };
}

function add(
  database: MemoryDatabase,
  commit: LoggedCommit,
  isCut: boolean,
  identities: FileIdentities,
  authors: Map<string, number>,
  touched: Set<number>,
): void {
  if (database.get('SELECT 1 AS found FROM commits WHERE sha = ?', commit.sha) !== undefined) return;
  const { sha, committedAt, subject, body, omitted, changes } = commit;
  const id = database.run(
    'INSERT INTO commits (sha, author, committed_at, subject, body, width, is_fix) VALUES (?, ?, ?, ?, ?, ?, ?)',
    sha,
    authorId(database, commit, authors),
    committedAt,
    keptText(subject, LINE_CHARS, body === '' ? omitted : 0),
    keptText(body, BODY_CHARS, body === '' ? 0 : omitted),
    isCut ? 0 : changes.length,
    isFix(subject) ? 1 : 0,
  );
  for (const change of changes) {
    const file = identities.take(change);
    touched.add(file);
    if (isCut) continue;
    database.run('INSERT OR IGNORE INTO changes (file, commit_id) VALUES (?, ?)', file, id);
  }
}

function authorId(database: MemoryDatabase, commit: LoggedCommit, authors: Map<string, number>): number {
  const email = truncateText(commit.authorEmail.toLowerCase(), LINE_CHARS);
  let id = authors.get(email);
  if (id === undefined) {
    id = database.get<{ id: number }>('SELECT id FROM authors WHERE email = ?', email)?.id;
    id ??= database.run(
      'INSERT INTO authors (name, email, is_bot) VALUES (?, ?, ?)',
      truncateText(commit.authorName, LINE_CHARS),
      email,
      isBot(email) ? 1 : 0,
    );
    authors.set(email, id);
  }
  return id;
}
