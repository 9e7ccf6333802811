import { isPalisadeError } from '@palisade/contracts';
import type { ReadTx } from '../database/database.ts';
import type { MasterKey } from './master-key.ts';
import { openValue } from './sealed-version.ts';

interface Sealed {
  readonly project: string;
  readonly name: string;
  readonly version: number;
  readonly sealed: string;
  readonly expires_at: number | null;
}

/** Ids of the keys that stored secrets are sealed under: one, or none where there are no secrets. */
export async function sealingKeys(tx: ReadTx): Promise<string[]> {
  const rows = await tx.sql.all<{ key_id: string }>(
    'SELECT DISTINCT key_id FROM kernel_secret_versions WHERE sealed IS NOT NULL ORDER BY key_id',
  );
  return rows.map(({ key_id: id }) => id);
}

/** True when the key opens every secret of every project that is stored. */
export async function opensAll(tx: ReadTx, key: MasterKey): Promise<boolean> {
  const rows = await tx.sql.all<Sealed & Record<string, string | number | null>>(
    'SELECT project, name, version, sealed, expires_at FROM kernel_secret_versions WHERE sealed IS NOT NULL',
  );
  try {
    for (const { sealed, expires_at: expiresAt, project, name, version } of rows)
      openValue(key, { project, name, version, expiresAt }, sealed);
    return true;
  } catch (error) {
    if (isPalisadeError(error, 'secret_undecryptable')) return false;
    throw error;
  }
}
