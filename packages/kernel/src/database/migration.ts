import { PalisadeError, sha256Hex } from '@palisade/contracts';

/**
 * One forward-only step of the schema: portable SQL text (TEXT and BIGINT columns only; JSON as
 * text, booleans 0 or 1, hashes as hex text) that both databases accept as it stands. Once applied
 * anywhere, its text never changes. Ids are namespaced by room: `kernel/0001-core`. `/* clustered *\/`
 * behind a table's definition asks for rows stored inside its primary key, where the database can, and
 * `/* immutable: NAME *\/` for a table whose rows can be neither changed nor deleted by anybody.
 */
export interface Migration {
  readonly id: string;
  readonly sql: string;
}

/** A row of `kernel_migrations`. */
export interface AppliedMigration {
  readonly id: string;
  readonly checksum: string;
}

/** The table that remembers what was applied; created before anything else on both databases. */
export const MIGRATIONS_TABLE = `CREATE TABLE IF NOT EXISTS kernel_migrations (
  id TEXT NOT NULL PRIMARY KEY,
  checksum TEXT NOT NULL,
  applied_at BIGINT NOT NULL
)`;

/** Hex SHA-256 of the migration's text. */
export function migrationChecksum(migration: Migration): string {
  return sha256Hex(migration.sql);
}

/**
 * What is still to apply, in the program's order. Raises `migration_changed` when an applied text
 * differs from the program's, `database_newer` when the database holds a step the program does not
 * know: an old program must not write into a schema it cannot understand.
 */
export function pendingMigrations(
  known: readonly Migration[],
  applied: readonly AppliedMigration[],
): Migration[] {
  const byId = new Map(known.map((migration) => [migration.id, migration]));
  if (byId.size !== known.length) throw new PalisadeError('internal', 'two migrations share an id');
  for (const { id, checksum } of applied) {
    const migration = byId.get(id);
    if (migration === undefined)
      throw new PalisadeError('database_newer', `the database has the unknown migration ${id}`, {
        why: 'a newer version of the program has written it',
        next: 'upgrade this program',
      });
    if (migrationChecksum(migration) !== checksum)
      throw new PalisadeError('migration_changed', `the applied migration ${id} differs from the program's`);
    byId.delete(id);
  }
  return [...byId.values()];
}

/** How far a schema is: as the program has it, or behind. */
export type MigrationLevel = 'current' | 'older';

/** `known` are the rooms' migrations, each in its order. */
export function migrationLevel(
  known: readonly (readonly Migration[])[],
  applied: readonly AppliedMigration[],
): MigrationLevel {
  return pendingMigrations(known.flat(), applied).length === 0 ? 'current' : 'older';
}

/**
 * Refuses a schema that no version of the program can have left: of each room the steps up to one of them are applied, and none behind one
 * that is missing. Raises `database_newer`, `migration_changed` and `integrity_mismatch`.
 */
export function assertKnownPrefix(
  known: readonly (readonly Migration[])[],
  applied: readonly AppliedMigration[],
): void {
  const pending = new Set(pendingMigrations(known.flat(), applied).map(({ id }) => id));
  for (const room of known) {
    const first = room.findIndex(({ id }) => pending.has(id));
    const behind = first === -1 ? undefined : room.slice(first).find(({ id }) => !pending.has(id));
    if (behind !== undefined)
      throw new PalisadeError(
        'integrity_mismatch',
        `the migration ${behind.id} was applied without those before it`,
      );
  }
}
