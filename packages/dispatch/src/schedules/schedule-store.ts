import {
  CatchUp,
  Overlap,
  PalisadeError,
  type ScheduleSlot,
  ScheduleState,
  truncateText,
} from '@palisade/contracts';
import type { ReadTx, SqlRow, WriteTx } from '@palisade/kernel';
import type { Schedule, Submission } from './schedule.ts';

const COLUMNS = `project, name, id, cron, zone, catch_up, catch_up_limit, overlap, title, repository, base, actor, created_at,
  state, reason, next_slot, try_at, last_run_id, failures, error_code, error_message, error_at`;

/** Due times whose fate is kept, for each schedule. */
const KEPT_SLOTS = 100;
const MESSAGE_CHARS = 500;

export async function insertSchedule(tx: WriteTx, schedule: Schedule, submission: Submission): Promise<void> {
  await tx.sql.run(
    `INSERT INTO schedules (${COLUMNS}, submission) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      schedule.project,
      schedule.name,
      schedule.id,
      schedule.cron,
      schedule.zone,
      schedule.catchUp,
      schedule.catchUpLimit,
      schedule.overlap,
      schedule.title,
      schedule.repository,
      schedule.base,
      schedule.actor,
      schedule.createdAt,
      schedule.state,
      schedule.reason,
      schedule.nextSlot,
      schedule.tryAt,
      schedule.lastRunId,
      schedule.failures,
      schedule.lastError?.code ?? null,
      schedule.lastError?.message ?? null,
      schedule.lastError?.at ?? null,
      JSON.stringify(submission),
    ],
  );
}

/** The project's schedule of that name, or undefined. */
export async function findSchedule(tx: ReadTx, project: string, name: string): Promise<Schedule | undefined> {
  const row = await tx.sql.get(`SELECT ${COLUMNS} FROM schedules WHERE project = ? AND name = ?`, [
    project,
    name,
  ]);
  return row === undefined ? undefined : scheduleOf(row);
}

/** The schedule with this id, of whatever project, or undefined. */
export async function scheduleWithId(tx: ReadTx, id: string): Promise<Schedule | undefined> {
  const row = await tx.sql.get(`SELECT ${COLUMNS} FROM schedules WHERE id = ?`, [id]);
  return row === undefined ? undefined : scheduleOf(row);
}

/** A project's schedules by name. */
export async function allSchedules(tx: ReadTx, project: string): Promise<Schedule[]> {
  const rows = await tx.sql.all(`SELECT ${COLUMNS} FROM schedules WHERE project = ? ORDER BY name`, [
    project,
  ]);
  return rows.map(scheduleOf);
}

/** What the schedule submits; its shape is checked by whoever submits it. */
export async function submissionOf(tx: ReadTx, { name, id }: Schedule): Promise<Submission> {
  const row = await tx.sql.get<{ submission: string }>('SELECT submission FROM schedules WHERE id = ?', [id]);
  if (row === undefined) throw new PalisadeError('not_found', `the schedule ${name} was removed`);
  return JSON.parse(row.submission) as Submission;
}

/** A schedule that is due, and how it is told of. */
export interface DueSchedule {
  readonly id: string;
  readonly project: string;
  readonly name: string;
}

/** Enabled schedules of every project to look at up to `until`, those that wait longest first, and when the next one is. */
export async function dueSchedules(tx: ReadTx, until: number, limit: number): Promise<DueSchedule[]> {
  return tx.sql.all<DueSchedule & SqlRow>(
    `SELECT id, project, name FROM schedules WHERE state = 'enabled' AND try_at <= ? ORDER BY try_at LIMIT ?`,
    [until, limit],
  );
}

/** True when some schedule waits for its time. */
export async function hasEnabled(tx: ReadTx): Promise<boolean> {
  return (
    (await tx.sql.get(
      `SELECT name FROM schedules WHERE state = 'enabled' AND try_at IS NOT NULL LIMIT 1`,
    )) !== undefined
  );
}

/**
 * Marks a due time as dealt with and sets the next. False when somebody else did, the schedule is not what
 * it was, or its project was archived: then the unit of work must leave no run.
 */
export async function markSlot(
  tx: WriteTx,
  { id, nextSlot }: Schedule,
  next: number | null,
  runId: string | null,
): Promise<boolean> {
  const changed = await tx.sql.run(
    `UPDATE schedules SET next_slot = ?, try_at = ?, last_run_id = COALESCE(?, last_run_id), failures = 0,
       error_code = NULL, error_message = NULL, error_at = NULL
     WHERE id = ? AND next_slot = ? AND state = 'enabled' AND try_at IS NOT NULL`,
    [next, next, runId, id, nextSlot],
  );
  return changed === 1;
}

/** Keeps why a try failed and when the next one is; does nothing for a due time that was dealt with or is held meanwhile. */
export async function markFailure(
  tx: WriteTx,
  { id, nextSlot }: Schedule,
  failure: {
    readonly failures: number;
    readonly code: string;
    readonly message: string;
    readonly tryAt: number;
    /** Why it is to be suspended, or null. */
    readonly suspended: string | null;
  },
): Promise<void> {
  await tx.sql.run(
    `UPDATE schedules SET failures = ?, error_code = ?, error_message = ?, error_at = ?, try_at = ?,
       state = CASE WHEN CAST(? AS TEXT) IS NULL THEN state ELSE 'suspended' END, reason = COALESCE(?, reason)
     WHERE id = ? AND next_slot = ? AND state = 'enabled' AND try_at IS NOT NULL`,
    [
      failure.failures,
      failure.code,
      truncateText(failure.message, MESSAGE_CHARS),
      tx.now,
      failure.tryAt,
      failure.suspended,
      failure.suspended,
      id,
      nextSlot,
    ],
  );
}

export async function setState(
  tx: WriteTx,
  { id }: Pick<Schedule, 'id'>,
  change: {
    readonly state: ScheduleState;
    readonly reason: string | null;
    readonly nextSlot: number | null;
  },
): Promise<void> {
  await tx.sql.run(
    `UPDATE schedules SET state = ?, reason = ?, next_slot = ?, try_at = ?, failures = 0 WHERE id = ?`,
    [change.state, change.reason, change.nextSlot, change.nextSlot, id],
  );
}

export async function setLastRun(tx: WriteTx, { id }: Pick<Schedule, 'id'>, runId: string): Promise<void> {
  await tx.sql.run('UPDATE schedules SET last_run_id = ? WHERE id = ?', [runId, id]);
}

export async function deleteSchedule(tx: WriteTx, { id }: Pick<Schedule, 'id'>): Promise<boolean> {
  await tx.sql.run('DELETE FROM schedule_slots WHERE schedule = ?', [id]);
  return (await tx.sql.run('DELETE FROM schedules WHERE id = ?', [id])) === 1;
}

/** Keeps what became of a due time, and forgets the oldest beyond {@link KEPT_SLOTS}. */
export async function recordSlot(
  tx: WriteTx,
  { id }: Pick<Schedule, 'id'>,
  slot: Omit<ScheduleSlot, 'at'>,
): Promise<void> {
  const last = await tx.sql.get<{ ordinal: number | null }>(
    'SELECT MAX(ordinal) AS ordinal FROM schedule_slots WHERE schedule = ?',
    [id],
  );
  const ordinal = (last?.ordinal ?? 0) + 1;
  await tx.sql.run(
    'INSERT INTO schedule_slots (schedule, ordinal, slot, at, outcome, run_id, covers, reason) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    [
      id,
      ordinal,
      slot.slot ?? null,
      tx.now,
      slot.outcome,
      slot.run_id ?? null,
      slot.covers,
      slot.reason ?? null,
    ],
  );
  await tx.sql.run('DELETE FROM schedule_slots WHERE schedule = ? AND ordinal <= ?', [
    id,
    ordinal - KEPT_SLOTS,
  ]);
}

/**
 * Leaves the schedules of a project alone, or serves them again: no due time of an archived one comes, and what is to be made up for
 * afterwards each schedule says itself.
 */
export async function holdSchedules(tx: WriteTx, project: string, isHeld: boolean): Promise<void> {
  await tx.sql.run(
    isHeld
      ? 'UPDATE schedules SET try_at = NULL WHERE project = ?'
      : 'UPDATE schedules SET try_at = next_slot WHERE project = ?',
    [project],
  );
}

/** What became of the last due times, newest first. */
export async function slotsOf(
  tx: ReadTx,
  { id }: Pick<Schedule, 'id'>,
  limit: number,
): Promise<ScheduleSlot[]> {
  const rows = await tx.sql.all<{
    slot: number | null;
    at: number;
    outcome: ScheduleSlot['outcome'];
    run_id: string | null;
    covers: number;
    reason: string | null;
  }>(
    'SELECT slot, at, outcome, run_id, covers, reason FROM schedule_slots WHERE schedule = ? ORDER BY ordinal DESC LIMIT ?',
    [id, limit],
  );
  return rows.map(({ slot, at, outcome, run_id: runId, covers, reason }) => ({
    ...(slot === null ? {} : { slot }),
    at,
    outcome,
    ...(runId === null ? {} : { run_id: runId }),
    covers,
    ...(reason === null ? {} : { reason }),
  }));
}

function scheduleOf(row: SqlRow): Schedule {
  const text = (column: string): string => String(row[column]);
  const optional = (column: string): string | null => (row[column] === null ? null : text(column));
  const number = (column: string): number | null => (row[column] === null ? null : Number(row[column]));
  const code = optional('error_code');
  return {
    project: text('project'),
    name: text('name'),
    id: text('id'),
    cron: text('cron'),
    zone: text('zone'),
    catchUp: CatchUp.parse(row['catch_up']),
    catchUpLimit: number('catch_up_limit') ?? 1,
    overlap: Overlap.parse(row['overlap']),
    title: text('title'),
    repository: optional('repository'),
    base: optional('base'),
    actor: text('actor'),
    createdAt: number('created_at') ?? 0,
    state: ScheduleState.parse(row['state']),
    reason: optional('reason'),
    nextSlot: number('next_slot'),
    tryAt: number('try_at'),
    lastRunId: optional('last_run_id'),
    failures: number('failures') ?? 0,
    lastError:
      code === null ? null : { code, message: optional('error_message') ?? '', at: number('error_at') ?? 0 },
  };
}
