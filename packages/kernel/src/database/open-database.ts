import { isPalisadeError } from '@palisade/contracts';
import type { Database } from './database.ts';
import { kernelMigrations } from './kernel-migrations.ts';
import type { DatabaseOptions, ResolvedOptions } from './options.ts';
import { SqliteDatabase } from './sqlite/sqlite-database.ts';
import { SqliteReadOnly } from './sqlite/sqlite-read-only.ts';

/**
 * Opens a database, creating it and bringing its schema up to date where needed. Raises
 * `database_newer`, `migration_changed`, `database_busy` (30 s of waiting were not enough) and
 * `storage_full`, and of PostgreSQL `requirements_unmet` for a database, user or right that is not there.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const resolved: ResolvedOptions = {
    url: options.url,
    migrations: [...kernelMigrations, ...(options.migrations ?? [])],
    wallClock: options.wallClock ?? Date.now,
    injectedClock: options.wallClock !== undefined,
    pausesOnRollback: options.pausesOnRollback === true,
    connections: options.connections ?? 8,
    onEvents: options.onEvents,
    onWarning: options.onWarning ?? ((message) => process.emitWarning(message, 'PalisadeDatabase')),
    onFault:
      options.onFault ??
      ((error) => process.emitWarning(error instanceof Error ? error : String(error), 'PalisadeDatabase')),
  };
  if (!/^postgres(ql)?:\/\//.test(options.url)) return openSqlite(resolved, options.readWhenFull === true);
  // Loaded only where it is used: a local control plane starts without it.
  const { PostgresDatabase } = await import('./postgres/postgres-database.ts');
  return await PostgresDatabase.open(resolved);
}

async function openSqlite(options: ResolvedOptions, readWhenFull: boolean): Promise<Database> {
  try {
    return await SqliteDatabase.open(options);
  } catch (error) {
    if (!readWhenFull || !isPalisadeError(error, 'storage_full')) throw error;
    return await SqliteReadOnly.open(options);
  }
}
