import { closeSync, existsSync, mkdirSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { isPalisadeError, PalisadeError } from '@palisade/contracts';
import { creationOf, type Schema, tablesOf } from './schema.ts';

/** How long a writer waits for one of another process (WM-003). */
const BUSY_MS = 60_000;
/** So much of a file stays in memory while it is open: the parts of one answer read the same pages. */
const CACHE_KB = 32 * 1024;
/** How long a statement waits by itself, which nothing can interrupt. */
const STATEMENT_MS = 2_000;
/** Whoever opens it at the same time makes its tables in a moment. */
const OPENING_MS = 10_000;
/** "PalM": what says that a file is ours. */
const APPLICATION = 0x50616c4d;

type Row = Readonly<Record<string, null | number | bigint | string | Uint8Array>>;

/**
 * A database of memory, of one repository or of a user's transcripts: WAL, one writer at a time, readers never wait (WM-003). Statements
 * are kept prepared by their text. Not for two threads.
 */
export class MemoryDatabase implements Disposable {
  readonly path: string;
  /** Why what was kept is not there any more; undefined as a rule. */
  readonly loss: string | undefined;
  readonly #database: DatabaseSync;
  readonly #schema: Schema;
  readonly #statements = new Map<string, StatementSync>();

  constructor(path: string, database: DatabaseSync, schema: Schema, loss?: string) {
    this.path = path;
    this.#database = database;
    this.#schema = schema;
    this.loss = loss;
  }

  all<R extends Row>(sql: string, ...values: SQLInputValue[]): R[] {
    return this.#guarded(() => this.#prepared(sql).all(...values)) as R[];
  }

  get<R extends Row>(sql: string, ...values: SQLInputValue[]): R | undefined {
    return this.#guarded(() => this.#prepared(sql).get(...values)) as R | undefined;
  }

  /** Returns the id of the row it inserted, if it did. */
  run(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.#guarded(() => this.#prepared(sql).run(...values)).lastInsertRowid);
  }

  /** From now on, until {@link write} or the end, what is read is of one moment. */
  freeze(): void {
    this.#guarded(() => this.#database.exec('BEGIN'));
  }

  /**
   * One transaction of a writer: everything in `body` is kept or nothing, whenever the process ends. Another writer is waited for
   * until `signal` aborts. Errors: `database_busy`, `canceled`.
   */
  async write<T>(body: () => Promise<T> | T, signal?: AbortSignal): Promise<T> {
    if (this.#database.isTransaction) this.#database.exec('COMMIT');
    await this.#begin(signal);
    try {
      const result = await body();
      this.#guarded(() => this.#database.exec('COMMIT'));
      return result;
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  /** Empties everything that can be made again. Within {@link write}. */
  clearDerived(): void {
    for (const [name] of tablesOf(this.#schema.derived))
      this.#guarded(() => this.#database.exec(`DELETE FROM ${name}`));
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }

  async #begin(signal: AbortSignal | undefined): Promise<void> {
    const deadline = performance.now() + BUSY_MS;
    for (;;) {
      try {
        this.#guarded(() => this.#database.exec('PRAGMA busy_timeout = 0; BEGIN IMMEDIATE'));
        return;
      } catch (error) {
        if (!isPalisadeError(error) || error.code !== 'database_busy' || performance.now() > deadline)
          throw error;
        await delay(25);
        if (signal?.aborted === true) throw new PalisadeError('canceled', 'stopped on request');
      } finally {
        this.#database.exec(`PRAGMA busy_timeout = ${STATEMENT_MS}`);
      }
    }
  }

  #guarded<T>(body: () => T): T {
    return guarded(this.#schema, body);
  }

  #prepared(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

export interface OpenOptions {
  readonly create: boolean;
  /** Reads every page for damage first. */
  readonly isThorough?: boolean;
}

/**
 * Opens the database at `path`, whose folder is there or is made. One that is missing is made, or with
 * `create: false` stood in for by an empty one that is kept nowhere. One that is damaged is put aside under a name
 * that says so and a new one begun; `loss` tells. Errors: `database_newer`, `database_busy`, `storage_full`.
 */
export function openMemoryDatabase(
  path: string,
  schema: Schema,
  { create, isThorough = false }: OpenOptions,
): MemoryDatabase {
  if (!create && !existsSync(path)) return new MemoryDatabase(path, prepared(':memory:', schema), schema);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  makeFile(path);
  try {
    const database = prepared(path, schema);
    if (!isThorough || isWhole(database)) return new MemoryDatabase(path, database, schema);
    database.close();
  } catch (error) {
    if (!(error instanceof DamagedDatabase)) throw error;
  }
  return afterDamage(path, schema);
}

/** Nobody else may read it, whoever may look into the folder; what belongs to it takes its mode after it. Raises `invalid_state` for a pipe and the like, which would be waited for. */
function makeFile(path: string): void {
  for (const each of [path, `${path}-wal`, `${path}-shm`])
    if (!(statSync(each, { throwIfNoEntry: false })?.isFile() ?? true))
      throw new PalisadeError('invalid_state', `${each} is no file`, { next: 'remove it' });
  closeSync(openSync(path, 'a', 0o600));
}

function isWhole(database: DatabaseSync): boolean {
  return database.prepare('PRAGMA quick_check(1)').get()?.['quick_check'] === 'ok';
}

function afterDamage(path: string, schema: Schema): MemoryDatabase {
  const aside = `${path}.damaged-${Math.trunc(statSync(path).mtimeMs)}`;
  renameSync(path, aside);
  for (const suffix of ['-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
  makeFile(path);
  const loss = `${schema.what} was damaged: it is kept as ${aside}, ${schema.lost}`;
  return new MemoryDatabase(path, prepared(path, schema), schema, loss);
}

function prepared(path: string, schema: Schema): DatabaseSync {
  const database = guarded(schema, () => new DatabaseSync(path, { timeout: OPENING_MS }));
  try {
    guarded(schema, () => {
      database.exec(
        `PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -${CACHE_KB};`,
      );
      // What SQLite itself folds is ASCII alone.
      database.function('folded', { deterministic: true }, (text) => String(text).toLowerCase());
      if (formOf(database, path, schema) !== schema.form) giveForm(database, path, schema);
    });
    assertColumns(database, path, schema);
    assertPlain(database, schema);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function formOf(database: DatabaseSync, path: string, { form: ours }: Schema): number {
  const form = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
  if (form <= ours) return form;
  throw new PalisadeError('database_newer', `${path} was written by a newer program`, {
    next: 'upgrade palisade',
  });
}

function giveForm(database: DatabaseSync, path: string, schema: Schema): void {
  const { form, derived, kept } = schema;
  database.exec('BEGIN IMMEDIATE');
  // Another process may have done it while this one waited.
  if (formOf(database, path, schema) !== form) {
    assertOurs(database, path);
    for (const [name] of tablesOf(derived)) database.exec(`DROP TABLE IF EXISTS ${name}`);
    for (const [name, table] of [...tablesOf(derived), ...tablesOf(kept)])
      database.exec(creationOf(name, table));
    for (const [name, { columns }] of tablesOf(kept)) {
      const present = columnsOf(database, name);
      for (const [column, type] of Object.entries(columns))
        if (!present.has(column) && isAddable(type))
          database.exec(`ALTER TABLE ${name} ADD COLUMN ${column} ${type}`);
    }
    database.exec(`PRAGMA application_id = ${APPLICATION}; PRAGMA user_version = ${form}`);
  }
  database.exec('COMMIT');
}

function columnsOf(database: DatabaseSync, table: string): ReadonlySet<unknown> {
  const rows = database.prepare('SELECT name FROM pragma_table_info(?)').all(table);
  return new Set(rows.map(({ name }) => name));
}

/** What older rows have nothing to say of: SQLite adds no other column. */
function isAddable(type: string): boolean {
  return !/PRIMARY KEY|UNIQUE/.test(type) && (!type.includes('NOT NULL') || type.includes('DEFAULT'));
}

/** Tables are dropped in no file but an empty one and one that is marked. */
function assertOurs(database: DatabaseSync, path: string): void {
  const mark = Number(database.prepare('PRAGMA application_id').get()?.['application_id']);
  const tables = Number(database.prepare('SELECT COUNT(*) AS n FROM sqlite_master').get()?.['n']);
  if (mark === APPLICATION || tables === 0) return;
  throw new PalisadeError('invalid_state', `${path} is a database of something else`, {
    next: 'name another file, or put this one aside',
  });
}

/** A column that only a creation statement knows would be missing in an older file (WM-003, L-69). */
function assertColumns(database: DatabaseSync, path: string, { derived, kept, again }: Schema): void {
  const missing = [...tablesOf(derived), ...tablesOf(kept)].flatMap(([name, { columns }]) => {
    const present = columnsOf(database, name);
    return Object.keys(columns)
      .filter((column) => !present.has(column))
      .map((column) => `${name}.${column}`);
  });
  if (missing.length === 0) return;
  throw new PalisadeError('internal', `${path} lacks ${missing.join(', ')}`, {
    next: `put the file aside; ${again} makes it anew`,
  });
}

/** Nothing in it runs when it is read or written: a view in place of a table may never end. */
function assertPlain(database: DatabaseSync, { what }: Schema): void {
  const found = database.prepare("SELECT name FROM sqlite_schema WHERE type IN ('view', 'trigger')").get();
  if (found !== undefined) throw new DamagedDatabase('invalid_state', `${what} has a view or a trigger`);
}

class DamagedDatabase extends PalisadeError {}

const CODES = { busy: [5, 6], full: [13], damaged: [11, 26], closed: [8, 14] } as const;

/** Says of what SQLite throws what a person can do about it. */
function guarded<T>({ what, again }: Schema, body: () => T): T {
  try {
    return body();
  } catch (error) {
    const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : undefined;
    if (code === undefined) throw error;
    if (CODES.busy.includes(code as never))
      throw new PalisadeError('database_busy', `another process writes ${what}`, {
        next: 'try again when its index is made',
        cause: error,
      });
    if (CODES.full.includes(code as never))
      throw new PalisadeError('storage_full', `no space is left for ${what}`, {
        cause: error,
      });
    if (CODES.closed.includes(code as never))
      throw new PalisadeError('requirements_unmet', `${what} cannot be written by this user`, {
        next: 'have its owner do it, or make the folder writable',
        cause: error,
      });
    if (CODES.damaged.includes(code as never))
      throw new DamagedDatabase('integrity_mismatch', `${what} is damaged`, {
        next: again,
        cause: error,
      });
    throw error;
  }
}
