import { closeSync, openSync } from 'node:fs';
import { PalisadeError } from '@palisade/contracts';
import type { Database, ReadTx, WriteOptions, WriteTx } from '../database.ts';
import {
  type AppliedMigration,
  type Migration,
  migrationChecksum,
  MIGRATIONS_TABLE,
  pendingMigrations,
} from '../migration.ts';
import { withImmutableTables } from '../immutable-tables.ts';
import type { ResolvedOptions } from '../options.ts';
import { pause, PATIENCE_MS } from '../patience.ts';
import { ProtectedClock } from '../protected-clock.ts';
import { SqliteCheckpoints } from './sqlite-checkpoints.ts';
import { SqliteConnection } from './sqlite-connection.ts';
import { fromSqlite, isSqliteBusy, refuseCutOff, refuseIrregular } from './sqlite-errors.ts';
import { SqliteReaders } from './sqlite-readers.ts';
import { SqliteWriter } from './sqlite-writer.ts';

const POLL_MS = 25;

/*
 * synchronous=FULL: an acknowledged commit survives power loss. The log is checkpointed by us between
 * units of work (sqlite-checkpoints.ts); SQLite's own trigger, which runs inside a caller's commit, is
 * only the upper bound for bursts. journal_size_limit gives the disk back after a burst. With a page cache of 16 MB instead of the 2 MB
 * that SQLite starts with, a twelfth to a sixth more two-step runs a second were measured: a step touches about 20 pages all over the file.
 */
const WRITER_PRAGMAS = [
  'PRAGMA journal_mode = WAL',
  'PRAGMA synchronous = FULL',
  'PRAGMA wal_autocheckpoint = 8000',
  'PRAGMA journal_size_limit = 67108864',
  'PRAGMA cache_size = -16384',
];

/** The protected clock's stored value, one row (protected-clock.ts). */
export const CLOCK_MIGRATION: Migration = {
  id: 'kernel/sqlite-0001-clock',
  sql: `
CREATE TABLE kernel_clock (
  id BIGINT NOT NULL PRIMARY KEY,
  now BIGINT NOT NULL
);
INSERT INTO kernel_clock (id, now) VALUES (1, 0);
`,
};

/** SQLite in one file: one writer loop, a few snapshot readers. */
export class SqliteDatabase implements Database {
  readonly dialect = 'sqlite';
  readonly isReadOnly = false;
  readonly #connection: SqliteConnection;
  readonly #writer: SqliteWriter;
  readonly #readers: SqliteReaders;
  readonly #listeners = new Set<() => void>();
  readonly #options: ResolvedOptions;
  #poll: NodeJS.Timeout | undefined;
  #version = 0;
  #closed = false;

  private constructor(connection: SqliteConnection, options: ResolvedOptions) {
    this.#connection = connection;
    this.#options = options;
    this.#readers = new SqliteReaders(() => new SqliteConnection(options.url, { readOnly: true }));
    this.#writer = new SqliteWriter(
      connection,
      new ProtectedClock(
        options.wallClock,
        // Where a clock that went back is an incident, time stands still until the clock has caught up.
        options.injectedClock || options.pausesOnRollback ? undefined : () => performance.now(),
      ),
      new SqliteCheckpoints(connection, options.url, options.onWarning),
      options,
    );
  }

  /** Opens or creates the file (readable by its owner only) and brings its schema up to date. */
  static async open(options: ResolvedOptions): Promise<SqliteDatabase> {
    let connection: SqliteConnection | undefined;
    try {
      refuseIrregular(options.url);
      refuseCutOff(options.url);
      // SQLite gives its -wal and -shm files the mode of the database file.
      closeSync(openSync(options.url, 'a', 0o600));
      connection = new SqliteConnection(options.url, { readOnly: false });
      for (const pragma of WRITER_PRAGMAS) await patiently(connection, pragma);
      await migrate(connection, options);
      return new SqliteDatabase(connection, options);
    } catch (error) {
      connection?.close();
      throw fromSqlite(error);
    }
  }

  async read<T>(body: (tx: ReadTx) => Promise<T>): Promise<T> {
    this.#checkOpen();
    return this.#readers.read(body);
  }

  async write<T>(body: (tx: WriteTx) => Promise<T>, options?: WriteOptions): Promise<T> {
    this.#checkOpen();
    return this.#writer.write(body, options);
  }

  /** Compares the writer's own `data_version`, which other connections' commits change and ours do not. */
  onForeignCommit(listener: () => void): () => void {
    this.#checkOpen();
    const entry = (): void => listener();
    this.#listeners.add(entry);
    if (this.#poll === undefined) {
      this.#version = this.#dataVersion();
      this.#poll = setInterval(() => this.#look(), POLL_MS);
      this.#poll.unref();
    }
    return () => {
      this.#listeners.delete(entry);
      if (this.#listeners.size === 0) this.#stopPolling();
    };
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#stopPolling();
    await this.#writer.idle();
    await this.#readers.close();
    this.#connection.close();
  }

  #checkOpen(): void {
    if (this.#closed) throw new PalisadeError('internal', 'the database is closed');
  }

  #dataVersion(): number {
    try {
      return (this.#connection.get('PRAGMA data_version', []) as { data_version: number }).data_version;
    } catch {
      // Somebody recovers or closes the file at this moment: look again at the next tick.
      return this.#version;
    }
  }

  #look(): void {
    const version = this.#dataVersion();
    if (version === this.#version) return;
    this.#version = version;
    for (const listener of this.#listeners) {
      try {
        listener();
      } catch (error) {
        this.#options.onFault(error);
      }
    }
  }

  #stopPolling(): void {
    clearInterval(this.#poll);
    this.#poll = undefined;
  }
}

/** One script, waiting out other processes that are opening, recovering or writing the same file. */
async function patiently(connection: SqliteConnection, sql: string): Promise<void> {
  const until = performance.now() + PATIENCE_MS;
  for (let attempt = 0; ; attempt++) {
    try {
      connection.script(sql);
      return;
    } catch (error) {
      if (!isSqliteBusy(error) || performance.now() > until) throw error;
    }
    await pause(attempt, 16);
  }
}

/** All pending steps in one transaction under the writer lock: concurrent openers apply each exactly once. */
async function migrate(connection: SqliteConnection, options: ResolvedOptions): Promise<void> {
  await patiently(connection, 'BEGIN IMMEDIATE');
  try {
    connection.script(MIGRATIONS_TABLE);
    const applied = connection.all('SELECT id, checksum FROM kernel_migrations', []);
    for (const migration of pendingMigrations(
      [CLOCK_MIGRATION, ...options.migrations],
      applied as unknown as AppliedMigration[],
    )) {
      const sql = migration.sql.replaceAll('/* clustered */', 'WITHOUT ROWID');
      connection.script(withImmutableTables(sql, 'sqlite'));
      connection.run('INSERT INTO kernel_migrations (id, checksum, applied_at) VALUES (?, ?, ?)', [
        migration.id,
        migrationChecksum(migration),
        options.wallClock(),
      ]);
    }
    connection.script('COMMIT');
  } catch (error) {
    if (connection.inTransaction) connection.script('ROLLBACK');
    throw error;
  }
}
