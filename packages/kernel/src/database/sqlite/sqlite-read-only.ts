import { PalisadeError } from '@palisade/contracts';
import type { Database, ReadTx } from '../database.ts';
import { type AppliedMigration, pendingMigrations } from '../migration.ts';
import type { ResolvedOptions } from '../options.ts';
import { SqliteConnection } from './sqlite-connection.ts';
import { CLOCK_MIGRATION } from './sqlite-database.ts';
import { fromSqlite } from './sqlite-errors.ts';
import { SqliteReaders } from './sqlite-readers.ts';

/**
 * A database on a full disk that no process has open. A connection normally needs a file for the
 * wal-index, which cannot be made there; with the file locked for itself it keeps the index in memory.
 * So it lets nobody else in while it lives: for one command's reads, not for a server.
 */
export class SqliteReadOnly implements Database {
  readonly dialect = 'sqlite';
  readonly isReadOnly = true;
  readonly #readers: SqliteReaders;

  private constructor(readers: SqliteReaders) {
    this.#readers = readers;
  }

  /** Raises `storage_full` when the schema is not the program's: bringing it up to date would be writing. */
  static async open(options: ResolvedOptions): Promise<SqliteReadOnly> {
    const database = new SqliteReadOnly(
      new SqliteReaders(() => {
        const connection = new SqliteConnection(options.url, { readOnly: false });
        connection.script('PRAGMA locking_mode = EXCLUSIVE');
        return connection;
      }, 1),
    );
    try {
      const applied = await database.read((tx) =>
        tx.sql.all<AppliedMigration & Record<string, string>>('SELECT id, checksum FROM kernel_migrations'),
      );
      if (pendingMigrations([CLOCK_MIGRATION, ...options.migrations], applied).length > 0) throw full();
      return database;
    } catch (error) {
      await database.close();
      throw fromSqlite(error);
    }
  }

  read<T>(body: (tx: ReadTx) => Promise<T>): Promise<T> {
    return this.#readers.read(body);
  }

  write(): Promise<never> {
    return Promise.reject(full());
  }

  /** Nobody else can commit meanwhile. */
  onForeignCommit(): () => void {
    return () => {};
  }

  close(): Promise<void> {
    return this.#readers.close();
  }
}

function full(): PalisadeError {
  return new PalisadeError('storage_full', 'the disk of the database is full: it can only be read', {
    next: 'free space, then try again',
  });
}
