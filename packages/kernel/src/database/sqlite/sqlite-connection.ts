import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { SqlRow, SqlValue } from '../database.ts';
import type { ExecuteResult } from '../session.ts';
import { SnapshotRows, type Values } from './snapshot-rows.ts';

/** Distinct statement texts kept prepared; the builder can make any number of them. */
const CACHED_STATEMENTS = 500;

/** What a connection waits synchronously for a lock: short, because it stops the whole process. */
const BUSY_TIMEOUT_MS = 2;

interface Prepared {
  readonly statement: StatementSync;
  /** Names of the columns; none of a statement that returns no rows. */
  columns: readonly string[];
}

/**
 * One synchronous connection with its prepared statements. Throws SQLite's own errors. Rows are taken as arrays and named here: for a row of
 * 30 columns that takes 5 µs where `node:sqlite` takes 9, which asks for every name anew; 1.2 instead of 2.5 for two.
 */
export class SqliteConnection {
  readonly #db: DatabaseSync;
  readonly #prepared = new Map<string, Prepared>();
  /** Of a connection that only reads. */
  readonly #snapshot: SnapshotRows | undefined;

  constructor(path: string, options: { readonly readOnly: boolean }) {
    this.#db = new DatabaseSync(path, {
      readOnly: options.readOnly,
      timeout: BUSY_TIMEOUT_MS,
      enableForeignKeyConstraints: true,
    });
    this.#snapshot = options.readOnly ? new SnapshotRows() : undefined;
  }

  /** Begins a transaction and takes its snapshot now. */
  begin(): void {
    this.run('BEGIN', []);
    // It begins the reading, which BEGIN alone does not.
    const [version] = this.#prepare('PRAGMA data_version').statement.get() as unknown as Values;
    this.#snapshot?.enter(version);
  }

  all(sql: string, params: readonly SqlValue[]): SqlRow[] {
    const prepared = this.#prepare(sql);
    const read = (): Values[] => prepared.statement.all(...params) as unknown as Values[];
    const rows = this.#snapshot === undefined ? read() : this.#snapshot.rows('all', sql, params, read);
    return rows.map((values) => named(prepared, values));
  }

  get(sql: string, params: readonly SqlValue[]): SqlRow | undefined {
    const prepared = this.#prepare(sql);
    const read = (): Values[] => {
      const values = prepared.statement.get(...params) as unknown as Values | undefined;
      return values === undefined ? [] : [values];
    };
    const [first] = this.#snapshot === undefined ? read() : this.#snapshot.rows('get', sql, params, read);
    return first === undefined ? undefined : named(prepared, first);
  }

  run(sql: string, params: readonly SqlValue[]): number {
    return Number(this.#prepare(sql).statement.run(...params).changes);
  }

  execute(sql: string, params: readonly SqlValue[]): ExecuteResult {
    if (this.#prepare(sql).columns.length === 0) return { rows: [], changes: this.run(sql, params) };
    const rows = this.all(sql, params);
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
      statement.setReturnArrays(true);
      prepared = { statement, columns: namesOf(statement) };
      this.#prepared.set(sql, prepared);
    }
    return prepared;
  }
}

function namesOf(statement: StatementSync): readonly string[] {
  return statement.columns().map(({ name }) => name);
}

/** A statement is prepared anew by SQLite when the schema has changed meanwhile, and has other columns then. */
function named(prepared: Prepared, values: Values): SqlRow {
  if (values.length !== prepared.columns.length) prepared.columns = namesOf(prepared.statement);
  const { columns } = prepared;
  const row: Record<string, unknown> = { __proto__: null };
  for (let i = 0; i < columns.length; i++) row[columns[i] as string] = values[i];
  return row as SqlRow;
}
