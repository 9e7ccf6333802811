import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { PalisadeError } from '@palisade/contracts';
import type { SqlValue } from './database.ts';
import type { Session } from './session.ts';

/** A Kysely instance whose every query runs in the session's transaction. */
export function kyselyOver<Tables>(session: Session): Kysely<Tables> {
  return new Kysely<Tables>({ dialect: sessionDialect(session) });
}

function sessionDialect(session: Session): Dialect {
  const createDriver = (): Driver => new SessionDriver(session);
  return session.dialect === 'sqlite'
    ? {
        createAdapter: () => new SqliteAdapter(),
        createDriver,
        createIntrospector: (db) => new SqliteIntrospector(db),
        createQueryCompiler: () => new SqliteQueryCompiler(),
      }
    : {
        createAdapter: () => new PostgresAdapter(),
        createDriver,
        createIntrospector: (db) => new PostgresIntrospector(db),
        createQueryCompiler: () => new PostgresQueryCompiler(),
      };
}

class SessionConnection implements DatabaseConnection {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { rows, changes } = await this.#session.execute(query.sql, query.parameters as readonly SqlValue[]);
    return { rows: rows as R[], numAffectedRows: BigInt(changes) };
  }

  // oxlint-disable-next-line require-yield
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new PalisadeError('internal', 'a unit of work does not stream: read in pages');
  }
}

/** The unit of work owns its transaction: the builder may not open or end another. */
class SessionDriver implements Driver {
  readonly #connection: SessionConnection;

  constructor(session: Session) {
    this.#connection = new SessionConnection(session);
  }

  async init(): Promise<void> {}
  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection;
  }
  async beginTransaction(): Promise<void> {
    throw new PalisadeError('internal', 'a unit of work already is a transaction');
  }
  async commitTransaction(): Promise<void> {}
  async rollbackTransaction(): Promise<void> {}
  async releaseConnection(): Promise<void> {}
  async destroy(): Promise<void> {}
}
