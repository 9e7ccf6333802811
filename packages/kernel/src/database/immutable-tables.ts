const MARK = /\/\* immutable: ([a-z_]+) \*\//g;

/*
 * Rows that are history are guarded by the database itself: no statement of this program or of anybody else's changes or deletes one
 * (AC-071). Whoever may alter the schema could take the guard away.
 */

/** A migration's text with the guards of the tables that it marks as immutable. */
export function withImmutableTables(sql: string, dialect: 'sqlite' | 'postgres'): string {
  return sql.replaceAll(MARK, (_, table: string) =>
    dialect === 'sqlite' ? sqliteGuard(table) : postgresGuard(table),
  );
}

function sqliteGuard(table: string): string {
  return ['UPDATE', 'DELETE']
    .map(
      (what) => `CREATE TRIGGER ${table}_no_${what.toLowerCase()} BEFORE ${what} ON ${table}
BEGIN SELECT RAISE(ABORT, '${table} is immutable'); END;`,
    )
    .join('\n');
}

function postgresGuard(table: string): string {
  return `CREATE OR REPLACE FUNCTION kernel_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  RAISE EXCEPTION '% is immutable', TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END
$body$;
CREATE TRIGGER ${table}_no_change BEFORE UPDATE OR DELETE ON ${table} FOR EACH ROW EXECUTE FUNCTION kernel_refuse_change();
CREATE TRIGGER ${table}_no_truncate BEFORE TRUNCATE ON ${table} FOR EACH STATEMENT EXECUTE FUNCTION kernel_refuse_change();`;
}
