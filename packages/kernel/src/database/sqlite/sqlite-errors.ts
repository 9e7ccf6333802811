import { statSync } from 'node:fs';
import { PalisadeError } from '@palisade/contracts';

const BUSY = 5;
const LOCKED = 6;
const IOERR = 10;
const CORRUPT = 11;
const FULL = 13;
const NOTADB = 26;
/** SQLITE_IOERR_SHMSIZE: the wal-index could not grow, which in practice is a full disk. */
const IOERR_SHMSIZE = 4874;

function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number')
    return undefined;
  return error.errcode;
}

/** True when another connection holds a lock that will be free again. */
export function isSqliteBusy(error: unknown): boolean {
  const code = resultCode(error);
  return code !== undefined && ((code & 0xff) === BUSY || (code & 0xff) === LOCKED);
}

/** SQLite's error as ours. The text of a statement's values is never part of it. */
export function fromSqlite(error: unknown): unknown {
  const code = resultCode(error);
  if (code === undefined) return error;
  const primary = code & 0xff;
  if (primary === FULL || code === IOERR_SHMSIZE)
    return new PalisadeError('storage_full', 'the database cannot grow: its disk or size limit is full', {
      cause: error,
      next: 'free space, then try again',
    });
  if (primary === BUSY || primary === LOCKED)
    return new PalisadeError('database_busy', 'another process holds the database', { cause: error });
  if (primary === CORRUPT || primary === NOTADB) return damaged(error);
  return new PalisadeError(
    'internal',
    primary === IOERR ? `the database file failed (SQLite ${code})` : `a statement failed (SQLite ${code})`,
    { cause: error },
  );
}

/** The file is not what SQLite wrote. */
function damaged(cause: unknown): PalisadeError {
  return new PalisadeError('integrity_mismatch', 'the database file is damaged', {
    next: 'stop what uses it, then put a backup of the whole .palisade directory in its place',
    cause,
  });
}

/** Refuses what is no file, or a link to one: opening a pipe waits for whoever is at its other end, for ever and deaf to signals. */
export function refuseIrregular(path: string): void {
  for (const file of [path, `${path}-wal`, `${path}-shm`, `${path}-journal`])
    if (statSync(file, { throwIfNoEntry: false })?.isFile() === false)
      throw new PalisadeError('integrity_mismatch', `${file} is no regular file`, {
        next: 'take it away; if the database was there, put a backup of the whole .palisade directory in its place',
      });
}

/**
 * Refuses a file that was cut to nothing while it was in use, which only its log and index beside it tell.
 * SQLite would take it for a new one, remove the log with all that is left, and be busy for ever.
 */
export function refuseCutOff(path: string): void {
  const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (sizeOf(path) === 0 && sizeOf(`${path}-wal`) + sizeOf(`${path}-shm`) > 0) throw damaged(undefined);
}
