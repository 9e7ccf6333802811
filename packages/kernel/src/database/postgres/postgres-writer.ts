import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { newId, PalisadeError } from '@palisade/contracts';
import { type PoolClient } from 'pg';
import { clockPaused, END_AUTHORITY, OPEN_INCIDENT, turnedBack } from '../clock-incidents.ts';
import type { WriteOptions, WriteTx } from '../database.ts';
import { pause, PATIENCE_MS } from '../patience.ts';
import { runPromptly } from '../prompt-body.ts';
import type { OnEvents, ResolvedOptions } from '../options.ts';
import { ROLLBACK_MS } from '../protected-clock.ts';
import { WriteTransaction } from '../transaction.ts';
import {
  fromPostgres,
  isConnectionLoss,
  isContention,
  isLapse,
  isPreparedStatementTrouble,
  isServersAnswer,
  isUniqueViolation,
} from './postgres-errors.ts';
import type { PostgresPool } from './postgres-pool.ts';
import { WALL } from './postgres-schema.ts';
import { PostgresSession } from './postgres-session.ts';

const SERIALIZABLE = 'BEGIN ISOLATION LEVEL SERIALIZABLE';
const GUARDED = 'BEGIN ISOLATION LEVEL READ COMMITTED';

/*
 * Every unit of work holds ENTER from before its snapshot to its end; an incident of the clock is recorded under CLOSE, which waits for all
 * of them and lets nobody in meanwhile. So what was under way commits before the incident, which ends what it granted, and what comes
 * later sees it. LOCK TABLE takes no snapshot, ENTER is a fast-path lock in the round trip that begins, and neither is in the way of who only reads.
 */
const ENTER = 'LOCK TABLE kernel_clock_incidents IN ROW EXCLUSIVE MODE';
const CLOSE = 'LOCK TABLE kernel_clock_incidents IN SHARE ROW EXCLUSIVE MODE';

/** Unique violations that may be lost races before one counts as a fact. */
const UNIQUE_RETRIES = 2;
const LAPSE_RETRIES = 2;

/** Longest pause between two attempts. */
const RETRY_PAUSE_MS = 60;

/** As a transaction takes it in, ms; see `clockAhead`. */
interface Time {
  readonly now: number;
  readonly wall: number;
  readonly ahead: number;
}

type Attempt<T> =
  | { readonly kind: 'committed'; readonly value: T; readonly written: boolean }
  | { readonly kind: 'again'; readonly error: unknown; readonly broken?: boolean }
  | { readonly kind: 'refused'; readonly error: unknown };

/**
 * Units of work as SERIALIZABLE transactions with bounded retry. What is retried is known to have left
 * nothing behind; when the answer to a COMMIT got lost, the outcome is established first. A unit of work
 * costs two round trips beside its own statements.
 */
export class PostgresWriter {
  readonly #onEvents: OnEvents | undefined;
  readonly #pool: PostgresPool;
  readonly #wallClock: (() => number) | undefined;
  readonly #onFault: (error: unknown) => void;
  readonly #pausesOnRollback: boolean;
  readonly #onWarning: (message: string) => void;
  /** What follows a commit follows for everybody: it is nobody's call. */
  readonly #outside = AsyncLocalStorage.snapshot();
  #prepare = true;

  /** An injected clock replaces the database server's. */
  constructor(pool: PostgresPool, options: ResolvedOptions) {
    this.#onEvents = options.onEvents;
    this.#pool = pool;
    this.#wallClock = options.injectedClock ? options.wallClock : undefined;
    this.#onFault = options.onFault;
    this.#pausesOnRollback = options.pausesOnRollback;
    this.#onWarning = options.onWarning;
  }

  /** Whether hot statements may be prepared under names; false once a pooler was seen to lose them. */
  get prepare(): boolean {
    return this.#prepare;
  }

  /** `written` is called before the value is returned when the transaction changed something. */
  async write<T>(
    body: (tx: WriteTx) => Promise<T>,
    written: () => void,
    options: WriteOptions = {},
  ): Promise<T> {
    const until = performance.now() + PATIENCE_MS;
    let uniqueViolations = 0;
    let lapses = 0;
    for (let attempt = 0; ; attempt++) {
      const outcome = await this.#attempt(body, options, until);
      if (outcome.kind === 'committed') {
        if (outcome.written) written();
        return outcome.value;
      }
      const { error } = outcome;
      const raced = isUniqueViolation(error) && ++uniqueViolations <= UNIQUE_RETRIES;
      // Whoever took the lease in this transaction takes another one; whoever came with one is refused by the body.
      const lapsed = isLapse(error) && ++lapses <= LAPSE_RETRIES;
      if ((outcome.kind === 'refused' && !raced && !lapsed) || performance.now() > until)
        throw fromPostgres(error);
      await pause(attempt, RETRY_PAUSE_MS);
    }
  }

  async #attempt<T>(
    body: (tx: WriteTx) => Promise<T>,
    options: WriteOptions,
    until: number,
  ): Promise<Attempt<T>> {
    let client: PoolClient;
    try {
      client = await this.#pool.acquire(until);
    } catch (error) {
      return { kind: 'refused', error };
    }
    let broken = true;
    try {
      const outcome = await this.#transaction(client, body, options);
      broken = outcome.kind === 'again' && (outcome.broken === true || isConnectionLoss(outcome.error));
      return outcome;
    } finally {
      client.release(broken);
    }
  }

  async #transaction<T>(
    client: PoolClient,
    body: (tx: WriteTx) => Promise<T>,
    options: WriteOptions,
  ): Promise<Attempt<T>> {
    const session = new PostgresSession(client, this.#prepare);
    const marker = randomBytes(16).toString('hex');
    let value: T;
    let tx: WriteTransaction;
    let ahead: number;
    try {
      const { paused, ...time } = await this.#begin(
        client,
        options.guarded === true ? GUARDED : SERIALIZABLE,
      );
      ahead = time.ahead;
      const isTurnedBack = !paused && this.#pausesOnRollback && wentBack(time);
      const isPaused = paused || (isTurnedBack && (await this.#endAuthority(client)));
      if (isPaused && options.whilePaused !== true) throw clockPaused();
      if (isTurnedBack) return { kind: 'again', error: clockPaused() };
      tx = new WriteTransaction(session, time);
      const running = tx;
      value = await runPromptly(() => body(running), { atWork: () => session.atWork });
      if (tx.appended.length > 0) await this.#onEvents?.(tx, tx.appended);
      await tx.finish();
      await session.settled();
      if (session.state.failure !== undefined) throw session.state.failure.error;
      session.state.end();
    } catch (error) {
      session.state.end();
      return await this.#rollBack(client, session, error);
    }
    let written: boolean;
    try {
      written = await this.#commit(client, marker, tx, ahead);
    } catch (error) {
      if (isServersAnswer(error)) return await this.#rollBack(client, session, error);
      if (!(await this.#didCommit(marker))) return { kind: 'again', error, broken: true };
      written = true;
    }
    this.#outside(() => tx.committed(this.#onFault));
    return { kind: 'committed', value, written };
  }

  async #begin(client: PoolClient, begin: string): Promise<Time & { readonly paused: boolean }> {
    return await this.#open(client, `${begin}; ${ENTER};`);
  }

  /**
   * Commits that the clock went back, and nothing of the unit of work that saw it (AC-276). The times are asked again under the lock:
   * meanwhile another may have recorded it, or granted something later than what was seen first. False when it is not so any more.
   */
  async #endAuthority(client: PoolClient): Promise<boolean> {
    await client.query(`ROLLBACK; ${GUARDED}; ${CLOSE}`);
    const { paused, ...time } = await this.#open(client);
    if (paused || !wentBack(time)) {
      await client.query('ROLLBACK');
      return paused;
    }
    const { now, wall } = time;
    const session = new PostgresSession(client, false);
    await session.run(OPEN_INCIDENT, [newId('clk'), wall, now]);
    for (const statement of END_AUTHORITY) await session.run(statement, [now, now]);
    await client.query('COMMIT');
    this.#onWarning(turnedBack(now, wall));
    return true;
  }

  /** What `kernel_open` tells, in one round trip with the statements before it. */
  async #open(client: PoolClient, before = ''): Promise<Time & { readonly paused: boolean }> {
    const told = await script<Time & { readonly paused: boolean }>(
      client,
      `${before} SELECT now, wall, paused, ahead FROM kernel_open(${this.#wall() ?? 'NULL'})`,
    );
    const time = told.at(-1);
    if (time === undefined) throw new PalisadeError('internal', 'the database did not tell its time');
    return time;
  }

  /** Commits, unless a lease that was valid at `tx.now` lapsed while this transaction waited for a lock. True when it had written. */
  async #commit(client: PoolClient, marker: string, tx: WriteTransaction, ahead: number): Promise<boolean> {
    const wall = ahead === 0 ? (this.#wall() ?? 'NULL') : `${this.#wall() ?? WALL} + ${ahead}`;
    const deadline = Number.isFinite(tx.deadline) ? tx.deadline : 'NULL';
    const [told] = await script<{ written: number }>(
      client,
      `SELECT kernel_before_commit('${marker}', ${tx.now}, ${wall}, ${deadline}) AS written; COMMIT`,
    );
    return told?.written === 1;
  }

  #wall(): number | null {
    return this.#wallClock === undefined ? null : Math.floor(this.#wallClock());
  }

  async #rollBack(client: PoolClient, session: PostgresSession, thrown: unknown): Promise<Attempt<never>> {
    // The statement that failed first decides, whatever the body made of it.
    const error = session.state.failure?.error ?? thrown;
    await session.settled();
    try {
      await client.query('ROLLBACK');
    } catch (lost) {
      // The connection is gone, and the transaction with it. A body's own refusal still stands.
      return this.#judge(isConnectionLoss(error) || session.state.failure !== undefined ? lost : error);
    }
    return this.#judge(error);
  }

  #judge(error: unknown): Attempt<never> {
    if (isPreparedStatementTrouble(error)) {
      this.#prepare = false;
      return { kind: 'again', error };
    }
    return { kind: isContention(error) || isConnectionLoss(error) ? 'again' : 'refused', error };
  }

  /**
   * Whether the transaction with this marker committed, after its COMMIT went unanswered. Inserting the
   * same marker waits for that transaction if it still runs; then either the marker is there, and it
   * committed, or ours is, and it never will. A transaction id would not do: after a crash the server
   * may give the same one to another transaction.
   */
  async #didCommit(marker: string): Promise<boolean> {
    const until = performance.now() + 2 * PATIENCE_MS;
    for (let attempt = 0; ; attempt++) {
      let client: PoolClient | undefined;
      let broken = true;
      try {
        client = await this.#pool.acquire(until);
        // A negative time marks our own row: this question may be asked again after another crash, and must
        // not take the row of its first asking for the transaction's.
        await client.query(
          `INSERT INTO kernel_commits (id, at)
           VALUES ($1, -FLOOR(EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::BIGINT) ON CONFLICT (id) DO NOTHING`,
          [marker],
        );
        const { rows } = await client.query<{ at: number }>('SELECT at FROM kernel_commits WHERE id = $1', [
          marker,
        ]);
        broken = false;
        const at = rows[0]?.at;
        return at !== undefined && at > 0;
      } catch (error) {
        if (!isConnectionLoss(error) || performance.now() > until)
          throw new PalisadeError(
            'internal',
            'the database went away during a commit; its outcome is unknown',
            {
              cause: error,
              next: 'look at the state before trying again',
            },
          );
      } finally {
        client?.release(broken);
      }
      await pause(attempt, 250);
    }
  }
}

/** Whether the clock tells less than was granted by it already, beyond what is taken for adjusting it (AC-275). */
function wentBack({ now, wall }: Time): boolean {
  return wall < now - ROLLBACK_MS;
}

interface Rows<R> {
  readonly rows: readonly R[];
}

/** The first row of each statement of a script that takes no values from outside: one round trip. */
async function script<R>(client: PoolClient, text: string): Promise<(R | undefined)[]> {
  // Of one statement there is no list.
  const results = (await client.query(text)) as unknown as Rows<R> | readonly Rows<R>[];
  return [results].flat().map(({ rows }) => rows[0]);
}
