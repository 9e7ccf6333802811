import type { SqlRow, SqlValue } from '../database.ts';
import { type ExecuteResult, type Session, SessionState } from '../session.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import { fromSqlite } from './sqlite-errors.ts';

const NONE: readonly SqlValue[] = [];

/** A body's access to a SQLite connection: every promise is settled when it is returned. */
export class SqliteSession implements Session {
  readonly dialect = 'sqlite';
  readonly state = new SessionState();
  readonly #connection: SqliteConnection;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  async all<R = SqlRow>(sql: string, params: readonly SqlValue[] = NONE): Promise<R[]> {
    this.state.check(params);
    try {
      return this.#connection.all(sql, params) as R[];
    } catch (error) {
      throw this.state.fail(fromSqlite(error));
    }
  }

  async get<R = SqlRow>(sql: string, params: readonly SqlValue[] = NONE): Promise<R | undefined> {
    this.state.check(params);
    try {
      return this.#connection.get(sql, params) as R | undefined;
    } catch (error) {
      throw this.state.fail(fromSqlite(error));
    }
  }

  async run(sql: string, params: readonly SqlValue[] = NONE): Promise<number> {
    this.state.check(params);
    try {
      return this.#connection.run(sql, params);
    } catch (error) {
      throw this.state.fail(fromSqlite(error));
    }
  }

  async execute(sql: string, params: readonly SqlValue[]): Promise<ExecuteResult> {
    this.state.check(params);
    try {
      return this.#connection.execute(sql, params);
    } catch (error) {
      throw this.state.fail(fromSqlite(error));
    }
  }
}
