import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PalisadeError, toPalisadeError } from '@palisade/contracts';
import { fsyncDirectory } from '../blobs/directory-sync.ts';
import { writerMark } from '../blobs/writer-mark.ts';
import type { Database } from '../database/database.ts';
import { MasterKey } from './master-key.ts';
import { rekey } from './rekey.ts';

/** The control directory's own key file. */
export const MASTER_KEY_FILE = 'master.key';
const NEXT_FILE = 'master.key.next';

export interface MasterKeyOptions {
  /** The control directory. */
  readonly directory: string;
  /** Makes a key file there when no key is configured. */
  readonly create: boolean;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/**
 * The configured master key, 64 hex digits from `PALISADE_MASTER_KEY`, else from the file named by
 * `PALISADE_MASTER_KEY_FILE`, else from `master.key` in the control directory, which `create` makes
 * (mode 0600, never replacing one). Raises `master_key_missing` when there is none, or none usable.
 */
export async function loadMasterKey({
  directory,
  create,
  env = process.env,
}: MasterKeyOptions): Promise<MasterKey> {
  const value = env['PALISADE_MASTER_KEY'];
  if (value !== undefined && value !== '') return parseKey(value, 'PALISADE_MASTER_KEY');
  const named = env['PALISADE_MASTER_KEY_FILE'];
  if (named !== undefined && named !== '') {
    const text = await readIfPresent(named);
    if (text === null) throw missing('the file that PALISADE_MASTER_KEY_FILE names does not exist');
    return parseKey(text, 'the file that PALISADE_MASTER_KEY_FILE names');
  }
  const path = join(directory, MASTER_KEY_FILE);
  const present = await readKeyFile(path);
  if (present !== null) return present;
  if (!create) throw missing('no master key is configured');
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await createKeyFile(path);
  const made = await readKeyFile(path);
  if (made === null) throw missing('the master key file vanished while it was made');
  return made;
}

/**
 * Replaces the key file's key and re-seals every secret under the new one. A crash at any point is
 * survived: the new key is durable beside the old before the first secret is sealed under it, and a
 * second call finishes what the first began. The old key stays in `master.key.<its id>`, because backups
 * made before still need it.
 */
export async function replaceMasterKey(
  database: Database,
  directory: string,
): Promise<{ readonly key: MasterKey; readonly resealed: number }> {
  const path = join(directory, MASTER_KEY_FILE);
  const next = join(directory, NEXT_FILE);
  const from = await readKeyFile(path);
  if (from === null) throw missing('there is no master key file to replace');
  await createKeyFile(next);
  const to = await readKeyFile(next);
  if (to === null) throw missing('the new master key file vanished while it was made');
  await link(path, join(directory, `${MASTER_KEY_FILE}.${from.id}`)).catch(ignore('EEXIST'));
  const resealed = await rekey(database, from, to);
  // Absent when another call, with the same new key, got here first.
  await rename(next, path).catch(ignore('ENOENT'));
  await fsyncDirectory(directory);
  return { key: to, resealed };
}

/** Makes a key file whole or not at all; one that is there already, perhaps since a moment ago, stays. */
async function createKeyFile(path: string): Promise<void> {
  const temp = `${path}.${writerMark()}`;
  try {
    const handle = await open(temp, 'wx', 0o600);
    try {
      await handle.writeFile(`${randomBytes(32).toString('hex')}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    // Like O_EXCL, and the file is never seen empty: of two that race, both use the first one's key.
    await link(temp, path).catch(ignore('EEXIST'));
    await fsyncDirectory(dirname(path));
  } catch (error) {
    throw toPalisadeError(error);
  } finally {
    await rm(temp, { force: true });
  }
}

/** The key of a file that only its owner reads; null when it is not there. Raises `master_key_missing`. */
export async function readKeyFile(path: string): Promise<MasterKey | null> {
  const text = await readIfPresent(path);
  if (text === null) return null;
  const { mode } = await stat(path);
  if (process.platform !== 'win32' && (mode & 0o077) !== 0)
    throw new PalisadeError('master_key_missing', 'the master key file is not used: others may read it', {
      why: `${path} has mode ${(mode & 0o777).toString(8)}`,
      next: `chmod 600 '${path}', and replace the key if somebody else has read it`,
    });
  return parseKey(text, path);
}

async function readIfPresent(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new PalisadeError('master_key_missing', `the master key file ${path} cannot be read`, {
      cause: error,
    });
  }
}

// Never shows what it was given: a mistyped key is still nearly a key.
function parseKey(text: string, source: string): MasterKey {
  const hex = text.trim();
  if (!/^[0-9a-fA-F]{64}$/.test(hex))
    throw missing(`${source} does not hold a master key: 64 hexadecimal digits are needed`);
  return new MasterKey(Buffer.from(hex, 'hex'));
}

function ignore(code: string): (error: NodeJS.ErrnoException) => void {
  return (error) => {
    if (error.code !== code) throw error;
  };
}

function missing(message: string): PalisadeError {
  return new PalisadeError('master_key_missing', message, {
    next: 'set PALISADE_MASTER_KEY_FILE to a file with 64 hexadecimal digits, or initialize the control directory',
  });
}
