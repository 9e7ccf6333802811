import {
  assertRunTransition,
  type BudgetBreach,
  type BudgetFacts,
  DEFAULT_PROJECT,
  PalisadeError,
  type RunState,
  type Spent,
} from '@palisade/contracts';
import type { ReadTx, SqlRow, WriteTx } from '@palisade/kernel';
import type { RootRun, RunBase, RunSettings } from './run.ts';
import { IS_AWAKE } from './rest-store.ts';
import { hash, json, number, optionalNumber, optionalText, runState, text } from './run-row.ts';

const ROOT_COLUMNS = `id, project, state, title, queue, actor, submitted_at, started_at, finished_at, deadline_at, reason,
  cancel_requested_at, cancel_reason, control_seq, base, settings, plan_ref, request_hash, rerun_of, open_ended, sealed_at,
  paused_at, paused_by, pause_reason, budget, spent, priority`;

/** A root run that anybody may see. */
const VISIBLE = 'parent_run_id IS NULL AND retired_at IS NULL';

export async function insertRootRun(tx: WriteTx, run: RootRun, keepMs: number | null = null): Promise<void> {
  await tx.sql.run(
    `INSERT INTO runs (id, project, kind, state, title, queue, actor, submitted_at, deadline_at, base, settings, plan_ref, request_hash, rerun_of, budget, priority, open_ended, keep_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      run.id,
      run.project,
      run.kind,
      run.state,
      run.title,
      run.queue,
      run.actor,
      run.submittedAt,
      run.deadlineAt,
      JSON.stringify(run.base),
      JSON.stringify(run.settings),
      run.planRef,
      run.requestHash,
      run.rerunOf,
      run.budget === null ? null : JSON.stringify(run.budget),
      run.priority,
      run.isOpenEnded ? 1 : 0,
      keepMs,
    ],
  );
}

/** The root run with this id, of whatever project, or undefined: for whoever owns it, never for what somebody asks. */
export async function findRootRun(tx: ReadTx, id: string): Promise<RootRun | undefined> {
  const row = await tx.sql.get(`SELECT ${ROOT_COLUMNS} FROM runs WHERE id = ? AND ${VISIBLE}`, [id]);
  return row === undefined ? undefined : rootRun(row);
}

/** The project's root run with this id, or undefined: that of another is as absent as none (EX-020). */
export async function findRunOf(tx: ReadTx, project: string, id: string): Promise<RootRun | undefined> {
  const run = await findRootRun(tx, id);
  return run?.project === project ? run : undefined;
}

/**
 * Resolves what a person types about a project's runs: a full id, the name the run was given, a unique prefix of it (with or without `run_`), or `-` for
 * the newest run. Raises `not_found` or `ambiguous_id`.
 */
export async function resolveRun(tx: ReadTx, project: string, ref: string): Promise<RootRun> {
  if (ref === '-') {
    const newest = (await listRootRuns(tx, { project, limit: 1 }))[0];
    if (newest === undefined)
      throw new PalisadeError('not_found', 'there are no runs yet', { next: 'palisade run plan.json' });
    return newest;
  }
  const exact = (await findRunOf(tx, project, ref)) ?? (await findRunOf(tx, project, `${project}~${ref}`));
  if (exact !== undefined) return exact;
  const rows = await tx.sql.all(
    `SELECT ${ROOT_COLUMNS} FROM runs WHERE project = ? AND ${VISIBLE} AND (substr(id, 1, ?) = ? OR substr(id, 1, ?) = ?) ORDER BY id LIMIT 2`,
    [project, ref.length, ref, ref.length + 4, `run_${ref}`],
  );
  const [first, second] = rows;
  if (first === undefined) throw new PalisadeError('not_found', `no run ${ref}`, { next: 'palisade status' });
  if (second !== undefined) {
    throw new PalisadeError('ambiguous_id', `${ref} is the start of several run ids`, {
      next: `give more of the id, e.g. ${String(first['id'])}`,
    });
  }
  return rootRun(first);
}

/** A project's root runs, newest first, after the position of an earlier page. */
export async function listRootRuns(
  tx: ReadTx,
  page: {
    readonly project: string;
    readonly limit: number;
    readonly before?: { readonly submittedAt: number; readonly id: string };
    readonly states?: readonly RunState[];
  },
): Promise<RootRun[]> {
  const where: string[] = ['project = ?', VISIBLE];
  const params: (string | number)[] = [page.project];
  if (page.before !== undefined) {
    where.push('(submitted_at < ? OR (submitted_at = ? AND id < ?))');
    params.push(page.before.submittedAt, page.before.submittedAt, page.before.id);
  }
  if (page.states !== undefined) {
    where.push(`state IN (${page.states.map(() => '?').join(', ')})`);
    params.push(...page.states);
  }
  const rows = await tx.sql.all(
    `SELECT ${ROOT_COLUMNS} FROM runs WHERE ${where.join(' AND ')} ORDER BY submitted_at DESC, id DESC LIMIT ?`,
    [...params, page.limit],
  );
  return rows.map(rootRun);
}

/** A root run that has not ended. */
export interface OpenRun {
  readonly id: string;
  readonly project: string;
  readonly queue: string;
  readonly priority: number;
  readonly submittedAt: number;
  /** Changes with every wish somebody writes for the run's owner. */
  readonly controlSeq: number;
}

/**
 * Root runs that have not ended and are not at rest at `now` (protected ms), at most `limit`, in id order
 * after `after`.
 */
export async function listOpenRuns(
  tx: ReadTx,
  after: string,
  limit: number,
  now: number,
): Promise<OpenRun[]> {
  const rows = await tx.sql.all<{
    id: string;
    project: string;
    queue: string;
    priority: number;
    submitted_at: number;
    control_seq: number;
  }>(
    `SELECT id, project, queue, priority, submitted_at, control_seq FROM runs WHERE parent_run_id IS NULL AND finished_at IS NULL
       AND (${IS_AWAKE} OR deadline_at <= ?) AND id > ? ORDER BY id LIMIT ?`,
    [now, after, limit],
  );
  return rows.map(({ submitted_at: submittedAt, control_seq: controlSeq, ...run }) => ({
    ...run,
    submittedAt,
    controlSeq,
  }));
}

/** Whose run it is: the default project's when it is nobody's. */
export async function projectOfRun(tx: ReadTx, id: string): Promise<string> {
  const row = await tx.sql.get<{ project: string }>('SELECT project FROM runs WHERE id = ?', [id]);
  return row?.project ?? DEFAULT_PROJECT;
}

/** True while a run of the project has not ended. */
export async function hasOpenRuns(tx: ReadTx, project: string): Promise<boolean> {
  const row = await tx.sql.get(
    'SELECT id FROM runs WHERE parent_run_id IS NULL AND finished_at IS NULL AND project = ? LIMIT 1',
    [project],
  );
  return row !== undefined;
}

/** Ids of ended root runs that are not sealed yet. */
export async function listUnsealedRuns(tx: ReadTx, limit: number): Promise<string[]> {
  const rows = await tx.sql.all<{ id: string }>(
    'SELECT id FROM runs WHERE parent_run_id IS NULL AND finished_at IS NOT NULL AND sealed_at IS NULL ORDER BY id LIMIT ?',
    [limit],
  );
  return rows.map((row) => row.id);
}

/**
 * Single-winner state change (EX-089): false when the run was no longer in `from`; `invalid_state` for one
 * that no run may make.
 */
export async function moveRootRun(
  tx: WriteTx,
  id: string,
  from: RunState,
  to: RunState,
  startedAt: number | null,
): Promise<boolean> {
  assertRunTransition(from, to);
  return (
    (await tx.sql.run(
      'UPDATE runs SET state = ?, started_at = COALESCE(started_at, ?) WHERE id = ? AND state = ?',
      [to, startedAt, id, from],
    )) === 1
  );
}

/** A run's one end (EX-089): false when it had already ended; `invalid_state` for an end it may not come to. */
export async function finishRootRun(
  tx: WriteTx,
  id: string,
  state: RunState,
  reason: string | null,
): Promise<boolean> {
  const row = await tx.sql.get('SELECT state FROM runs WHERE id = ? AND finished_at IS NULL', [id]);
  if (row === undefined) return false;
  const from = runState(row);
  assertRunTransition(from, state);
  return (
    (await tx.sql.run(
      'UPDATE runs SET state = ?, finished_at = ?, reason = ? WHERE id = ? AND state = ? AND finished_at IS NULL',
      [state, tx.now, reason, id, from],
    )) === 1
  );
}

/** Records the wish to stop; false when it was already recorded or the run has ended. */
export async function requestCancel(tx: WriteTx, id: string, reason: string | null): Promise<boolean> {
  return (
    (await tx.sql.run(
      `UPDATE runs SET cancel_requested_at = ?, cancel_reason = ?, control_seq = control_seq + 1
       WHERE id = ? AND finished_at IS NULL AND cancel_requested_at IS NULL`,
      [tx.now, reason, id],
    )) === 1
  );
}

/** Tells the run's owner to look for control wishes on its items. */
export async function bumpControl(tx: WriteTx, id: string): Promise<boolean> {
  return (
    (await tx.sql.run('UPDATE runs SET control_seq = control_seq + 1 WHERE id = ? AND finished_at IS NULL', [
      id,
    ])) === 1
  );
}

/** The control position and cancel wish of a run, for its owner's every step. */
export async function readControl(
  tx: ReadTx,
  id: string,
): Promise<{
  readonly seq: number;
  readonly cancel: string | null;
  readonly isPaused: boolean;
  readonly budget: BudgetFacts | null;
  readonly breach: BudgetBreach | null;
}> {
  const row = await tx.sql.get(
    'SELECT control_seq, cancel_requested_at, cancel_reason, paused_at, budget, breach FROM runs WHERE id = ?',
    [id],
  );
  if (row === undefined) throw new PalisadeError('not_found', `no run ${id}`);
  return {
    seq: number(row, 'control_seq'),
    cancel: row['cancel_requested_at'] === null ? null : (optionalText(row, 'cancel_reason') ?? 'canceled'),
    isPaused: row['paused_at'] !== null,
    budget: json<BudgetFacts>(row, 'budget'),
    breach: json<BudgetBreach>(row, 'breach'),
  };
}

export async function markSealed(tx: WriteTx, id: string): Promise<void> {
  await tx.sql.run('UPDATE runs SET sealed_at = ? WHERE id = ? AND sealed_at IS NULL', [tx.now, id]);
}

function pauseOf(row: SqlRow): RootRun['pause'] {
  const at = optionalNumber(row, 'paused_at');
  if (at === null) return null;
  return { at, by: text(row, 'paused_by'), reason: optionalText(row, 'pause_reason') };
}

function rootRun(row: SqlRow): RootRun {
  const base = json<RunBase>(row, 'base');
  const settings = json<RunSettings>(row, 'settings');
  if (base === null || settings === null)
    throw new PalisadeError('internal', 'a root run has no base or settings');
  return {
    id: text(row, 'id'),
    project: text(row, 'project'),
    kind: 'plan',
    state: runState(row),
    title: text(row, 'title'),
    queue: text(row, 'queue'),
    actor: text(row, 'actor'),
    submittedAt: number(row, 'submitted_at'),
    startedAt: optionalNumber(row, 'started_at'),
    finishedAt: optionalNumber(row, 'finished_at'),
    deadlineAt: optionalNumber(row, 'deadline_at'),
    reason: optionalText(row, 'reason'),
    cancelRequestedAt: optionalNumber(row, 'cancel_requested_at'),
    cancelReason: optionalText(row, 'cancel_reason'),
    base,
    settings,
    planRef: hash(row, 'plan_ref'),
    requestHash: text(row, 'request_hash'),
    rerunOf: optionalText(row, 'rerun_of'),
    isOpenEnded: number(row, 'open_ended') === 1,
    sealedAt: optionalNumber(row, 'sealed_at'),
    pause: pauseOf(row),
    priority: number(row, 'priority'),
    budget: json<BudgetFacts>(row, 'budget'),
    spent: json<Spent>(row, 'spent'),
  };
}
