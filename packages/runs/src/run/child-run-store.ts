import {
  type AttemptOutcome,
  AttemptOutcomeValue,
  assertRunTransition,
  type Charge,
  chargeOf,
  type ContentHash,
  type ProductFacts,
  type RunState,
  type WorkerProcess,
} from '@palisade/contracts';
import type { ReadTx, SqlRow, WriteTx } from '@palisade/kernel';
import type { ChildRun } from './run.ts';
import { putRefs, refsOf } from './product-refs.ts';
import { hash, json, number, optionalNumber, optionalText, runState, text } from './run-row.ts';

/** The intent of one attempt: committed before its first effect. */
export interface NewChildRun {
  readonly id: string;
  readonly rootRunId: string;
  readonly project: string;
  /** `approval`: no program carries it out, a person decides. */
  readonly kind: 'command' | 'agent' | 'approval';
  readonly itemId: string;
  readonly attempt: number;
  readonly title: string;
  readonly queue: string;
  readonly actor: string;
  readonly deadlineAt: number;
  readonly manifestRef: ContentHash;
  readonly agent: string;
  /** The model it is told to use; null when the agent's own. */
  readonly model: string | null;
  /** What it may cost at most, micro-dollars; null when nobody said. */
  readonly reservedMicroUsd: number | null;
}

export async function insertChildRun(tx: WriteTx, run: NewChildRun): Promise<void> {
  await tx.sql.run(
    `INSERT INTO runs (id, project, kind, parent_run_id, item_id, attempt, state, title, queue, actor, submitted_at, started_at, deadline_at, manifest_ref,
       agent, model, reserved_micro_usd)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      run.id,
      run.project,
      run.kind,
      run.rootRunId,
      run.itemId,
      run.attempt,
      run.kind === 'approval' ? 'waiting' : 'running',
      run.title,
      run.queue,
      run.actor,
      tx.now,
      tx.now,
      run.deadlineAt,
      run.manifestRef,
      run.agent,
      run.model,
      run.reservedMicroUsd,
    ],
  );
}

/**
 * Records who carries an attempt out: false when that is known already, or the attempt has ended. What
 * is committed names the process for whoever looks for it later, from any other process (DI-081).
 */
export async function markStarted(tx: WriteTx, id: string, worker: WorkerProcess): Promise<boolean> {
  return (
    (await tx.sql.run('UPDATE runs SET worker = ? WHERE id = ? AND worker IS NULL AND finished_at IS NULL', [
      worker,
      id,
    ])) === 1
  );
}

/** What an attempt will leave is stored before its end is: from now on it is kept. */
export async function keepProduct(tx: WriteTx, id: string, product: ProductFacts): Promise<void> {
  const row = await tx.sql.get(
    'UPDATE runs SET product = ? WHERE id = ? AND finished_at IS NULL RETURNING project, parent_run_id',
    [JSON.stringify(product), id],
  );
  if (row !== undefined) await putRefs(tx, whoseOf(row), refsOf(product));
}

/**
 * Ends a child run once and records what it counts for; null when it had already ended, and then nothing may be
 * written for it. What an attempt used is told with its end, so it is counted once however often it was recovered.
 */
export async function finishChildRun(
  tx: WriteTx,
  id: string,
  end: {
    readonly state: RunState;
    readonly outcome: AttemptOutcome;
    readonly exitCode: number | null;
    readonly code: string | null;
    readonly reason: string | null;
    readonly product: ProductFacts | null;
    /** Addresses of outputs that the product leaves to a listing. */
    readonly listed?: readonly ContentHash[] | undefined;
  },
): Promise<Charge | null> {
  // It is running from its intent on.
  assertRunTransition('running', end.state);
  const usage = end.product?.usage;
  const told = chargeOf(usage, null, 0);
  const model = usage?.models === undefined || usage.models.length === 0 ? null : usage.models.join('+');
  // As `chargeOf` has it: without a report it counts what it was allowed to cost.
  const row = await tx.sql.get(
    `UPDATE runs SET state = ?, outcome = ?, exit_code = ?, code = ?, reason = ?, product = ?, finished_at = ?,
       cost_micro_usd = COALESCE(?, reserved_micro_usd), tokens = ?, run_ms = ? - started_at, model = COALESCE(?, model)
     WHERE id = ? AND finished_at IS NULL RETURNING project, parent_run_id, cost_micro_usd, run_ms`,
    [
      end.state,
      end.outcome,
      end.exitCode,
      end.code,
      end.reason,
      end.product === null ? null : JSON.stringify(end.product),
      tx.now,
      told.costMicroUsd,
      told.tokens,
      tx.now,
      model,
      id,
    ],
  );
  if (row === undefined) return null;
  await putRefs(tx, whoseOf(row), [...refsOf(end.product ?? {}), ...(end.listed ?? [])]);
  return {
    costMicroUsd: optionalNumber(row, 'cost_micro_usd'),
    tokens: told.tokens,
    runMs: number(row, 'run_ms'),
  };
}

/** Attempts looked up by one statement. */
const LOOK_UP_AT_ONCE = 100;

/** An attempt that ended: what it was, and how long it ran. */
export interface EndedAttempt {
  readonly id: string;
  readonly kind: NewChildRun['kind'];
  readonly runMs: number;
}

/** Of the attempts with these ids those that have ended. */
export async function endedAttempts(tx: ReadTx, ids: readonly string[]): Promise<EndedAttempt[]> {
  const found: EndedAttempt[] = [];
  for (let i = 0; i < ids.length; i += LOOK_UP_AT_ONCE) {
    const some = ids.slice(i, i + LOOK_UP_AT_ONCE);
    const rows = await tx.sql.all<{ id: string; kind: NewChildRun['kind']; run_ms: number }>(
      `SELECT id, kind, run_ms FROM runs WHERE run_ms IS NOT NULL AND id IN (${some.map(() => '?').join(', ')})`,
      some,
    );
    found.push(...rows.map(({ id, kind, run_ms: runMs }) => ({ id, kind, runMs })));
  }
  return found;
}

/** The attempts of a run, in order of items and attempts; without their products, which may be big. */
export async function listChildRuns(tx: ReadTx, rootRunId: string, itemId?: string): Promise<ChildRun[]> {
  const rows = await tx.sql.all(
    `SELECT id, parent_run_id, item_id, attempt, state, started_at, finished_at, deadline_at, outcome, exit_code, code, reason, worker,
       manifest_ref FROM runs WHERE parent_run_id = ?${itemId === undefined ? '' : ' AND item_id = ?'} ORDER BY item_id, attempt`,
    itemId === undefined ? [rootRunId] : [rootRunId, itemId],
  );
  return rows.map((row) => ({
    id: text(row, 'id'),
    rootRunId: text(row, 'parent_run_id'),
    itemId: text(row, 'item_id'),
    attempt: number(row, 'attempt'),
    state: runState(row),
    startedAt: number(row, 'started_at'),
    finishedAt: optionalNumber(row, 'finished_at'),
    deadlineAt: number(row, 'deadline_at'),
    outcome: outcome(row),
    exitCode: optionalNumber(row, 'exit_code'),
    code: optionalText(row, 'code'),
    reason: optionalText(row, 'reason'),
    worker: optionalText(row, 'worker'),
    manifestRef: hash(row, 'manifest_ref'),
  }));
}

/** What an attempt left; null while it has not ended. */
export async function childRunProduct(tx: ReadTx, id: string): Promise<ProductFacts | null> {
  const row = await tx.sql.get('SELECT product FROM runs WHERE id = ?', [id]);
  return row === undefined ? null : json<ProductFacts>(row, 'product');
}

function whoseOf(row: SqlRow) {
  return { project: text(row, 'project'), runId: text(row, 'parent_run_id') };
}

function outcome(row: SqlRow): AttemptOutcome | null {
  const value = optionalText(row, 'outcome');
  return value === null ? null : AttemptOutcomeValue.parse(value);
}
