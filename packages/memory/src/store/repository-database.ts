import { dirname } from 'node:path';
import { hideFromGit } from '@palisade/workspace';
import type { Repository } from '../repository/repository.ts';
import { type MemoryDatabase, type OpenOptions, openMemoryDatabase } from './memory-database.ts';
import { REPOSITORY_SCHEMA } from './tables.ts';

/** Opens the database of a repository's memory, in a folder that git never sees. */
export async function openRepositoryDatabase(
  { databasePath }: Repository,
  options: OpenOptions,
): Promise<MemoryDatabase> {
  if (options.create) await hideFromGit(dirname(databasePath));
  return openMemoryDatabase(databasePath, REPOSITORY_SCHEMA, options);
}
