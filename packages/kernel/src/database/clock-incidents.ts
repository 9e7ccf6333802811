import { PalisadeError } from '@palisade/contracts';
import type { ReadTx, Statements, WriteTx } from './database.ts';
import type { Migration } from './migration.ts';

/*
 * What is kept of a clock that went back (AC-275). While an incident is open, units of work that do not say that they grant nothing are
 * refused, by every process on this database. Whatever was held has run out; its rows, fences and pointers stay.
 */

export const clockIncidentsMigration: Migration = {
  id: 'kernel/0003-clock-incidents',
  sql: `
CREATE TABLE kernel_clock_incidents (
  id TEXT NOT NULL PRIMARY KEY,
  is_open BIGINT NOT NULL,
  observed_wall BIGINT NOT NULL,
  high_water BIGINT NOT NULL,
  recovered_at BIGINT,
  recovered_by TEXT,
  recovery_reason TEXT
);
CREATE UNIQUE INDEX kernel_clock_incidents_open ON kernel_clock_incidents (is_open) WHERE is_open = 1;
`,
};

export const clockAheadMigration: Migration = {
  id: 'kernel/0004-clock-ahead',
  sql: 'ALTER TABLE kernel_clock_incidents ADD COLUMN ahead_ms BIGINT NOT NULL DEFAULT 0',
};

/** By how much the clock is taken to be later than it says, since recoveries that kept time ahead; ms, for a query. */
export const AHEAD = '(SELECT COALESCE(MAX(ahead_ms), 0) FROM kernel_clock_incidents)';

/** What time ahead is kept by the multiple of, ms: so that days of the week and times of the day stay what they are, and with them schedules. */
const WEEK_MS = 7 * 86_400_000;

/** True while an incident is open: a condition for a query. */
export const IS_PAUSED = 'EXISTS (SELECT 1 FROM kernel_clock_incidents WHERE is_open = 1)';

/** Opens an incident, unless one is open: `id`, `observed wall`, `high water`. */
export const OPEN_INCIDENT = `INSERT INTO kernel_clock_incidents (id, is_open, observed_wall, high_water) VALUES (?, 1, ?, ?)
ON CONFLICT DO NOTHING`;

/** What ends all authority at a moment, each with that moment twice. */
export const END_AUTHORITY = [
  'UPDATE kernel_leases SET expires_at = ? WHERE released = 0 AND expires_at > ?',
  "UPDATE kernel_jobs SET lease_expires_at = ? WHERE status = 'running' AND lease_expires_at > ?",
];

/** One time that the clock went back. Times in ms. */
export interface ClockIncident {
  readonly id: string;
  /** What the clock said. */
  readonly observedWall: number;
  /** Protected time then. */
  readonly highWater: number;
  readonly recovered?: { readonly at: number; readonly by: string; readonly reason: string };
}

interface IncidentRow {
  readonly id: string;
  readonly observed_wall: number;
  readonly high_water: number;
  readonly recovered_at: number | null;
  readonly recovered_by: string | null;
  readonly recovery_reason: string | null;
}

/** By how much the clock is taken to be later than it says, ms. */
export async function clockAhead(tx: ReadTx): Promise<number> {
  return (await tx.sql.get<{ ahead: number }>(`SELECT ${AHEAD} AS ahead`))?.ahead ?? 0;
}

/** About protected time, ms, for views: a snapshot has no time of its own. */
export async function aboutNow(tx: ReadTx): Promise<number> {
  return Date.now() + (await clockAhead(tx));
}

/** The open incident, or else the latest that was recovered from; null when the clock never went back. */
export async function latestClockIncident(tx: ReadTx): Promise<ClockIncident | null> {
  return read(tx.sql, 'ORDER BY is_open DESC, high_water DESC, id DESC LIMIT 1');
}

/** The open incident; null when the clock is trusted. */
export async function openClockIncident(tx: ReadTx): Promise<ClockIncident | null> {
  return read(tx.sql, 'WHERE is_open = 1');
}

async function read(sql: Statements, which: string): Promise<ClockIncident | null> {
  const row = await sql.get<IncidentRow>(
    `SELECT id, observed_wall, high_water, recovered_at, recovered_by, recovery_reason FROM kernel_clock_incidents ${which}`,
  );
  if (row === undefined) return null;
  const { recovered_at: at, recovered_by: by, recovery_reason: reason } = row;
  return {
    id: row.id,
    observedWall: row.observed_wall,
    highWater: row.high_water,
    ...(at === null ? {} : { recovered: { at, by: by ?? '', reason: reason ?? '' } }),
  };
}

/**
 * The moment by which what was given for a time has run out, ms: protected time, and while that stands still for an incident, as much later
 * as the clock has gone on since. So nothing lives longer for a pause, whichever process is asked and however often it was started.
 */
export async function expiryTime(tx: WriteTx): Promise<number> {
  if (tx.wall >= tx.now) return tx.now;
  const incident = await openClockIncident(tx);
  if (incident === null) return tx.now;
  return tx.now + Math.max(0, tx.wall - incident.observedWall);
}

/**
 * Closes an incident: nothing that had run out comes back. Raises `clock_not_paused` when none is open, `clock_incident_changed` when
 * another one is, `clock_still_untrusted` while the clock is behind protected time. With `keepAhead` it is believed before it gets there,
 * and taken to be later than it says from then on, by whole weeks: no moment is given out twice, and all dates stay ahead for good.
 */
export async function recoverClock(
  tx: WriteTx,
  incident: string,
  {
    by,
    reason,
    keepAhead = false,
  }: { readonly by: string; readonly reason: string; readonly keepAhead?: boolean },
): Promise<ClockIncident> {
  const open = await openClockIncident(tx);
  if (open === null)
    throw new PalisadeError('clock_not_paused', 'the clock is trusted: there is nothing to recover from', {
      next: 'palisade clock',
    });
  if (open.id !== incident)
    throw new PalisadeError('clock_incident_changed', `the open incident is ${open.id}`, {
      next: 'palisade clock',
    });
  const behind = Math.max(0, tx.now - tx.wall);
  if (behind > 0 && !keepAhead)
    throw new PalisadeError(
      'clock_still_untrusted',
      `the clock is still ${Math.ceil(behind / 1_000)} s behind what was handed out`,
      { next: 'set the clock right, or wait until it has caught up; then try again' },
    );
  await tx.sql.run(
    `UPDATE kernel_clock_incidents SET is_open = 0, recovered_at = ?, recovered_by = ?, recovery_reason = ?, ahead_ms = ?
     WHERE id = ? AND is_open = 1`,
    [tx.now, by, reason, (await clockAhead(tx)) + Math.ceil(behind / WEEK_MS) * WEEK_MS, incident],
  );
  return { ...open, recovered: { at: tx.now, by, reason } };
}

/** What the operator is told when an incident is opened; times in ms. */
export function turnedBack(now: number, wall: number): string {
  const seconds = Math.ceil((now - wall) / 1_000);
  return `the clock went back by ${seconds} s: nothing is granted until palisade recover-clock says that it is right again`;
}

/** The refusal of a unit of work that would grant something meanwhile. */
export function clockPaused(): PalisadeError {
  return new PalisadeError('clock_reconciliation_required', 'the clock of this control plane went back', {
    why: 'leases and deadlines cannot be trusted: nothing is granted until somebody says that the clock is right again',
    next: 'palisade recover-clock --reason TEXT',
  });
}
