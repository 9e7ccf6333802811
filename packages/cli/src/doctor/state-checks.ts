import { accessSync, closeSync, constants, lstatSync, openSync } from 'node:fs';
import { DEFAULT_PROJECT } from '@palisade/contracts';
import { errorName } from '../bounded-read.ts';
import type { Invocation } from '../invocation.ts';
import { journalDirectory, lockOf } from '../server/pending-changes.ts';
import { sessionName, stateDirectory } from '../server/state-directory.ts';
import type { DoctorCheck } from './check.ts';

const BUSY = 5;

/**
 * The directory of pending changes and the lock of this session, each step by itself. A lock file that is there says nothing: only that it
 * cannot be taken does (AO-036).
 */
export async function stateChecks(
  { config, env }: Invocation,
  origin: string | undefined,
  project: string = config.get('project') ?? DEFAULT_PROJECT,
): Promise<DoctorCheck[]> {
  let directory: string;
  let session: string;
  try {
    directory = stateDirectory(config.get('state_dir'), env);
    session = sessionName(config.get('session'));
  } catch (error) {
    return [
      { name: 'state', result: 'fail', detail: error instanceof Error ? error.message : 'unknown fault' },
    ];
  }
  if (lstatSync(directory, { throwIfNoEntry: false }) === undefined)
    return [{ name: 'state', result: 'ok', detail: `${directory}  not there yet` }];
  const checks: DoctorCheck[] = [
    { name: 'state', result: 'ok', detail: directory },
    attempt('readable', directory, () =>
      accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK),
    ),
  ];
  if (origin === undefined) return checks;
  const lock = lockOf(journalDirectory({ stateDirectory: directory, origin, project, session }));
  if (lstatSync(lock, { throwIfNoEntry: false }) === undefined)
    return [...checks, { name: 'lock file', result: 'ok', detail: `${lock}  not there yet` }];
  const opened = attempt('lock file', lock, () => closeSync(openSync(lock, 'r+')));
  return [...checks, opened, ...(opened.result === 'ok' ? [await taken(lock, session)] : [])];
}

function attempt(name: string, path: string, work: () => void): DoctorCheck {
  try {
    work();
    return { name, result: 'ok', detail: path };
  } catch (error) {
    return { name, result: 'fail', detail: `${path} (${errorName(error)})` };
  }
}

async function taken(lock: string, session: string): Promise<DoctorCheck> {
  const name = 'lock';
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(lock, { timeout: 0 });
  try {
    database.exec('BEGIN EXCLUSIVE');
    return { name, result: 'ok', detail: `free  session ${session}` };
  } catch (error) {
    const { errcode } = error as { errcode?: unknown };
    return errcode === BUSY
      ? { name, result: 'warn', detail: `another command of session ${session} sends a change` }
      : { name, result: 'fail', detail: `it cannot be taken (SQLite ${String(errcode)})` };
  } finally {
    database.close();
  }
}
