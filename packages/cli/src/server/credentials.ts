import { existsSync, mkdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { parse, stringify } from 'smol-toml';
import { readRegularFile } from '../bounded-read.ts';
import { UsageError } from '../tree/usage-error.ts';
import { baseDirectory } from '../user-path.ts';

type Env = Readonly<Record<string, string | undefined>>;

interface Credential {
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
 * The token for a server. The environment's is taken only when the environment names that very server too: a repository that names
 * another one gets no token of it (AO-029). Undefined when there is none.
 */
export function tokenFor(origin: string, env: Env): string | undefined {
  const { PALISADE_TOKEN: token, PALISADE_SERVER: server } = env;
  if (token !== undefined && token !== '' && server !== undefined && isSame(server, origin)) return token;
  const file = credentialsFile(env);
  return existsSync(file)
    ? readCredentials(file).find((each) => isSame(each.origin, origin))?.token
    : undefined;
}

/** Keeps a server's token in place of an earlier one, in a file that only its owner reads. */
export function keepToken(file: string, origin: string, token: string): void {
  const others = existsSync(file) ? readCredentials(file).filter((each) => !isSame(each.origin, origin)) : [];
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}.tmp`;
  writeFileSync(draft, `${stringify({ credentials: [...others, { origin, token }] })}\n`, { mode: 0o600 });
  renameSync(draft, file);
}

function readCredentials(file: string): readonly Credential[] {
  if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0)
    throw new UsageError(`${file} can be read by others`, { next: `chmod 600 ${file}` });
  const tooLarge = (): Error => new UsageError(`${file} is larger than ${FILE_BYTES} bytes`);
  const text = readRegularFile(file, { shown: file, maxBytes: FILE_BYTES, tooLarge }, 'follow').toString(
    'utf8',
  );
  let document: Record<string, unknown>;
  try {
    document = parse(text);
  } catch {
    throw new UsageError(`${file} is not valid TOML`);
  }
  const { credentials = [], ...others } = document;
  if (Object.keys(others).length > 0 || !Array.isArray(credentials) || !credentials.every(isCredential))
    throw new UsageError(`${file} holds something else than [[credentials]] with origin and token`);
  return credentials;
}

function isCredential(value: unknown): value is Credential {
  if (typeof value !== 'object' || value === null) return false;
  const { origin, token, ...others } = value as Record<string, unknown>;
  return typeof origin === 'string' && typeof token === 'string' && Object.keys(others).length === 0;
}

function isSame(a: string, b: string): boolean {
  return URL.canParse(a) && URL.canParse(b) && new URL(a).origin === new URL(b).origin;
}
