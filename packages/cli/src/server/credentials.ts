import { lstatSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { originOf } from '@palisade/client';
import { withFileLock } from '@palisade/process';
import { parse, stringify } from 'smol-toml';
import { readRegularFile } from '../bounded-read.ts';
import { replacePrivateFile } from '../private-file.ts';
import { UsageError } from '../tree/usage-error.ts';
import { baseDirectory } from '../user-path.ts';
import { type ServerAccess, TOKEN_VARIABLE } from './server-caller.ts';

type Env = Readonly<Record<string, string | undefined>>;

interface Credential {
  /** Normalised. */
  readonly origin: string;
  readonly token: string;
}

const FILE_BYTES = 256 * 1024;

/** The user's credentials, one for each server: `[[credentials]]` with `origin` and `token` (AO-026). */
export function credentialsFile(env: Env): string {
  const home = baseDirectory(env['HOME'] ?? homedir());
  const root =
    baseDirectory(env['XDG_CONFIG_HOME']) ?? (home === undefined ? undefined : join(home, '.config'));
  if (root === undefined) throw new UsageError('there is no home directory to keep credentials in');
  return join(root, 'palisade', 'credentials.toml');
}

/**
 * The token for a server, which is named by its normalised origin. The environment's is taken only when the environment names that very
 * server too: a repository that names another one gets no token of it (AO-029). Undefined when there is none.
 */
export function tokenFor(origin: string, env: Env): string | undefined {
  return credentialFor(origin, env)?.token;
}

/** As {@link tokenFor}, with where it was found: a variable's name, or a file. */
export function credentialFor(origin: string, env: Env): ServerAccess | undefined {
  const { PALISADE_TOKEN: token = '', PALISADE_SERVER: server = '' } = env;
  if (token !== '' && server !== '' && originOf(server) === origin)
    return { origin, token, where: TOKEN_VARIABLE };
  const file = credentialsFile(env);
  const found = readCredentials(file).find((each) => each.origin === origin);
  return found === undefined ? undefined : { origin, token: found.token, where: file };
}

/** Every server that a token is kept for, by its origin. */
export function keptOrigins(env: Env): readonly string[] {
  return readCredentials(credentialsFile(env)).map(({ origin }) => origin);
}

/**
 * Keeps a server's token in place of an earlier one, in a file that only its owner reads. Whoever does so at the same time waits, and no
 * token is lost; whoever reads meanwhile sees the file as it was or as it will be.
 */
export async function keepToken(
  file: string,
  { origin, token }: Credential,
  signal: AbortSignal,
): Promise<void> {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const busy = 'busy: another pal login is at work';
  await withFileLock(`${file}.lock`, { busy, signal }, async () => {
    const others = readCredentials(file).filter((each) => each.origin !== origin);
    replacePrivateFile(file, `${stringify({ credentials: [...others, { origin, token }] })}\n`);
  });
}

/** None when there is no file. Raises a UsageError for a file that is a link, somebody else's, or open to others (AO-030). */
function readCredentials(file: string): readonly Credential[] {
  const facts = lstatSync(file, { throwIfNoEntry: false });
  if (facts === undefined) return [];
  // None at all has the file that is being replaced at this moment.
  if (!facts.isFile() || facts.nlink > 1)
    throw new UsageError(`${file} is a link, or no file`, { next: 'put the file itself there' });
  if (process.platform !== 'win32') {
    if (facts.uid !== process.getuid?.()) throw new UsageError(`${file} belongs to somebody else`);
    if ((facts.mode & 0o077) !== 0)
      throw new UsageError(`${file} can be read by others`, { next: `chmod 600 ${file}` });
  }
  const tooLarge = (): Error => new UsageError(`${file} is larger than ${FILE_BYTES} bytes`);
  const text = readRegularFile(file, { shown: file, maxBytes: FILE_BYTES, tooLarge }, 'refuse').toString(
    'utf8',
  );
  let document: Record<string, unknown>;
  try {
    document = parse(text);
  } catch {
    throw new UsageError(`${file} is not valid TOML`);
  }
  const { credentials = [], ...others } = document;
  const known = Array.isArray(credentials) ? credentials.map(credentialOf) : [undefined];
  if (Object.keys(others).length > 0 || !known.every((each) => each !== undefined))
    throw new UsageError(`${file} holds something else than [[credentials]] with origin and token`);
  return known;
}

function credentialOf(value: unknown): Credential | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { origin, token, ...others } = value as Record<string, unknown>;
  if (typeof origin !== 'string' || typeof token !== 'string' || Object.keys(others).length > 0)
    return undefined;
  try {
    return { origin: originOf(origin), token };
  } catch {
    return undefined;
  }
}
