import { accessSync, closeSync, constants, lstatSync, openSync } from 'node:fs';
import { DEFAULT_PROJECT } from '@palisade/contracts';
import { errorName } from '../bounded-read.ts';
import type { Invocation } from '../invocation.ts';
import { journalDirectory, lockOf } from '../server/pending-changes.ts';
import { MutationJournal } from '../server/mutation-journal.ts';
import { DEFAULT_SESSION, sessionName, stateDirectory } from '../server/state-directory.ts';
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
  const journal = journalDirectory({ stateDirectory: directory, origin, project, session });
  checks.push(...(await pendingIn(journal, session)));
  const lock = lockOf(journal);
  if (lstatSync(lock, { throwIfNoEntry: false }) === undefined)
    return [...checks, { name: 'lock file', result: 'ok', detail: `${lock}  not there yet` }];
  const opened = attempt('lock file', lock, () => closeSync(openSync(lock, 'r+')));
  return [...checks, opened, ...(opened.result === 'ok' ? [await taken(lock, session)] : [])];
}

/** Read beside whoever has it open, and without leaving anything. */
async function pendingIn(journal: string, session: string): Promise<DoctorCheck[]> {
  const next = session === DEFAULT_SESSION ? 'pal retry' : `pal retry --session ${session}`;
  const told = (detail: string): DoctorCheck[] => [{ name: 'pending', result: 'warn', detail, next }];
  try {
    const tool = await MutationJournal.pendingTool(journal);
    if (tool === undefined) return [];
    return told(
      `it is not known yet what became of ${tool}, and nothing else is changed before that is known`,
    );
  } catch (error) {
    return told(`${journal} cannot be read (${errorName(error)})`);
  }
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
