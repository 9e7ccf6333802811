import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { errorName } from '../bounded-read.ts';
import { UsageError } from '../tree/usage-error.ts';
import { baseDirectory } from '../user-path.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** What this program keeps there. */
export const PENDING = 'pending';
export const SESSIONS = 'sessions';
export const JOBS = 'jobs';
const OWN: ReadonlySet<string> = new Set([PENDING, SESSIONS, JOBS]);

/** The state directory that nobody has to name. */
function usual(env: Env): string {
  const home = baseDirectory(env['HOME'] ?? homedir());
  const root =
    (process.platform === 'win32' ? baseDirectory(env['LOCALAPPDATA']) : undefined) ??
    baseDirectory(env['XDG_STATE_HOME']) ??
    (home === undefined ? undefined : join(home, '.local', 'state'));
  if (root === undefined) throw new UsageError('there is no home directory to keep state in');
  return join(root, 'palisade');
}

/**
 * Where changes are kept whose outcome is not known; `named` is the one that the user names. Nothing is made or changed here. Raises a
 * UsageError for a path that is relative or a root of the file system, for a link, for a directory that is somebody else's or open to
 * others, and for one that holds anything else: it would be taken for ours (AO-035).
 */
export function stateDirectory(named: string | undefined, env: Env): string {
  const directory = named ?? usual(env);
  if (!isAbsolute(directory)) throw new UsageError('the state directory must be an absolute path');
  if (dirname(directory) === directory)
    throw new UsageError('the state directory may not be the root of a file system');
  const facts = lstatSync(directory, { throwIfNoEntry: false });
  if (facts === undefined) return directory;
  if (!facts.isDirectory()) throw new UsageError(`${directory} is a link, or no directory`);
  if (process.platform !== 'win32') {
    if (facts.uid !== process.getuid?.()) throw new UsageError(`${directory} belongs to somebody else`);
    if ((facts.mode & 0o077) !== 0)
      throw new UsageError(`others can reach ${directory}`, { next: `chmod 700 ${directory}` });
  }
  if (readdirSync(directory).some((name) => !OWN.has(name)))
    throw new UsageError(`${directory} holds something else than state`, {
      next: 'give a directory of its own with --state-dir',
    });
  return directory;
}

export const DEFAULT_SESSION = 'default';

/** The name of a session, which also names files. Raises a UsageError for what no system could have as one (AO-033). */
export function sessionName(name: string = DEFAULT_SESSION): string {
  if (/^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9_-])?$/.test(name)) return name;
  throw new UsageError('a session is named by 1 to 64 of letters, digits and . _ -');
}

/** Tells places apart whose names no file system would: whatever differs, also in case alone, has another one. */
export function placeDigest({
  origin,
  project,
  session,
}: Readonly<Record<'origin' | 'project' | 'session', string>>): string {
  return createHash('sha256')
    .update(JSON.stringify([origin, project, session]))
    .digest('hex')
    .slice(0, 16);
}

/** Makes the part of a state directory for changes, where it is not there yet. */
export function makePendingDirectory(directory: string): void {
  const pending = join(directory, PENDING);
  try {
    mkdirSync(pending, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new UsageError(`${pending} cannot be made (${errorName(error)})`);
  }
  if (!lstatSync(pending).isDirectory()) throw new UsageError(`${pending} is no directory`);
}
