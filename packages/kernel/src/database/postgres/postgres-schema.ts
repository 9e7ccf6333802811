import { type PoolClient } from 'pg';
import { IS_PAUSED } from '../clock-incidents.ts';
import {
  type AppliedMigration,
  type Migration,
  migrationChecksum,
  MIGRATIONS_TABLE,
  pendingMigrations,
} from '../migration.ts';
import { withImmutableTables } from '../immutable-tables.ts';

/** The database's clock, ms: an expression. */
export const WALL = 'FLOOR(EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::BIGINT';

/** Raised by the last check before a commit when a lease that its transaction relied on has run out. */
export const LEASE_EXPIRED = 'PA001';

/*
 * Protected time over several replicas (AC-129) without a row that every transaction updates, which
 * under SERIALIZABLE would make all of them conflict. The floor is a sequence: its value is outside
 * transactions, so it is seen at once, and its log record precedes the commit that stored it.
 *
 * kernel_now is called after the transaction's snapshot is taken: whatever the snapshot shows was
 * committed after its time was stored, so no transaction sees a fact with a time later than its own.
 * kernel_begin also bounds the transaction: lock_timeout is how old its time can get while it waits for
 * somebody's row lock (on expiry it starts again with a fresh one), idle_in_transaction_session_timeout
 * frees the locks of a client that was stopped or cut off in the middle.
 *
 * kernel_before_commit refuses a commit whose leases ran out while it waited. It stores the time only when something was written, under a session advisory lock
 * held for that one comparison (a sequence has no conditional update), and leaves a marker by which the
 * outcome of a commit whose answer got lost is decided.
 */
const CLOCK_MIGRATION: Migration = {
  id: 'kernel/postgres-0001-clock',
  sql: `
CREATE SEQUENCE kernel_clock_floor AS BIGINT MINVALUE 0;

CREATE TABLE kernel_commits (
  id TEXT NOT NULL PRIMARY KEY,
  at BIGINT NOT NULL
);

CREATE FUNCTION kernel_now(wall BIGINT) RETURNS BIGINT LANGUAGE sql VOLATILE AS $body$
  SELECT GREATEST(
    COALESCE(wall, FLOOR(EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::BIGINT),
    COALESCE(pg_sequence_last_value('kernel_clock_floor'::regclass), 0))
$body$;

CREATE FUNCTION kernel_begin(wall BIGINT) RETURNS BIGINT LANGUAGE sql VOLATILE AS $body$
  SELECT set_config('lock_timeout', '250ms', true);
  SELECT set_config('idle_in_transaction_session_timeout', '10s', true);
  SELECT kernel_now(wall)
$body$;

CREATE FUNCTION kernel_before_commit(marker TEXT, decided BIGINT, wall BIGINT, deadline BIGINT, OUT written BIGINT)
LANGUAGE plpgsql VOLATILE AS $body$
DECLARE
  lock_key BIGINT := hashtextextended('palisade clock ' || current_schema(), 0);
  at BIGINT := GREATEST(decided, kernel_now(wall));
BEGIN
  IF at >= deadline THEN
    RAISE EXCEPTION USING ERRCODE = '${LEASE_EXPIRED}', MESSAGE = 'a lease expired before its write could commit';
  END IF;
  written := CASE WHEN pg_current_xact_id_if_assigned() IS NULL THEN 0 ELSE 1 END;
  IF written = 0 THEN
    RETURN;
  END IF;
  IF at > COALESCE(pg_sequence_last_value('kernel_clock_floor'::regclass), 0) THEN
    PERFORM pg_advisory_lock(lock_key);
    IF at > COALESCE(pg_sequence_last_value('kernel_clock_floor'::regclass), 0) THEN
      PERFORM setval('kernel_clock_floor', at);
    END IF;
    PERFORM pg_advisory_unlock(lock_key);
  END IF;
  INSERT INTO kernel_commits (id, at) VALUES (marker, FLOOR(EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::BIGINT);
END
$body$;
`,
};

/** As `kernel_begin`, and tells besides what the clock says unprotected, and whether it is trusted (AC-275). */
const OPEN_MIGRATION: Migration = {
  id: 'kernel/postgres-0002-open',
  sql: `
CREATE FUNCTION kernel_open(given BIGINT, OUT now BIGINT, OUT wall BIGINT, OUT paused BOOLEAN)
LANGUAGE plpgsql VOLATILE AS $body$
BEGIN
  now := kernel_begin(given);
  wall := COALESCE(given, FLOOR(EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::BIGINT);
  paused := ${IS_PAUSED};
END
$body$;
`,
};

/**
 * The same, and by how much the clock is taken to be later than it says. That is told with the rest, so that the last check before a
 * commit needs no look at the table of its own: both cost 8 µs in a round trip of 430, three looks in functions of their own 80.
 */
const AHEAD_MIGRATION: Migration = {
  id: 'kernel/postgres-0003-ahead',
  sql: `
DROP FUNCTION kernel_open(BIGINT);
CREATE FUNCTION kernel_open(given BIGINT, OUT now BIGINT, OUT wall BIGINT, OUT paused BOOLEAN, OUT ahead BIGINT)
LANGUAGE plpgsql VOLATILE AS $body$
BEGIN
  SELECT COALESCE(MAX(ahead_ms), 0), COALESCE(MAX(is_open), 0) = 1 INTO ahead, paused FROM kernel_clock_incidents;
  wall := COALESCE(given, ${WALL}) + ahead;
  now := GREATEST(kernel_begin(given), wall);
END
$body$;
`,
};

/**
 * All pending steps in one transaction under an advisory lock of this schema: concurrent openers apply
 * each exactly once. READ COMMITTED, so that the one who waited sees what the other did.
 */
export async function migrate(client: PoolClient, migrations: readonly Migration[]): Promise<void> {
  await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
  try {
    await client.query(
      "SELECT pg_advisory_xact_lock(hashtextextended('palisade migrations ' || current_schema(), 0))",
    );
    await client.query(MIGRATIONS_TABLE);
    const applied = await client.query<AppliedMigration>('SELECT id, checksum FROM kernel_migrations');
    for (const migration of pendingMigrations(
      [CLOCK_MIGRATION, OPEN_MIGRATION, AHEAD_MIGRATION, ...migrations],
      applied.rows,
    )) {
      await client.query(withImmutableTables(migration.sql, 'postgres'));
      await client.query(
        `INSERT INTO kernel_migrations (id, checksum, applied_at)
         VALUES ($1, $2, FLOOR(EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::BIGINT)`,
        [migration.id, migrationChecksum(migration)],
      );
    }
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}
