import type { SqlValue } from '../database.ts';

/** Values of a row in the order of the statement's columns. */
export type Values = readonly SqlValue[];

/** Rows of one statement, and characters and rows in all, that are worth keeping. */
const MOST_ROWS = 256;
const MOST_IN_ALL = 1_000_000;

/**
 * What statements answered in the newest snapshot of a connection that only reads. It holds as long as `PRAGMA data_version` says the same
 * inside the snapshot, which is the sign by which SQLite keeps its own pages: whatever anybody commits, the next snapshot forgets all
 * of it, so a revocation bites at the next call (AC-056). Rows are kept as values, and whoever is answered gets objects of their own. A
 * statement that took 5 to 16 µs takes 1 to 2 again.
 */
export class SnapshotRows {
  readonly #answers = new Map<string, Map<string, readonly Values[]>>();
  #version: unknown;
  #size = 0;

  /** Call at the beginning of each snapshot, with its version. */
  enter(version: unknown): void {
    if (version !== this.#version) this.#forget();
    this.#version = version;
  }

  /** What the statement answered before with these parameters, or what `read` answers now. */
  rows(
    how: 'all' | 'get',
    sql: string,
    params: readonly SqlValue[],
    read: () => readonly Values[],
  ): readonly Values[] {
    const key = keyOf(how, params);
    if (key === undefined) return read();
    const known = this.#answers.get(sql)?.get(key);
    if (known !== undefined) return known;
    const rows = read();
    this.#keep(sql, key, rows);
    return rows;
  }

  #keep(sql: string, key: string, rows: readonly Values[]): void {
    const size = sizeOf(rows) + key.length + sql.length;
    if (size > MOST_IN_ALL) return;
    if (this.#size + size > MOST_IN_ALL) this.#forget();
    this.#size += size;
    const answers = this.#answers.get(sql);
    if (answers === undefined) this.#answers.set(sql, new Map([[key, rows]]));
    else answers.set(key, rows);
  }

  #forget(): void {
    if (this.#size > 0) this.#answers.clear();
    this.#size = 0;
  }
}

/** Undefined for parameters of which two may look alike. */
function keyOf(how: string, params: readonly SqlValue[]): string | undefined {
  const isPlain = params.every(
    (param) => param === null || typeof param === 'string' || Number.isFinite(param),
  );
  return isPlain ? how + JSON.stringify(params) : undefined;
}

/** Characters and rows; too many of an answer that holds bytes, which whoever got them may change. */
function sizeOf(rows: readonly Values[]): number {
  if (rows.length > MOST_ROWS) return Number.POSITIVE_INFINITY;
  let size = 100;
  for (const row of rows) {
    size += 10 * row.length;
    for (const value of row) {
      if (typeof value === 'string') size += value.length;
      else if (value instanceof Uint8Array) return Number.POSITIVE_INFINITY;
    }
  }
  return size;
}
