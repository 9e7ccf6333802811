import { hostname } from 'node:os';
import { isPalisadeError } from '@palisade/contracts';
import {
  type Change,
  type Console,
  claimedRepository,
  consoleOf,
  type KnownSession,
  openConsole,
  type Party,
  partyNamed,
  SESSION_VARIABLE,
  sessionNamed,
  transcriptKeys,
} from '@palisade/memory';
import { budgetOf } from '@palisade/workspace';
import type { Invocation } from '../invocation.ts';
import { outcome } from '../output/outcome.ts';
import { UsageError } from '../tree/usage-error.ts';
import { userPath } from '../user-path.ts';

/** Questions to git. */
const REPOSITORY_MS = 60_000;

/** What sessions tell each other, for as long as `body` takes; what only asks makes no file. */
export async function withConsole<T>(
  { env, interrupted }: Invocation,
  body: (console: Console) => T | Promise<T>,
  { create = false }: { create?: boolean } = {},
): Promise<T> {
  using database = openConsole({ env, create });
  return await body(consoleOf(database, hostname(), interrupted));
}

/** The same for a change, which makes the file unless it is only rehearsed. */
export function withConsoleToChange<T>(
  invocation: Invocation,
  body: (console: Console) => T | Promise<T>,
): Promise<T> {
  return withConsole(invocation, body, { create: !invocation.isDryRun });
}

/** How a change is asked for, of everything that decides what it does. */
export function changeOf(
  { idempotencyKey, isKeyGiven, isDryRun: isRehearsal }: Invocation,
  ...request: readonly unknown[]
): Change {
  return { idempotencyKey: isKeyGiven ? idempotencyKey : undefined, isRehearsal, request };
}

/** Lines that tell of something a change has made, or would make. */
export function changedLines(
  invocation: Invocation,
  verb: string,
  [first = '', ...rest]: readonly string[],
): readonly string[] {
  return [`${outcome(invocation, verb)}${first}`, ...rest];
}

/** A session by what was written of it. */
export function sessionWritten(
  { env }: Invocation,
  console: Console,
  written: string,
  mayBeNew = false,
): KnownSession {
  return sessionNamed(console, written, () => transcriptKeys(env), mayBeNew);
}

/** The session that the command line is of: `--session`, or the one whose command it is part of; undefined without. */
export function ownSession(invocation: Invocation, console: Console): KnownSession | undefined {
  const flag = invocation.config.winner('session');
  const written = flag.source === 'flag' ? flag.value : invocation.env[SESSION_VARIABLE];
  return written === undefined || written === ''
    ? undefined
    : sessionWritten(invocation, console, written, true);
}

/** A {@link UsageError} where nobody says whose it is. */
export function neededSession(invocation: Invocation, console: Console): KnownSession {
  const session = ownSession(invocation, console);
  if (session !== undefined) return session;
  throw new UsageError('nothing says which session this is of', {
    next: 'add --session PROVIDER:ID; pal console list shows those that are known',
  });
}

/** Who speaks: as is written, or the session, or else the actor. */
export function partyOf(invocation: Invocation, console: Console, by?: string): Party {
  return partyNamed(ownSession(invocation, console), invocation.actor, by);
}

/** The repository around the directory, or around the one that is named, from which paths are written. */
export async function repositoryOf(invocation: Invocation, named?: string) {
  const directory = named === undefined ? invocation.directory : userPath(invocation.directory, named);
  const around = await claimedRepository(directory, budgetOf(REPOSITORY_MS, invocation.interrupted));
  return { ...around, directory };
}

/** The same, or undefined outside of one. */
export async function repositoryAround(invocation: Invocation) {
  try {
    return await repositoryOf(invocation);
  } catch (error) {
    if (isPalisadeError(error, 'not_found')) return undefined;
    throw error;
  }
}
