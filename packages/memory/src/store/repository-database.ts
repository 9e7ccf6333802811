import type { Repository } from '../repository/repository.ts';
import { type MemoryDatabase, type OpenOptions, openMemoryDatabase } from './memory-database.ts';
import { REPOSITORY_SCHEMA } from './tables.ts';

/** Opens the database of a repository's memory. Errors: those of {@link openMemoryDatabase}. */
export function openRepositoryDatabase({ databasePath }: Repository, options: OpenOptions): MemoryDatabase {
  return openMemoryDatabase(databasePath, REPOSITORY_SCHEMA, options);
}
