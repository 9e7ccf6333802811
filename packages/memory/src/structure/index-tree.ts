import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { posix } from 'node:path';
import { contentOf, fileFacts } from '../repository/file-content.ts';
import type { Repository } from '../repository/repository.ts';
import type { ChangedFile, TrackedFile } from '../repository/work-tree.ts';
import type { MemoryDatabase } from '../store/memory-database.ts';
import { goNames } from './go-names.ts';
import { type Language, languageOf } from './languages.ts';
import { MOST_BYTES } from './parse.ts';
import { pauses } from './pauses.ts';
import { scanImports } from './scan-imports.ts';
import { stemOf } from './test-file.ts';

/** What git says of a work tree. */
interface WorkTreeFiles {
  readonly tracked: readonly TrackedFile[];
  readonly changes: readonly ChangedFile[];
}

/** What is different about the tree since it was indexed before. */
export interface TreeChange {
  /** All files that are there now. */
  readonly paths: ReadonlySet<string>;
  /** Files whose content is new. */
  readonly changed: ReadonlySet<string>;
  /** Whether files came or went, so that any import may mean another file. */
  readonly isReshaped: boolean;
}

interface TreeRow {
  readonly [column: string]: string | number | null;
  readonly path: string;
  readonly oid: string;
  readonly structure: number | null;
}

/** One content that has to be read, and the files that have it. */
interface Unread {
  readonly oid: string;
  readonly language: Language;
  readonly paths: string[];
}

/**
 * Brings the files of the caller's work tree up to date; a content that was read once is not read again (D-02).
 * Within a transaction of `database`. What cannot be read is there without structure.
 */
export async function indexTree(
  repository: Repository,
  database: MemoryDatabase,
  files: WorkTreeFiles,
  onProgress: (files: number) => void,
): Promise<TreeChange> {
  const present = presentFiles(repository, files);
  const before = new Map(
    database.all<TreeRow>('SELECT path, oid, structure FROM tree').map((row) => [row.path, row]),
  );
  const changed = new Set<string>();
  const unread = new Map<string, Unread>();
  let isReshaped = false;
  for (const [path, oid] of present) {
    const known = before.get(path);
    before.delete(path);
    // What could not be read before may be there now.
    if (known?.oid === oid && (known.structure !== null || !isReadable(repository, path))) continue;
    if (known === undefined) isReshaped = true;
    if (known?.oid !== oid) changed.add(path);
    const language = languageOf(path);
    const structure = language === undefined ? null : knownStructure(database, oid, language);
    database.run(
      `INSERT INTO tree (path, folder, stem, oid, structure) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (path) DO UPDATE SET oid = excluded.oid, structure = excluded.structure`,
      path,
      posix.dirname(path),
      stemOf(path),
      oid,
      structure,
    );
    if (language === undefined || structure !== null) continue;
    const key = `${oid} ${language.name}`;
    const content = unread.get(key) ?? { oid, language, paths: [] };
    content.paths.push(path);
    unread.set(key, content);
  }
  for (const path of before.keys()) {
    isReshaped = true;
    database.run('DELETE FROM tree WHERE path = ?', path);
  }
  await readContents(repository, database, [...unread.values()], onProgress);
  if (changed.size > 0 || isReshaped)
    database.run(
      'DELETE FROM structures WHERE id NOT IN (SELECT structure FROM tree WHERE structure IS NOT NULL)',
    );
  return { paths: new Set(present.keys()), changed, isReshaped };
}

async function readContents(
  repository: Repository,
  database: MemoryDatabase,
  contents: readonly Unread[],
  onProgress: (files: number) => void,
): Promise<void> {
  let read = 0;
  const pause = pauses(repository.git.scope.budget);
  for (const { oid, language, paths } of contents) {
    await pause();
    const [path = ''] = paths;
    const content = contentOf(repository, path, MOST_BYTES)?.toString('utf8');
    if (content === undefined) continue;
    const names = language.name === 'go' ? goNames(content) : undefined;
    const id = database.run(
      'INSERT INTO structures (oid, language, imports, defines, uses) VALUES (?, ?, ?, ?, ?)',
      oid,
      language.name,
      JSON.stringify(scanImports(content, language.name)),
      (names?.defines ?? []).join(' '),
      (names?.uses ?? []).join(' '),
    );
    for (const each of paths) database.run('UPDATE tree SET structure = ? WHERE path = ?', id, each);
    if (++read % 200 === 0) onProgress(read);
  }
  onProgress(read);
}

/** Files and the ids of their contents as they lie there. */
function presentFiles(
  repository: Repository,
  { tracked, changes }: WorkTreeFiles,
): ReadonlyMap<string, string> {
  const hash = (tracked[0]?.oid.length ?? 0) > 40 ? 'sha256' : 'sha1';
  const present = new Map(tracked.map(({ path, oid }) => [path, oid]));
  for (const { path, isGone } of changes) {
    const facts = isGone ? undefined : fileFacts(repository, path);
    if (facts === undefined) present.delete(path);
    else present.set(path, changedId(repository, path, facts, hash));
  }
  return present;
}

/** Whether there is something that a structure could be read from. */
function isReadable(repository: Repository, path: string): boolean {
  const size = languageOf(path) === undefined ? undefined : fileFacts(repository, path)?.size;
  return size !== undefined && size <= MOST_BYTES;
}

function knownStructure(database: MemoryDatabase, oid: string, { name }: Language): number | null {
  return (
    database.get<{ id: number }>('SELECT id FROM structures WHERE oid = ? AND language = ?', oid, name)?.id ??
    null
  );
}

/** What a changed file is known by: its content as git names it, or what says that it has changed when it is not read. */
export function changedId(
  repository: Repository,
  path: string,
  { size, mtimeMs }: Stats,
  hash: 'sha1' | 'sha256',
): string {
  const content = contentOf(repository, path, MOST_BYTES);
  if (content === undefined) return `large:${size}:${mtimeMs}`;
  return createHash(hash).update(`blob ${content.length}\0`).update(content).digest('hex');
}
