import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PalisadeError } from '@palisade/contracts';
import type { AppliedRecord } from '@palisade/workspace';
import { errorName } from '../read-input.ts';

/** Where what was applied of a run is remembered, so that it can be taken back. */
export function recordFile(projectDirectory: string, run: string): string {
  return join(projectDirectory, '.palisade', 'applied', `${run}.json`);
}

/** Stores the record; written before the files change, so that even a killed application can be reverted. */
export function storeRecord(projectDirectory: string, run: string, record: AppliedRecord): string {
  const file = recordFile(projectDirectory, run);
  mkdirSync(join(projectDirectory, '.palisade', 'applied'), { recursive: true, mode: 0o700 });
  const temporary = `${file}.${process.pid}.tmp`;
  writeFileSync(temporary, JSON.stringify(record), { flag: 'wx', mode: 0o600, flush: true });
  renameSync(temporary, file);
  return file;
}

/** Reads a record back; `not_found` when nothing of the run was applied here. */
export function readRecord(projectDirectory: string, run: string): AppliedRecord {
  const file = recordFile(projectDirectory, run);
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as AppliedRecord;
  } catch (error) {
    if (errorName(error) === 'ENOENT')
      throw new PalisadeError('not_found', `nothing of ${run} is applied here`, { next: `pal apply ${run}` });
    throw new PalisadeError('integrity_mismatch', `the record ${file} cannot be read`, { cause: error });
  }
}

/** Forgets a record after its changes were taken back. */
export function forgetRecord(projectDirectory: string, run: string): void {
  rmSync(recordFile(projectDirectory, run), { force: true });
}

/** True when something of the run is applied here. */
export function hasRecord(projectDirectory: string, run: string): boolean {
  try {
    readFileSync(recordFile(projectDirectory, run));
    return true;
  } catch {
    return false;
  }
}
