import type { MemoryDatabase } from '../store/memory-database.ts';
import { openUserDatabase } from '../store/user-database.ts';
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
  return openUserDatabase(env, TRANSCRIPT_SCHEMA, { create, isThorough });
}
