import { lstatSync } from 'node:fs';
import { dirname } from 'node:path';
import { PalisadeError } from '@palisade/contracts';
import type { Repository } from '../repository/repository.ts';
import { type MemoryDatabase, type OpenOptions, openMemoryDatabase } from './memory-database.ts';
import { REPOSITORY_SCHEMA } from './tables.ts';

/**
 * Opens the database of a repository's memory. What lies in the repository may have come with it: no link is followed from there to
 * anything else. Errors: `unsafe_path`, and those of {@link openMemoryDatabase}.
 */
export function openRepositoryDatabase({ databasePath }: Repository, options: OpenOptions): MemoryDatabase {
  for (const path of [dirname(databasePath), ...['', '-wal', '-shm'].map((suffix) => databasePath + suffix)])
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true)
      throw new PalisadeError('unsafe_path', `${path} is a link`, {
        next: 'remove it: the index is made anew',
      });
  return openMemoryDatabase(databasePath, REPOSITORY_SCHEMA, options);
}
