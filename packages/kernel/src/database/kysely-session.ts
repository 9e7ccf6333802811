import { createRequire } from 'node:module';
import { PalisadeError } from '@palisade/contracts';
import type { CompiledQuery, DatabaseConnection, Dialect, Driver, Kysely, QueryResult } from 'kysely';
import type { SqlValue } from './database.ts';
import type { Session } from './session.ts';

type Builder = typeof import('kysely');
const require = createRequire(import.meta.url);

/**
 * A Kysely instance whose every query runs in the session's transaction. The builder is loaded at its
 * first use: it is a third of the kernel's start, and short commands run hot statements only.
 */
export function kyselyOver<Tables>(session: Session): Kysely<Tables> {
  const builder = require('kysely') as Builder;
  return new builder.Kysely<Tables>({ dialect: sessionDialect(builder, session) });
}

function sessionDialect(builder: Builder, session: Session): Dialect {
  const createDriver = (): Driver => new SessionDriver(session);
  return session.dialect === 'sqlite'
    ? {
        createAdapter: () => new builder.SqliteAdapter(),
        createDriver,
        createIntrospector: (db) => new builder.SqliteIntrospector(db),
        createQueryCompiler: () => new builder.SqliteQueryCompiler(),
      }
    : {
        createAdapter: () => new builder.PostgresAdapter(),
        createDriver,
        createIntrospector: (db) => new builder.PostgresIntrospector(db),
        createQueryCompiler: () => new builder.PostgresQueryCompiler(),
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
