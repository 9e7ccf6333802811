import { PalisadeError } from '@palisade/contracts';
import { type MemoryDatabase, type OpenOptions, openMemoryDatabase } from './memory-database.ts';
import type { Schema } from './schema.ts';
import { type Env, userDataFile } from './user-data.ts';

/** A database that a user has one of, whatever the repository. */
export interface UserSchema extends Schema {
  /** Its name where the user's data is. */
  readonly file: string;
  /** The variable that names another absolute path. */
  readonly variable: string;
}

/** Opens it. To be disposed of. Errors: `invalid_input` where no directory is named, and those of {@link openMemoryDatabase}. */
export function openUserDatabase(env: Env, schema: UserSchema, options: OpenOptions): MemoryDatabase {
  const path = userDataFile(env, schema.variable, schema.file);
  if (path === undefined)
    throw new PalisadeError('invalid_input', `there is no home directory to keep ${schema.what} in`, {
      next: `set ${schema.variable} to an absolute path`,
    });
  return openMemoryDatabase(path, schema, options);
}
