import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import type { Fields } from '../events.ts';
import { MAX_LINE_BYTES } from '../reading/line-reader.ts';
import { regularFacts } from '../reading/regular-file.ts';
import type { Facts, Place } from '../reading/source.ts';
import { type SessionStore, type StoredMessage, StoredSession, type StoredText } from './stored-session.ts';

/*
 * OpenCode since version 1.2: `opencode.db`, with a row for each session, message and part of a message. The schema is
 * another program's: it is opened to read only, and asked for what it has (L-15). Its other tables hold accounts and
 * are never read.
 */

/** There is one for each channel that versions come from. */
export const OPENCODE_DATABASE = /^opencode(?:-[\w.-]+)?\.db$/;

const NEEDED = {
  session: ['id', 'directory'],
  message: ['id', 'session_id', 'data'],
  part: ['id', 'message_id', 'session_id', 'data'],
} as const;
/** Times beyond are no times; they would not fit a number of JavaScript. */
const LATEST_MS = Date.UTC(2200);

type Row = Record<string, SQLOutputValue>;

/**
 * The sessions of a database, with what tells whether each changed. Errors: for what is no such database, and those of
 * SQLite.
 */
export function databasePlaces(path: string): readonly Place[] {
  using foreign = new OpenCodeDatabase(path);
  return foreign.sessions().map(({ id, facts }) => ({
    path: `${path}#${id}`,
    facts: () => facts,
    open: () => new StoredSession(new SessionRows(new OpenCodeDatabase(path), id)),
  }));
}

/** Which sessions a database has. Errors: as {@link databasePlaces}, with its path. */
export function sessionsIn(path: string): readonly string[] {
  try {
    using foreign = new OpenCodeDatabase(path);
    return foreign.sessions().map(({ id }) => id);
  } catch (error) {
    throw new Error(`${path}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

class OpenCodeDatabase implements Disposable {
  readonly file: string;
  readonly #path: string;
  readonly #modifiedAt: number;
  readonly #database: DatabaseSync;
  readonly #columns: ReadonlyMap<string, ReadonlySet<string>>;

  constructor(path: string) {
    const { file, modifiedAt } = regularFacts(path);
    this.file = file;
    this.#path = path;
    this.#modifiedAt = Math.max(modifiedAt, changedAt(`${path}-wal`));
    this.#database = new DatabaseSync(path, { readOnly: true, timeout: 1000 });
    try {
      this.#columns = new Map(Object.keys(NEEDED).map((table) => [table, this.#columnsOf(table)]));
      for (const [table, columns] of Object.entries(NEEDED))
        for (const column of columns)
          if (!this.has(table, column)) throw new Error(`it has no ${table}.${column}`);
      // What is read of a session is of one moment.
      this.#database.exec('BEGIN');
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  has(table: string, column: string): boolean {
    return this.#columns.get(table)?.has(column) === true;
  }

  all(sql: string, ...values: string[]): Row[] {
    return this.#database.prepare(sql).all(...values);
  }

  iterate(sql: string, ...values: (number | string)[]): Iterable<Row> {
    return this.#database.prepare(sql).iterate(...values);
  }

  /** When a row changed, in SQL; without such a column the time of the file. */
  changed(table: string): string {
    return this.has(table, 'time_updated')
      ? `coalesce(CAST(${table}.time_updated AS INTEGER), 0)`
      : String(this.#modifiedAt);
  }

  /** In SQL: the order of a table's rows. */
  order(table: string): string {
    return this.has(table, 'time_created') ? `${table}.time_created, ${table}.id` : `${table}.id`;
  }

  /** @param only the one with this id */
  sessions(only?: string): readonly { id: string; facts: Facts }[] {
    const of = (table: string): string =>
      `SELECT session_id, sum(octet_length(data)) AS bytes, max(${this.changed(table)}) AS changed FROM ${table}
       ${only === undefined ? '' : 'WHERE session_id = ?'} GROUP BY session_id`;
    return this.all(
      `SELECT session.id, coalesce(m.bytes, 0) + coalesce(p.bytes, 0) AS bytes,
         min(max(${this.changed('session')}, coalesce(m.changed, 0), coalesce(p.changed, 0)), ${LATEST_MS}) AS changed
       FROM session LEFT JOIN (${of('message')}) m ON m.session_id = session.id
       LEFT JOIN (${of('part')}) p ON p.session_id = session.id
       ${only === undefined ? '' : 'WHERE session.id = ?'} ORDER BY session.id`,
      ...(only === undefined ? [] : [only, only, only]),
    ).map(({ id, bytes, changed }) => ({
      id: String(id),
      facts: {
        file: `${this.file}#${String(id)}`,
        size: Number(bytes),
        // A clock that is ahead would keep it busy for ever.
        modifiedAt: Math.min(Number(changed), this.#modifiedAt),
      },
    }));
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }

  #columnsOf(table: string): ReadonlySet<string> {
    const columns = this.all('SELECT name FROM pragma_table_info(?)', table);
    return new Set(columns.map(({ name }) => String(name)));
  }

  toString(): string {
    return this.#path;
  }
}

class SessionRows implements SessionStore {
  readonly facts: Facts;
  readonly info: Fields;
  readonly messages: readonly StoredMessage[];
  readonly #foreign: OpenCodeDatabase;

  constructor(foreign: OpenCodeDatabase, id: string) {
    this.#foreign = foreign;
    try {
      const [session] = foreign.sessions(id);
      if (session === undefined) throw new Error(`${foreign.toString()} has no session ${id} any more`);
      this.facts = session.facts;
      this.info = infoOf(foreign.all('SELECT * FROM session WHERE id = ?', id)[0] ?? {});
      this.messages = foreign
        .all(
          `SELECT message.id, octet_length(message.data) + coalesce(sum(octet_length(part.data)), 0) AS bytes,
             min(max(${foreign.changed('message')}, coalesce(max(${foreign.changed('part')}), 0)), ${LATEST_MS}) AS changed
           FROM message LEFT JOIN part ON part.message_id = message.id WHERE message.session_id = ?
           GROUP BY message.id ORDER BY ${foreign.order('message')}`,
          id,
        )
        .map(({ id: message, bytes, changed }) => ({
          id: String(message),
          bytes: Number(bytes),
          changedAt: Number(changed),
        }));
    } catch (error) {
      foreign[Symbol.dispose]();
      throw error;
    }
  }

  *texts(id: string): Generator<StoredText> {
    yield* this.#texts('message', 'id', id);
    yield* this.#texts('part', 'message_id', id);
  }

  *#texts(table: string, column: string, id: string): Generator<StoredText> {
    for (const { bytes, data } of this.#foreign.iterate(
      `SELECT octet_length(data) AS bytes, CASE WHEN octet_length(data) <= ? THEN data END AS data
       FROM ${table} WHERE ${column} = ? ORDER BY id`,
      MAX_LINE_BYTES,
      id,
    ))
      yield { bytes: Number(bytes), text: data === null ? undefined : String(data) };
  }

  [Symbol.dispose](): void {
    this.#foreign[Symbol.dispose]();
  }
}

/** A row of `session` in the form that `opencode export` gives it. */
function infoOf(row: Row): Fields {
  return {
    id: row['id'],
    parentID: row['parent_id'],
    directory: row['directory'],
    title: row['title'],
    version: row['version'],
    agent: row['agent'],
    model: typeof row['model'] === 'string' ? jsonOf(row['model']) : undefined,
    time: { created: row['time_created'] },
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function changedAt(path: string): number {
  try {
    return regularFacts(path).modifiedAt;
  } catch {
    return 0;
  }
}
