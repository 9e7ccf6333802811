import type { ReadTx } from '../database.ts';
import { pause, PATIENCE_MS } from '../patience.ts';
import { runPromptly } from '../prompt-body.ts';
import { ReadTransaction } from '../transaction.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import { fromSqlite, isSqliteBusy } from './sqlite-errors.ts';
import { SqliteSession } from './sqlite-session.ts';

/** Bodies finish within microtasks, so few connections ever overlap. */
const READERS = 4;

/**
 * Connections for reading, opened when needed. Each body sees one snapshot, and the snapshot ends with
 * the body: a reader that lingers would keep the log from being checkpointed (FF-087).
 */
export class SqliteReaders {
  readonly #connect: () => SqliteConnection;
  readonly #limit: number;
  readonly #free: SqliteConnection[] = [];
  readonly #waiting: ((connection: SqliteConnection) => void)[] = [];
  #opened = 0;
  #closed: (() => void) | undefined;

  /** `connect` may throw SQLite's own errors; `limit` is how many connections there may be. */
  constructor(connect: () => SqliteConnection, limit: number = READERS) {
    this.#connect = connect;
    this.#limit = limit;
  }

  async read<T>(body: (tx: ReadTx) => Promise<T>): Promise<T> {
    const connection = await this.#acquire();
    try {
      await snapshot(connection);
      const session = new SqliteSession(connection);
      try {
        const value = await runPromptly(() => body(new ReadTransaction(session)));
        if (session.state.failure !== undefined) throw session.state.failure.error;
        return value;
      } finally {
        session.state.end();
        connection.run('ROLLBACK', []);
      }
    } catch (error) {
      throw fromSqlite(error);
    } finally {
      this.#release(connection);
    }
  }

  async #acquire(): Promise<SqliteConnection> {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    if (this.#opened < this.#limit) {
      this.#opened++;
      try {
        return this.#connect();
      } catch (error) {
        this.#opened--;
        throw fromSqlite(error);
      }
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #release(connection: SqliteConnection): void {
    const next = this.#waiting.shift();
    if (next !== undefined) return next(connection);
    this.#free.push(connection);
    if (this.#closed !== undefined) this.#closeFree();
  }

  #closeFree(): void {
    for (const connection of this.#free.splice(0)) {
      connection.close();
      this.#opened--;
    }
    if (this.#opened === 0) this.#closed?.();
  }

  /** Resolves when running bodies are done and every connection is closed. No body may be added. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#closed = resolve;
      this.#closeFree();
    });
  }
}

/** Begins and takes the snapshot now, while a busy file (recovery, a closing process) can still be waited out. */
async function snapshot(connection: SqliteConnection): Promise<void> {
  const until = performance.now() + PATIENCE_MS;
  for (let attempt = 0; ; attempt++) {
    try {
      connection.begin();
      return;
    } catch (error) {
      if (connection.inTransaction) connection.run('ROLLBACK', []);
      if (!isSqliteBusy(error) || performance.now() > until) throw error;
    }
    await pause(attempt, 20);
  }
}
