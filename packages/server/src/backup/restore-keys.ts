import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PalisadeError, type RestoreReport } from '@palisade/contracts';
import {
  type Database,
  loadMasterKey,
  MASTER_KEY_FILE,
  opensAll,
  readKeyFile,
  sealingKeys,
} from '@palisade/kernel';
import { isActiveKey, isRetiredKey } from '@palisade/runs';
import { signerOf } from '../signer-key.ts';

/** What is to be in the files of a control plane's keys, as it was read and proved, and what was not found. */
export interface KeysFound {
  readonly files: readonly KeyFile[];
  readonly missing: RestoreReport['keys_missing'];
}

/** By the name that it has in a control plane. */
interface KeyFile {
  readonly name: string;
  readonly text: string;
}

const MASTER = /^master\.key(\.next|\.[0-9a-f]{16})?$/;
const SIGNER = /^signer\.key(\.next-.+)?$/;

/**
 * Finds the keys of a restored database among the files of a directory, also under the names that replaced ones have there: the master key
 * that opens all of its secrets, unless the environment has it, and a signing key that it does not know as retired. They may be links, as
 * mounted secrets are. Raises `not_found` when there is no such directory.
 */
export async function findKeys(
  database: Database,
  directory: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Promise<KeysFound> {
  const names = directory === undefined ? [] : await namesIn(directory);
  const among = (pattern: RegExp) =>
    names.flatMap((name) => (pattern.test(name) ? [join(directory ?? '', name)] : []));
  const master = await findMaster(database, among(MASTER), env);
  const signer = await findSigner(database, among(SIGNER), 'signer.key');
  return {
    files: [master, signer].flatMap((found) => (typeof found === 'object' ? [found] : [])),
    missing: [
      ...(master === 'missing' ? (['master'] as const) : []),
      ...(signer === 'missing' ? (['signing'] as const) : []),
    ],
  };
}

/** Raises `requirements_unmet` when keys are missing and nobody said that it goes without. */
export function assertKeys({ missing }: KeysFound, withoutKeys: boolean): void {
  if (missing.length === 0 || withoutKeys) return;
  throw new PalisadeError('requirements_unmet', `keys of this snapshot are missing: ${missing.join(', ')}`, {
    why: 'no snapshot holds them: secrets could not be opened, and evidence would be signed by another key',
    next: 'name the directory with master.key and signer.key by --keys DIR; if they are lost, --without-keys',
  });
}

type Found = KeyFile | 'missing' | 'elsewhere';

async function findMaster(
  database: Database,
  paths: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<Found> {
  const needed = await database.read(sealingKeys);
  if (isSet(env['PALISADE_MASTER_KEY']) || isSet(env['PALISADE_MASTER_KEY_FILE'])) {
    const key = await loadMasterKey({ directory: '', create: false, env });
    return (await database.read((tx) => opensAll(tx, key))) ? 'elsewhere' : 'missing';
  }
  for (const from of paths) {
    // Refused where others may read it.
    if ((await readKeyFile(from)) === null) continue;
    const text = await readFile(from, 'utf8');
    const key = await loadMasterKey({ directory: '', create: false, env: { PALISADE_MASTER_KEY: text } });
    if (needed.length > 0 && !needed.includes(key.id)) continue;
    if (await database.read((tx) => opensAll(tx, key))) return { name: MASTER_KEY_FILE, text };
  }
  return needed.length > 0 ? 'missing' : 'elsewhere';
}

async function findSigner(database: Database, paths: readonly string[], name: string): Promise<Found> {
  let unknown: Found = 'missing';
  for (const from of paths) {
    const text = await readFile(from, 'utf8');
    const { keyid } = signerOf(text, from);
    if (await database.read((tx) => isActiveKey(tx, keyid))) return { name, text };
    // Made after the snapshot: known from its first use on.
    if (!(await database.read((tx) => isRetiredKey(tx, keyid)))) unknown = { name, text };
  }
  return unknown;
}

async function namesIn(directory: string): Promise<string[]> {
  try {
    return (await readdir(directory)).sort();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
    throw new PalisadeError('not_found', `there is no directory ${directory} with keys`, {
      next: 'name the directory with master.key and signer.key by --keys DIR',
    });
  }
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}
