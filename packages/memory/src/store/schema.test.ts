import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CONSOLE_SCHEMA } from '../console/tables.ts';
import { TRANSCRIPT_SCHEMA } from '../transcripts/store/tables.ts';
import { openMemoryDatabase } from './memory-database.ts';
import { tablesOf } from './schema.ts';
import { REPOSITORY_SCHEMA } from './tables.ts';

const schemas = [REPOSITORY_SCHEMA, TRANSCRIPT_SCHEMA, CONSOLE_SCHEMA];

describe('tables of memory', () => {
  it('L-71: every time is an integer, so that the order of values is the order of times', () => {
    const times = schemas.flatMap(({ derived, kept }) =>
      [...tablesOf(derived), ...tablesOf(kept)].flatMap(([name, { columns, isFullText }]) =>
        isFullText === true
          ? []
          : Object.entries(columns).flatMap(([column, type]) =>
              /(?:^|_)(?:at|until|since|mtime|ms)$/.test(column) ? [`${name}.${column} ${type}`] : [],
            ),
      ),
    );
    expect(times.length).toBeGreaterThan(20);
    expect(times.filter((time) => !/^\S+ INTEGER(?: |$)/.test(time))).toEqual([]);
  });

  it.each(schemas)(
    'L-69: a file that was written before a column was thought of gets it, and keeps what people said: $what',
    (schema) => {
      const directory = mkdtempSync(join(tmpdir(), 'palisade-schema-'));
      onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
      const path = join(directory, 'older.db');
      openMemoryDatabase(path, schema, { create: true })[Symbol.dispose]();
      const [table, { columns }] = tablesOf(schema.kept)[0] ?? ['', { columns: {} }];
      const older = new DatabaseSync(path);
      const names = Object.keys(columns);
      const types = Object.values(columns);
      older
        .prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`)
        .run(...types.map((type, at) => (type.startsWith('INTEGER') ? at + 1 : `said ${at}`)));
      older.exec('PRAGMA user_version = 0');
      older.close();
      const grown = {
        ...schema,
        kept: {
          ...schema.kept,
          [table]: {
            ...schema.kept[table],
            columns: { ...columns, added: 'TEXT', counted: 'INTEGER NOT NULL DEFAULT 7' },
          },
        },
      };
      using database = openMemoryDatabase(path, grown, { create: false });
      const row = database.get(`SELECT * FROM ${table}`);
      expect(row).toMatchObject({ added: null, counted: 7 });
      expect(Object.values(row ?? {})).toContain(types[0]?.startsWith('INTEGER') ? 1 : 'said 0');
      // What cannot be added to rows that are there is named, and nothing is lost.
      const broken = {
        ...grown,
        form: grown.form + 1,
        kept: {
          ...grown.kept,
          [table]: { ...grown.kept[table], columns: { ...columns, added: 'TEXT', never: 'TEXT NOT NULL' } },
        },
      };
      expect(() => openMemoryDatabase(path, broken, { create: false })).toThrow(`${table}.never`);
    },
  );
});
