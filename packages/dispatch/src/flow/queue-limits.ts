import { PalisadeError } from '@palisade/contracts';
import type { ReadTx, WriteTx } from '@palisade/kernel';
import { type Rate, rateOf } from './rate.ts';

/** A queue by its name, which means one within its project alone. */
export interface QueueOf {
  readonly project: string;
  readonly queue: string;
}

/** What a queue lets start and lets in. */
export interface QueueLimits {
  readonly project: string;
  readonly name: string;
  readonly concurrency: number;
  readonly rate: Rate | null;
  /** See `rate.ts`. */
  readonly fullAt: number;
  /** Runs that have not ended; null: any number. */
  readonly maxOpenRuns: number | null;
  /** Null: the highest there is. */
  readonly maxPriority: number | null;
}

interface Row {
  readonly project: string;
  readonly name: string;
  readonly concurrency: number;
  readonly rate_starts: number | null;
  readonly rate_window_ms: number | null;
  readonly rate_full_at: number;
  readonly max_open_runs: number | null;
  readonly max_priority: number | null;
}

const COLUMNS =
  'project, name, concurrency, rate_starts, rate_window_ms, rate_full_at, max_open_runs, max_priority';

/** The project's queue of that name, or undefined. */
export async function readQueue(tx: ReadTx, project: string, name: string): Promise<QueueLimits | undefined> {
  const row = await tx.sql.get<Row & Record<string, string | number | null>>(
    `SELECT ${COLUMNS} FROM queues WHERE project = ? AND name = ?`,
    [project, name],
  );
  return row === undefined ? undefined : limitsOf(row);
}

/** A project's queues by name, or those of all. */
export async function readQueues(tx: ReadTx, project?: string): Promise<QueueLimits[]> {
  const rows = await tx.sql.all<Row & Record<string, string | number | null>>(
    `SELECT ${COLUMNS} FROM queues ${project === undefined ? '' : 'WHERE project = ?'} ORDER BY project, name`,
    project === undefined ? [] : [project],
  );
  return rows.map(limitsOf);
}

function limitsOf(row: Row): QueueLimits {
  return {
    project: row.project,
    name: row.name,
    concurrency: row.concurrency,
    rate: rateOf(row.rate_starts, row.rate_window_ms),
    fullAt: row.rate_full_at,
    maxOpenRuns: row.max_open_runs,
    maxPriority: row.max_priority,
  };
}

/** Creates a queue or changes its limits; a new rate begins with a full bucket. */
export async function putLimits(tx: WriteTx, limits: Omit<QueueLimits, 'fullAt'>): Promise<void> {
  await tx.sql.run(
    `INSERT INTO queues (project, name, concurrency, rate_starts, rate_window_ms, max_open_runs, max_priority)
     VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (project, name) DO UPDATE SET concurrency = excluded.concurrency,
       rate_full_at = CASE WHEN queues.rate_starts = excluded.rate_starts AND queues.rate_window_ms = excluded.rate_window_ms
         THEN queues.rate_full_at ELSE 0 END,
       rate_starts = excluded.rate_starts, rate_window_ms = excluded.rate_window_ms,
       max_open_runs = excluded.max_open_runs, max_priority = excluded.max_priority`,
    [
      limits.project,
      limits.name,
      limits.concurrency,
      limits.rate?.starts ?? null,
      limits.rate?.windowMs ?? null,
      limits.maxOpenRuns,
      limits.maxPriority,
    ],
  );
}

/** Runs of a queue that have not ended. */
export async function openRunsOf(tx: ReadTx, { project, queue }: QueueOf): Promise<number> {
  const row = await tx.sql.get<{ n: number }>(
    'SELECT COUNT(*) AS n FROM runs WHERE parent_run_id IS NULL AND finished_at IS NULL AND project = ? AND queue = ?',
    [project, queue],
  );
  return row?.n ?? 0;
}

/**
 * Lets a run into its queue, in the unit of work that admits it: a wish above the operator's ceiling is
 * `policy_denied`, a further run where as many are open as may be is `concurrency_exceeded`, which may help later.
 */
export async function assertLetIn(tx: ReadTx, { project, queue }: QueueOf, priority: number): Promise<void> {
  const limits = await readQueue(tx, project, queue);
  if (limits === undefined) return;
  const { maxPriority, maxOpenRuns } = limits;
  if (maxPriority !== null && priority > maxPriority)
    throw new PalisadeError(
      'policy_denied',
      `the run asks for priority ${priority}, and queue ${queue} lets runs have ${maxPriority} at most`,
      { next: `ask for less, or: palisade queue set ${queue} --max-priority ${priority}` },
    );
  if (maxOpenRuns === null) return;
  const open = await openRunsOf(tx, { project, queue });
  if (open < maxOpenRuns) return;
  throw new PalisadeError(
    'concurrency_exceeded',
    `queue ${queue} has ${open} open runs and takes ${maxOpenRuns} at most`,
    {
      why: 'one has to end before a further one is let in',
      next: `try again later, or: palisade queue set ${queue} --max-open-runs N`,
    },
  );
}
