import type { ReadTx } from '../database.ts';
import { pause, PATIENCE_MS } from '../patience.ts';
import { runPromptly } from '../prompt-body.ts';
import { ReadTransaction } from '../transaction.ts';
import { fromPostgres, isConnectionLoss } from './postgres-errors.ts';
import type { PostgresPool } from './postgres-pool.ts';
import { PostgresSession } from './postgres-session.ts';

const BEGIN = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
SET LOCAL idle_in_transaction_session_timeout = '10s'`;

/** Runs a body on one snapshot; starts again when the server went away, because a read leaves nothing behind. */
export async function readSnapshot<T>(
  pool: PostgresPool,
  body: (tx: ReadTx) => Promise<T>,
  prepare: boolean,
): Promise<T> {
  const until = performance.now() + PATIENCE_MS;
  for (let attempt = 0; ; attempt++) {
    try {
      return await readOnce(pool, body, prepare, until);
    } catch (error) {
      if (!isConnectionLoss(error) || performance.now() > until) throw fromPostgres(error);
    }
    await pause(attempt, 250);
  }
}

async function readOnce<T>(
  pool: PostgresPool,
  body: (tx: ReadTx) => Promise<T>,
  prepare: boolean,
  until: number,
): Promise<T> {
  const client = await pool.acquire(until);
  let broken = true;
  try {
    const session = new PostgresSession(client, prepare);
    await client.query(BEGIN);
    let outcome: { readonly value: T } | { readonly error: unknown };
    try {
      const running = new ReadTransaction(session);
      outcome = { value: await runPromptly(() => body(running), { atWork: () => session.atWork }) };
    } catch (error) {
      outcome = { error };
    }
    await session.settled();
    session.state.end();
    if (session.state.failure !== undefined) outcome = { error: session.state.failure.error };
    await client.query('ROLLBACK');
    broken = false;
    if ('error' in outcome) throw outcome.error;
    return outcome.value;
  } finally {
    client.release(broken);
  }
}
