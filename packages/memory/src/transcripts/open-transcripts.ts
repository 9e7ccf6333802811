import { PalisadeError } from '@palisade/contracts';
import { type MemoryDatabase, openMemoryDatabase } from '../store/memory-database.ts';
import { transcriptsPath } from './places.ts';
import { TRANSCRIPT_SCHEMA } from './store/tables.ts';

export interface OpenTranscriptsOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What only asks leaves no file where there was none. */
  readonly create?: boolean;
  /** Looks for damage first. */
  readonly isThorough?: boolean;
}

/** Opens the database of the user's transcripts. To be disposed of. Errors: those of {@link openMemoryDatabase}. */
export function openTranscripts({
  env,
  create = false,
  isThorough = false,
}: OpenTranscriptsOptions): MemoryDatabase {
  const path = transcriptsPath(env);
  if (path === undefined)
    throw new PalisadeError(
      'invalid_input',
      'there is no home directory to keep the index of transcripts in',
      {
        next: 'set PALISADE_TRANSCRIPTS_DB to an absolute path',
      },
    );
  return openMemoryDatabase(path, TRANSCRIPT_SCHEMA, { create, isThorough });
}
