import { PalisadeError } from '@palisade/contracts';
import type { ReadTx, WriteTx } from '@palisade/kernel';
import { type Rate, rateOf } from './rate.ts';

/** What a queue lets start and lets in. */
export interface QueueLimits {
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
  readonly name: string;
  readonly concurrency: number;
  readonly rate_starts: number | null;
  readonly rate_window_ms: number | null;
  readonly rate_full_at: number;
  readonly max_open_runs: number | null;
  readonly max_priority: number | null;
}

const COLUMNS = 'name, concurrency, rate_starts, rate_window_ms, rate_full_at, max_open_runs, max_priority';

/** The queue of that name, or undefined. */
export async function readQueue(tx: ReadTx, name: string): Promise<QueueLimits | undefined> {
  const row = await tx.sql.get<Row & Record<string, string | number | null>>(
    `SELECT ${COLUMNS} FROM queues WHERE name = ?`,
    [name],
  );
  return row === undefined ? undefined : limitsOf(row);
}

/** All queues by name. */
export async function readQueues(tx: ReadTx): Promise<QueueLimits[]> {
  const rows = await tx.sql.all<Row & Record<string, string | number | null>>(
    `SELECT ${COLUMNS} FROM queues ORDER BY name`,
  );
  return rows.map(limitsOf);
}

function limitsOf(row: Row): QueueLimits {
  return {
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
    `INSERT INTO queues (name, concurrency, rate_starts, rate_window_ms, max_open_runs, max_priority)
     VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (name) DO UPDATE SET concurrency = excluded.concurrency,
       rate_full_at = CASE WHEN queues.rate_starts = excluded.rate_starts AND queues.rate_window_ms = excluded.rate_window_ms
         THEN queues.rate_full_at ELSE 0 END,
       rate_starts = excluded.rate_starts, rate_window_ms = excluded.rate_window_ms,
       max_open_runs = excluded.max_open_runs, max_priority = excluded.max_priority`,
    [
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
export async function openRunsOf(tx: ReadTx, queue: string): Promise<number> {
  const row = await tx.sql.get<{ n: number }>(
    'SELECT COUNT(*) AS n FROM runs WHERE parent_run_id IS NULL AND finished_at IS NULL AND queue = ?',
    [queue],
  );
  return row?.n ?? 0;
}

/**
 * Lets a run into its queue, in the unit of work that admits it: a wish above the operator's ceiling is
 * `policy_denied`, a further run where as many are open as may be is `concurrency_exceeded`, which may help later.
 */
export async function assertLetIn(tx: ReadTx, queue: string, priority: number): Promise<void> {
  const limits = await readQueue(tx, queue);
  if (limits === undefined) return;
  const { maxPriority, maxOpenRuns } = limits;
  if (maxPriority !== null && priority > maxPriority)
    throw new PalisadeError(
      'policy_denied',
      `the run asks for priority ${priority}, and queue ${queue} lets runs have ${maxPriority} at most`,
      { next: `ask for less, or: palisade queue set ${queue} --max-priority ${priority}` },
    );
  if (maxOpenRuns === null) return;
  const open = await openRunsOf(tx, queue);
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
