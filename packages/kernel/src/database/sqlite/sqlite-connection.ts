import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { SqlRow, SqlValue } from '../database.ts';
import type { ExecuteResult } from '../session.ts';

/** Distinct statement texts kept prepared; the builder can make any number of them. */
const CACHED_STATEMENTS = 500;

/** What a connection waits synchronously for a lock: short, because it stops the whole process. */
const BUSY_TIMEOUT_MS = 2;

interface Prepared {
  readonly statement: StatementSync;
  readonly returnsRows: boolean;
}

/** One synchronous connection with its prepared statements. Throws SQLite's own errors. */
export class SqliteConnection {
  readonly #db: DatabaseSync;
  readonly #prepared = new Map<string, Prepared>();

  constructor(path: string, options: { readonly readOnly: boolean }) {
    this.#db = new DatabaseSync(path, {
      readOnly: options.readOnly,
      timeout: BUSY_TIMEOUT_MS,
      enableForeignKeyConstraints: true,
    });
  }

  all(sql: string, params: readonly SqlValue[]): SqlRow[] {
    return this.#prepare(sql).statement.all(...params);
  }

  get(sql: string, params: readonly SqlValue[]): SqlRow | undefined {
    return this.#prepare(sql).statement.get(...params);
  }

  run(sql: string, params: readonly SqlValue[]): number {
    return Number(this.#prepare(sql).statement.run(...params).changes);
  }

  execute(sql: string, params: readonly SqlValue[]): ExecuteResult {
    const { statement, returnsRows } = this.#prepare(sql);
    if (!returnsRows) return { rows: [], changes: Number(statement.run(...params).changes) };
    const rows = statement.all(...params);
    return { rows, changes: rows.length };
  }

  /** Statements without parameters, not cached: pragmas and migrations. */
  script(sql: string): void {
    this.#db.exec(sql);
  }

  /** False again when SQLite itself ended the transaction (full disk, I/O error). */
  get inTransaction(): boolean {
    return this.#db.isTransaction;
  }

  close(): void {
    this.#prepared.clear();
    if (this.#db.isOpen) this.#db.close();
  }

  #prepare(sql: string): Prepared {
    let prepared = this.#prepared.get(sql);
    if (prepared === undefined) {
      if (this.#prepared.size >= CACHED_STATEMENTS) this.#prepared.clear();
      const statement = this.#db.prepare(sql);
      prepared = { statement, returnsRows: statement.columns().length > 0 };
      this.#prepared.set(sql, prepared);
    }
    return prepared;
  }
}
