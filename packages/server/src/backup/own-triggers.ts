import { rm } from 'node:fs/promises';
import { type Database, openDatabase } from '@palisade/kernel';
import { roomMigrations } from '../room-migrations.ts';
import { notWhole } from './snapshot-files.ts';

/**
 * Refuses a migrated image with triggers or views that no migration of ours makes: they would undo or hide what a restoration ends.
 * `scratch` is the path of a database that is made and removed. Raises `integrity_mismatch`.
 */
export async function assertOwnTriggers(
  database: Database,
  scratch: string,
  snapshot: string,
): Promise<void> {
  const fresh = await openDatabase({ url: scratch, migrations: roomMigrations.flat() });
  let own: ReadonlySet<string>;
  try {
    own = new Set(await active(fresh));
  } finally {
    await fresh.close();
    for (const end of ['', '-wal', '-shm']) await rm(`${scratch}${end}`, { force: true });
  }
  const foreign = (await active(database)).find((each) => !own.has(each));
  if (foreign !== undefined)
    throw notWhole(
      snapshot,
      `its database does something by itself that this program never made: ${foreign.slice(0, 200)}`,
    );
}

async function active(database: Database): Promise<readonly string[]> {
  const rows = await database.read((tx) =>
    tx.sql.all<{ sql: string }>("SELECT sql FROM sqlite_schema WHERE type IN ('trigger', 'view')"),
  );
  return rows.map(({ sql }) => sql);
}
