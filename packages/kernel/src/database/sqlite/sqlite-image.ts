import { DatabaseSync, type DatabaseSyncOptions } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { PalisadeError } from '@palisade/contracts';
import type { Database, ReadTx } from '../database.ts';
import { kernelMigrations } from '../kernel-migrations.ts';
import {
  type AppliedMigration,
  assertKnownPrefix,
  type Migration,
  type MigrationLevel,
  migrationLevel,
} from '../migration.ts';
import { SqliteConnection } from './sqlite-connection.ts';
import { CLOCK_MIGRATION } from './sqlite-database.ts';
import { fromSqlite } from './sqlite-errors.ts';
import { SqliteReaders } from './sqlite-readers.ts';

const BUSY_TIMEOUT_MS = 30_000;

/** What a database file holds, without anything but that file. */
export interface ImageFacts {
  /** As stored, ms; see `ProtectedClock`. */
  readonly protectedTime: number;
  readonly level: MigrationLevel;
}

/**
 * Writes one moment of a database that others go on writing to into `target`, which must be absent or empty (AO-185). `VACUUM INTO` reads under one
 * snapshot, so writers neither wait for it nor disturb it; SQLite's online backup begins anew whenever another process commits, and would
 * not end on a busy installation. Blocks this thread. The target is not synced yet.
 */
export function writeImage(source: string, target: string): void {
  const options = { readOnly: true, timeout: BUSY_TIMEOUT_MS };
  withFile(source, options, (database) => database.prepare('VACUUM main INTO ?').run(target));
}

function withFile<T>(path: string, options: DatabaseSyncOptions, use: (database: DatabaseSync) => T): T {
  try {
    const database = new DatabaseSync(path, options);
    try {
      return use(database);
    } finally {
      database.close();
    }
  } catch (error) {
    throw fromSqlite(error);
  }
}

/** An image to be read, on whatever medium: nothing is written, no log or index is made or taken in beside it, and `write` is refused. */
export function openImage(path: string): Database {
  const url = pathToFileURL(path);
  url.searchParams.set('immutable', '1');
  return onlyRead(url.href);
}

/** A database file that others go on writing to, to be read whatever its schema is; `write` is refused. */
export function openToRead(path: string): Database {
  return onlyRead(path);
}

/** About how many bytes an image of the database takes, as it is now. */
export async function estimateImage(database: Database): Promise<number> {
  return database.read(async (tx) => {
    const pages = await tx.sql.get<{ page_count: number }>('PRAGMA page_count');
    const size = await tx.sql.get<{ page_size: number }>('PRAGMA page_size');
    return (pages?.page_count ?? 0) * (size?.page_size ?? 0);
  });
}

function onlyRead(place: string): Database {
  const readers = new SqliteReaders(() => new SqliteConnection(place, { readOnly: true }));
  return {
    dialect: 'sqlite',
    isReadOnly: true,
    read: (body) => readers.read(body),
    write: () => Promise.reject(new PalisadeError('internal', 'this database is only read')),
    onForeignCommit: () => () => {},
    close: () => readers.close(),
  };
}

/**
 * Checks an image (AO-189): its pages, its foreign keys, and that its schema is one that this program had at some time. `rooms` are the
 * migrations of each room, in order. Raises `integrity_mismatch`, `database_newer` and `migration_changed`.
 */
export async function checkImage(
  database: Database,
  rooms: readonly (readonly Migration[])[],
): Promise<ImageFacts> {
  return database.read(async (tx) => {
    const [first] = await tx.sql.all<Record<string, string>>('PRAGMA integrity_check(1)');
    const said = Object.values(first ?? {})[0];
    if (said !== 'ok') throw unsound('its pages do not fit together');
    if ((await tx.sql.all('PRAGMA foreign_key_check')).length > 0)
      throw unsound('rows refer to rows that are not there');
    const known = [[CLOCK_MIGRATION], kernelMigrations, ...rooms];
    const applied = await appliedMigrations(tx);
    assertKnownPrefix(known, applied);
    const clock = await tx.sql.get<{ now: number }>('SELECT now FROM kernel_clock WHERE id = 1');
    if (clock === undefined) throw unsound('it has no clock');
    return { protectedTime: clock.now, level: migrationLevel(known, applied) };
  });
}

/** Lets protected time of a database that nobody has open go on from `ms` at the earliest. */
export function raiseStoredClock(path: string, ms: number): void {
  withFile(path, {}, (database) =>
    database.prepare('UPDATE kernel_clock SET now = max(now, ?) WHERE id = 1').run(ms),
  );
}

/** Moves what is in the log of a database that nobody has open into its file. */
export function settleDatabase(path: string): void {
  withFile(path, {}, (database) => database.exec('PRAGMA wal_checkpoint(TRUNCATE)'));
}

function appliedMigrations(tx: ReadTx): Promise<AppliedMigration[]> {
  return tx.sql.all<AppliedMigration & Record<string, string>>('SELECT id, checksum FROM kernel_migrations');
}

function unsound(why: string): PalisadeError {
  return new PalisadeError('integrity_mismatch', 'the image of the database is damaged', { why });
}
