import { hostCaller } from '@palisade/contracts';
import { type Database, expiryTime, type WriteTx } from '@palisade/kernel';
import { record } from '../audit/record.ts';
import { closeHarnessSession } from './harness-session-store.ts';

const DAY_MS = 86_400_000;
/** Sessions closed by one unit of work: callers wait for no longer than that takes (FF-084). */
const ROWS = 100;

/**
 * Open sessions in which nothing was changed since a moment and none of whose jobs can be reported on, nor in any that they began
 * (AC-062). Takes that moment, twice now, and that moment again; those that were begun come before those that began them.
 */
const IDLE = `WITH RECURSIVE busy (id, parent) AS (
    SELECT id, parent FROM harness_sessions WHERE closed_at IS NULL AND (last_activity_at > ? OR id IN (
      SELECT j.session FROM producer_jobs j JOIN harness_sessions r ON r.id = j.session
      JOIN credentials c ON c.id = r.credential JOIN principals p ON p.id = c.principal
      WHERE j.state IN ('registered', 'running', 'unknown') AND j.expires_at > ?
      AND c.revoked_at IS NULL AND (c.expires_at IS NULL OR c.expires_at > ?) AND p.disabled_at IS NULL))
    UNION SELECT s.id, s.parent FROM harness_sessions s JOIN busy ON s.id = busy.parent WHERE s.closed_at IS NULL)`;
const FROM_IDLE = `FROM harness_sessions WHERE closed_at IS NULL AND last_activity_at <= ? AND id NOT IN (SELECT id FROM busy)`;

/** Closes what has been idle for days, 0: nothing. */
export interface IdleSessions {
  /** How many would be closed now. */
  count(): Promise<number>;
  /** Closes them, in small units of work; returns how many there were. */
  close(signal: AbortSignal): Promise<number>;
}

export function idleSessions(database: Database, days: number): IdleSessions {
  return {
    count: async () => {
      if (days === 0) return 0;
      return database.write(async (tx) => {
        const row = await tx.sql.get(`${IDLE} SELECT COUNT(*) AS n ${FROM_IDLE}`, await moments(tx, days));
        return Number(row?.['n'] ?? 0);
      });
    },
    close: async (signal) => {
      if (days === 0) return 0;
      for (let closed = 0; ; ) {
        signal.throwIfAborted();
        const some = await database.write((tx) => closeSome(tx, days), { whilePaused: true });
        closed += some;
        if (some < ROWS) return closed;
      }
    },
  };
}

async function moments(tx: WriteTx, days: number): Promise<number[]> {
  const [before, now] = [tx.now - days * DAY_MS, await expiryTime(tx)];
  return [before, now, now, before];
}

async function closeSome(tx: WriteTx, days: number): Promise<number> {
  const rows = await tx.sql.all(
    `${IDLE} SELECT id, last_activity_at ${FROM_IDLE} ORDER BY depth DESC, id LIMIT ${ROWS}`,
    await moments(tx, days),
  );
  const housekeeper = hostCaller('system:housekeeping');
  for (const row of rows) {
    const id = String(row['id']);
    await closeHarnessSession(tx, id);
    await record(tx, { actor: housekeeper.actor, caller: housekeeper }, null, 'harness_session.idle_closed', {
      target: id,
      outcome: 'done',
      last_activity_at: Number(row['last_activity_at']),
      idle_days: days,
    });
  }
  return rows.length;
}
