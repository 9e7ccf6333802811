import type { MemoryDatabase } from '../store/memory-database.ts';
import { isPlumbing } from './commit-kind.ts';
import type { LoggedChange } from './log-reader.ts';

interface FileRow {
  readonly id: number;
  path: string;
  isGone: boolean;
}

/**
 * Which file a name of the history is: a file keeps its identity when it is renamed, and its old names
 * go on to mean it until something else is made under them (FF-157, D-01). Commits are told in an order
 * in which parents come first; of two branches one comes before the other, so a name that has moved away on
 * the one may still be changed by the other.
 */
export class FileIdentities {
  readonly #database: MemoryDatabase;
  readonly #known = new Map<string, FileRow>();
  readonly #rows = new Map<number, FileRow>();

  constructor(database: MemoryDatabase) {
    this.#database = database;
  }

  /** The file that a change is of, after it. */
  take({ kind, path, from }: LoggedChange): number {
    if (kind === 'renamed' && from !== undefined) {
      const file = this.#named(from) ?? this.#make(from);
      this.#replace(path, file);
      this.#update(file, path, false);
      this.#name(path, file);
      return file.id;
    }
    let file = this.#named(path);
    // A new thing under a name that has moved away is another file.
    if (file === undefined || (kind === 'added' && file.path !== path && !file.isGone))
      file = this.#make(path);
    if (kind === 'deleted') {
      if (file.path === path) this.#update(file, path, true);
    } else if (file.isGone) this.#update(file, path, false);
    return file.id;
  }

  /** What was there under the name is gone. */
  #replace(path: string, by: FileRow): void {
    const before = this.#named(path);
    if (before !== undefined && before !== by && before.path === path) this.#update(before, path, true);
  }

  #named(path: string): FileRow | undefined {
    const known = this.#known.get(path);
    if (known !== undefined) return known;
    const row = this.#database.get<{ id: number; path: string; is_gone: number }>(
      'SELECT id, files.path AS path, is_gone FROM names JOIN files ON id = file WHERE names.path = ?',
      path,
    );
    if (row === undefined) return undefined;
    const file = this.#rows.get(row.id) ?? { id: row.id, path: row.path, isGone: row.is_gone === 1 };
    this.#rows.set(file.id, file);
    this.#known.set(path, file);
    return file;
  }

  #make(path: string): FileRow {
    const id = this.#database.run(
      'INSERT INTO files (path, is_plumbing) VALUES (?, ?)',
      path,
      isPlumbing(path) ? 1 : 0,
    );
    const file = { id, path, isGone: false };
    this.#rows.set(id, file);
    this.#name(path, file);
    return file;
  }

  #name(path: string, file: FileRow): void {
    this.#known.set(path, file);
    this.#database.run(
      'INSERT INTO names (path, file) VALUES (?, ?) ON CONFLICT (path) DO UPDATE SET file = excluded.file',
      path,
      file.id,
    );
  }

  #update(file: FileRow, path: string, isGone: boolean): void {
    if (file.path === path && file.isGone === isGone) return;
    file.path = path;
    file.isGone = isGone;
    this.#database.run(
      'UPDATE files SET path = ?, is_gone = ?, is_plumbing = ? WHERE id = ?',
      path,
      isGone ? 1 : 0,
      isPlumbing(path) ? 1 : 0,
      file.id,
    );
  }
}
