type Columns = Readonly<Record<string, string>>;

export interface Table {
  /** Of a full-text index the types are options of its columns, as a rule none. */
  readonly columns: Columns;
  /** Further parts of the statement: keys over several columns, options of a full-text index. */
  readonly key?: string;
  readonly options?: string;
  readonly indexes?: readonly string[];
  /** A full-text index. */
  readonly isFullText?: true;
}

/**
 * What a database of memory is made of. Everything of `derived` can be made again from what it is about and is
 * dropped when its form changes; `kept` is what cannot, and only ever grows columns (L-03), which may be null or have a default: a file of an older form gets them when it is opened.
 */
export interface Schema {
  /** Raise it when the meaning of a derived table changes: the next index makes all of them anew. */
  readonly form: number;
  readonly derived: Readonly<Record<string, Table>>;
  readonly kept: Readonly<Record<string, Table>>;
  /** What messages call it. */
  readonly what: string;
  /** What a message says of what cannot be made again when it is damaged. */
  readonly lost: string;
  /** The command that makes it anew. */
  readonly again: string;
}

export function tablesOf(group: Readonly<Record<string, Table>>): readonly (readonly [string, Table])[] {
  return Object.entries(group);
}

/** The statements that make a table and its indexes, where they are missing. */
export function creationOf(name: string, table: Table): string {
  const columns = Object.entries(table.columns).map(([column, type]) => `${column} ${type}`);
  const parts = table.key === undefined ? columns : [...columns, table.key];
  if (table.isFullText === true)
    return `CREATE VIRTUAL TABLE IF NOT EXISTS ${name} USING fts5(${parts.join(', ')});`;
  const indexes = (table.indexes ?? []).map(
    (on, at) => `CREATE INDEX IF NOT EXISTS ${name}_by_${at} ON ${name} (${on});`,
  );
  return [
    `CREATE TABLE IF NOT EXISTS ${name} (${parts.join(', ')}) ${table.options ?? ''};`,
    ...indexes,
  ].join('\n');
}
