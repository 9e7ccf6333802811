import { PalisadeError } from '@palisade/contracts';
import type { Database, ReadTx, WriteOptions, WriteTx } from '../database.ts';
import type { ResolvedOptions } from '../options.ts';
import { PATIENCE_MS, pause } from '../patience.ts';
import { fromPostgres, isConnectionLoss, isContention } from './postgres-errors.ts';
import { PostgresPool } from './postgres-pool.ts';
import { readSnapshot } from './postgres-reader.ts';
import { migrate } from './postgres-schema.ts';
import { PostgresWakeups } from './postgres-wakeups.ts';
import { PostgresWriter } from './postgres-writer.ts';
import { refusedAtOpen } from './refused-at-open.ts';

/** Commit markers are needed for as long as somebody may ask for an outcome: two patiences; kept ten times that. */
const MARKER_AGE_MS = 600_000;
const SWEEP_MS = 60_000;

/** PostgreSQL 13 or later; several processes may share one database and schema. */
export class PostgresDatabase implements Database {
  readonly dialect = 'postgres';
  readonly isReadOnly = false;
  readonly #pool: PostgresPool;
  readonly #writer: PostgresWriter;
  readonly #wakeups: PostgresWakeups;
  readonly #sweep: NodeJS.Timeout;
  readonly #running = new Set<Promise<unknown>>();
  #closed = false;

  private constructor(pool: PostgresPool, options: ResolvedOptions) {
    this.#pool = pool;
    this.#writer = new PostgresWriter(pool, options);
    this.#wakeups = new PostgresWakeups(pool, options.url, options.onFault);
    this.#sweep = setInterval(() => void this.#sweepMarkers(), SWEEP_MS).unref();
  }

  /** Waits for a server that is starting or full, then brings the schema up to date. */
  static async open(options: ResolvedOptions): Promise<PostgresDatabase> {
    const pool = new PostgresPool(options.url, options.connections);
    const until = performance.now() + PATIENCE_MS;
    try {
      for (let attempt = 0; ; attempt++) {
        try {
          await migrateOnce(pool, options, until);
          return new PostgresDatabase(pool, options);
        } catch (error) {
          const passing = isConnectionLoss(error) || isContention(error);
          if (!passing || performance.now() > until) throw error;
        }
        await pause(attempt, 250);
      }
    } catch (error) {
      await pool.close();
      throw refusedAtOpen(error, options.url) ?? fromPostgres(error);
    }
  }

  async read<T>(body: (tx: ReadTx) => Promise<T>): Promise<T> {
    return await this.#track(() => readSnapshot(this.#pool, body, this.#writer.prepare));
  }

  async write<T>(body: (tx: WriteTx) => Promise<T>, options: WriteOptions = {}): Promise<T> {
    return await this.#track(() => this.#writer.write(body, () => this.#wakeups.announce(), options));
  }

  onForeignCommit(listener: () => void): () => void {
    if (this.#closed) throw new PalisadeError('internal', 'the database is closed');
    return this.#wakeups.listen(listener);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearInterval(this.#sweep);
    await Promise.allSettled(this.#running);
    await this.#wakeups.close();
    await this.#pool.close();
  }

  async #track<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closed) throw new PalisadeError('internal', 'the database is closed');
    const running = work();
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  /** Housekeeping in a transaction of its own (FF-084). Whatever fails here is done a minute later. */
  async #sweepMarkers(): Promise<void> {
    await this.#track(async () => {
      const client = await this.#pool.acquire(performance.now());
      let broken = true;
      try {
        await client.query(
          'DELETE FROM kernel_commits WHERE ABS(at) < FLOOR(EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::BIGINT - $1::BIGINT',
          [MARKER_AGE_MS],
        );
        broken = false;
      } finally {
        client.release(broken);
      }
    }).catch(() => undefined);
  }
}

async function migrateOnce(pool: PostgresPool, options: ResolvedOptions, until: number): Promise<void> {
  const client = await pool.acquire(until);
  let broken = true;
  try {
    await migrate(client, options.migrations);
    broken = false;
  } finally {
    client.release(broken);
  }
}
