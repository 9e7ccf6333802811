import { type PoolClient, type QueryConfig, type QueryResult } from 'pg';
import type { SqlRow, SqlValue } from '../database.ts';
import { type ExecuteResult, type Session, SessionState } from '../session.ts';
import { numberPlaceholders } from './placeholders.ts';
import { fromPostgres } from './postgres-errors.ts';

const NONE: readonly SqlValue[] = [];

/** Name of each hot statement, the same on every connection of this process. */
const names = new Map<string, string>();

function statementName(text: string): string {
  let name = names.get(text);
  if (name === undefined) {
    name = `palisade_${names.size}`;
    names.set(text, name);
  }
  return name;
}

/** A body's access to a PostgreSQL connection. Statements run one after another, however they were called. */
export class PostgresSession implements Session {
  readonly dialect = 'postgres';
  readonly state = new SessionState();
  readonly #client: PoolClient;
  readonly #prepare: boolean;
  #last: Promise<unknown> = Promise.resolve();
  #running = 0;

  /** `prepare`: keep hot statements prepared on the connection under a name. */
  constructor(client: PoolClient, prepare: boolean) {
    this.#client = client;
    this.#prepare = prepare;
  }

  async all<R = SqlRow>(sql: string, params: readonly SqlValue[] = NONE): Promise<R[]> {
    return (await this.#hot(sql, params)).rows as R[];
  }

  async get<R = SqlRow>(sql: string, params: readonly SqlValue[] = NONE): Promise<R | undefined> {
    return (await this.#hot(sql, params)).rows[0] as R | undefined;
  }

  async run(sql: string, params: readonly SqlValue[] = NONE): Promise<number> {
    return (await this.#hot(sql, params)).rowCount ?? 0;
  }

  async execute(text: string, params: readonly SqlValue[]): Promise<ExecuteResult> {
    const { rows, rowCount } = await this.#query({ text, values: [...params] }, params);
    return { rows, changes: rowCount ?? 0 };
  }

  /** True while a statement is on its way. */
  get atWork(): boolean {
    return this.#running > 0;
  }

  /** Resolves when no statement is on its way any more. */
  async settled(): Promise<void> {
    await this.#last;
  }

  #hot(sql: string, params: readonly SqlValue[]): Promise<QueryResult<SqlRow>> {
    const text = numberPlaceholders(sql);
    const values = [...params];
    return this.#query(
      this.#prepare ? { name: statementName(text), text, values } : { text, values },
      params,
    );
  }

  async #query(query: QueryConfig, params: readonly SqlValue[]): Promise<QueryResult<SqlRow>> {
    this.state.check(params);
    this.#running++;
    const result = this.#last.then(() => {
      this.state.check(NONE);
      return this.#client.query<SqlRow>(query);
    });
    this.#last = result.then(
      () => undefined,
      () => undefined,
    );
    try {
      return await result;
    } catch (error) {
      throw this.state.fail(fromPostgres(error));
    } finally {
      this.#running--;
    }
  }
}
