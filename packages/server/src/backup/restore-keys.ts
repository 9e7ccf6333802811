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

/** Files to be copied into a control plane, by the names they have there, and what was not found. */
export interface KeysFound {
  readonly files: readonly { readonly from: string; readonly name: string }[];
  readonly missing: RestoreReport['keys_missing'];
}

const MASTER = /^master\.key(\.next|\.[0-9a-f]{16})?$/;
const SIGNER = /^signer\.key(\.next-.+)?$/;

/**
 * Finds the keys of a restored database among the files of a directory, also under the names that replaced ones have there: the master key
 * that opens all of its secrets, unless the environment has it, and a signing key that it does not know as retired.
 */
export async function findKeys(
  database: Database,
  directory: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Promise<KeysFound> {
  const names = directory === undefined ? [] : (await readdir(directory)).sort();
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

type Found = { readonly from: string; readonly name: string } | 'missing' | 'elsewhere';

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
    const key = await readKeyFile(from);
    if (key === null || (needed.length > 0 && !needed.includes(key.id))) continue;
    if (await database.read((tx) => opensAll(tx, key))) return { from, name: MASTER_KEY_FILE };
  }
  return needed.length > 0 ? 'missing' : 'elsewhere';
}

async function findSigner(database: Database, paths: readonly string[], name: string): Promise<Found> {
  let unknown: Found = 'missing';
  for (const from of paths) {
    const { keyid } = signerOf(await readFile(from, 'utf8'), from);
    if (await database.read((tx) => isActiveKey(tx, keyid))) return { from, name };
    // Made after the snapshot: known from its first use on.
    if (!(await database.read((tx) => isRetiredKey(tx, keyid)))) unknown = { from, name };
  }
  return unknown;
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}
