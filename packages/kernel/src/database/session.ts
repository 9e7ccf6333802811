import { PalisadeError } from '@palisade/contracts';
import type { Database, SqlRow, SqlValue, Statements } from './database.ts';

/** Rows and changes of one statement whose placeholders are the dialect's own. */
export interface ExecuteResult {
  readonly rows: SqlRow[];
  readonly changes: number;
}

/**
 * One body's access to its connection. A statement that failed ends the unit of work on both
 * databases (PostgreSQL would refuse to go on, SQLite would silently lose one write): later
 * statements repeat the first failure, and the body cannot commit. A session is dead once its body
 * settled, so a forgotten promise can never write into somebody else's transaction.
 */
export interface Session extends Statements {
  readonly dialect: Database['dialect'];
  /** For the query builder: `sql` already carries the dialect's own placeholders. */
  execute(sql: string, params: readonly SqlValue[]): Promise<ExecuteResult>;
}

/** Lifetime and first failure of a session. */
export class SessionState {
  #ended = false;
  #failure: { readonly error: unknown } | undefined;

  /** Throws unless the session may run another statement with these parameters. */
  check(params: readonly SqlValue[]): void {
    if (this.#ended) throw new PalisadeError('internal', 'a transaction was used after its body had settled');
    if (this.#failure !== undefined) throw this.#failure.error;
    for (const param of params) {
      // PostgreSQL cannot hold U+0000 in TEXT and node:sqlite reads only up to it: refused on both.
      if (typeof param === 'string' && param.includes('\0'))
        throw this.fail(
          new PalisadeError('invalid_input', 'text with a NUL character cannot be stored outside JSON'),
        );
    }
  }

  /** Records the first failure and returns it. */
  fail<E>(error: E): E {
    this.#failure ??= { error };
    return error;
  }

  get failure(): { readonly error: unknown } | undefined {
    return this.#failure;
  }

  end(): void {
    this.#ended = true;
  }
}
