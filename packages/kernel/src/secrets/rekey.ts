import type { Database, WriteTx } from '../database/database.ts';
import type { MasterKey } from './master-key.ts';
import { openValue, sealValue } from './sealed-version.ts';
import { resealVersion, type VersionRow } from './secret-rows.ts';

const SELECT = `SELECT project, name, version, sealed, key_id, expires_at FROM kernel_secret_versions
  WHERE sealed IS NOT NULL AND key_id <> ? ORDER BY project, name, version LIMIT 500`;

type SealedRow = VersionRow & { readonly project: string; readonly sealed: string };

/**
 * Re-seals every secret of every project under `to`, all in one unit of work: afterwards either all
 * are under the new key or none is. Returns how many were re-sealed; those under `to` already do not
 * count, so repeating it is harmless. Raises `secret_undecryptable`, changing nothing, when one is
 * under neither key.
 */
export function rekey(database: Database, from: MasterKey, to: MasterKey): Promise<number> {
  return database.write(async (tx) => {
    let resealed = 0;
    for (;;) {
      const rows = await tx.sql.all<SealedRow>(SELECT, [to.id]);
      if (rows.length === 0) return resealed;
      for (const row of rows) await reseal(tx, row, from, to);
      resealed += rows.length;
    }
  });
}

function reseal(tx: WriteTx, row: SealedRow, from: MasterKey, to: MasterKey): Promise<void> {
  const { project, name, version, expires_at: expiresAt } = row;
  const place = { project, name, version, expiresAt };
  const sealed = sealValue(to, place, openValue(from, place, row.sealed));
  return resealVersion(tx, project, { name, version, sealed, key_id: to.id, expires_at: expiresAt });
}
