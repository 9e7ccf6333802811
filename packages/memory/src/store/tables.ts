import type { Schema, Table } from './schema.ts';

/*
 * What is kept about a repository. Everything of `DERIVED` can be made again from the repository and is
 * dropped when its form changes; `KEPT` is what people and agents said and did, and only ever grows
 * columns (L-03). Times are integer milliseconds of Unix time, paths the text form of their bytes.
 */

const DERIVED = {
  facts: { columns: { name: 'TEXT PRIMARY KEY', value: 'TEXT NOT NULL' } },
  authors: {
    columns: {
      id: 'INTEGER PRIMARY KEY',
      name: 'TEXT NOT NULL',
      email: 'TEXT NOT NULL UNIQUE',
      is_bot: 'INTEGER NOT NULL',
    },
  },
  commits: {
    columns: {
      id: 'INTEGER PRIMARY KEY',
      sha: 'TEXT NOT NULL UNIQUE',
      author: 'INTEGER NOT NULL',
      committed_at: 'INTEGER NOT NULL',
      subject: 'TEXT NOT NULL',
      body: 'TEXT NOT NULL',
      /** Files it changed. */
      width: 'INTEGER NOT NULL',
      is_fix: 'INTEGER NOT NULL',
    },
    indexes: ['committed_at', 'width'],
  },
  files: {
    columns: {
      id: 'INTEGER PRIMARY KEY',
      /** Its present name, or its last. */
      path: 'TEXT NOT NULL',
      is_gone: 'INTEGER NOT NULL DEFAULT 0',
      /** Whether it changes with everything, by its name (FF-156). */
      is_plumbing: 'INTEGER NOT NULL DEFAULT 0',
      churn: 'INTEGER NOT NULL DEFAULT 0',
      authors: 'INTEGER NOT NULL DEFAULT 0',
      fixes: 'INTEGER NOT NULL DEFAULT 0',
      /** Files that are there and share two commits with it. */
      neighbors: 'INTEGER NOT NULL DEFAULT 0',
      /** Commits that count for pairs. */
      paired: 'INTEGER NOT NULL DEFAULT 0',
      last_touched_at: 'INTEGER NOT NULL DEFAULT 0',
    },
    indexes: ['path', 'churn'],
  },
  /** Every name a file ever had, and whose it is now. */
  names: { columns: { path: 'TEXT PRIMARY KEY', file: 'INTEGER NOT NULL' }, options: 'WITHOUT ROWID' },
  changes: {
    columns: {
      file: 'INTEGER NOT NULL',
      commit_id: 'INTEGER NOT NULL',
    },
    key: 'PRIMARY KEY (file, commit_id)',
    options: 'WITHOUT ROWID',
    indexes: ['commit_id, file'],
  },
  /** One row for each content that was read. */
  structures: {
    columns: {
      id: 'INTEGER PRIMARY KEY',
      oid: 'TEXT NOT NULL',
      language: 'TEXT NOT NULL',
      /** JSON: the specifiers as they are written. */
      imports: 'TEXT NOT NULL',
      /** Of Go, what it names at its top and what it uses, with spaces between; files of a package need no imports for that. */
      defines: 'TEXT NOT NULL',
      uses: 'TEXT NOT NULL',
    },
    key: 'UNIQUE (oid, language)',
  },
  /** The files of the work tree that was indexed last, those that are not ignored. */
  tree: {
    columns: {
      path: 'TEXT PRIMARY KEY',
      folder: 'TEXT NOT NULL',
      /** Its name without ending and without what marks a test. */
      stem: 'TEXT NOT NULL',
      oid: 'TEXT NOT NULL',
      /** Null of what has no structure: another kind of file, or too big. */
      structure: 'INTEGER',
    },
    options: 'WITHOUT ROWID',
    indexes: ['folder', 'stem', 'structure'],
  },
  /** Which file leads to which: `source` imports `target`. */
  links: {
    columns: { source: 'TEXT NOT NULL', target: 'TEXT NOT NULL' },
    key: 'PRIMARY KEY (source, target)',
    options: 'WITHOUT ROWID',
    indexes: ['target'],
  },
} as const satisfies Record<string, Table>;

const KEPT = {
  tasks: {
    columns: {
      branch: 'TEXT PRIMARY KEY',
      goal: 'TEXT NOT NULL',
      /** JSON: paths. */
      scope_paths: 'TEXT NOT NULL',
      started_at: 'INTEGER NOT NULL',
    },
  },
  verification_runs: {
    columns: {
      id: 'INTEGER PRIMARY KEY',
      tier: 'TEXT NOT NULL',
      command: 'TEXT NOT NULL',
      /** Null when it did not end by itself. */
      exit_code: 'INTEGER',
      outcome: 'TEXT NOT NULL',
      duration_ms: 'INTEGER NOT NULL',
      changed_files: 'TEXT NOT NULL',
      cwd: 'TEXT NOT NULL',
      commit_sha: 'TEXT',
      branch: 'TEXT',
      ran_at: 'INTEGER NOT NULL',
      /** What the work tree held that was not committed, see `changeId`; null of those that are from before it was kept. */
      change_id: 'TEXT',
    },
    indexes: ['ran_at'],
  },
} as const satisfies Record<string, Table>;

export const REPOSITORY_SCHEMA: Schema = {
  form: 7,
  derived: DERIVED,
  kept: KEPT,
  what: 'the memory of this repository',
  lost: 'tasks and verifications in it are not read',
  again: 'pal repo index --rebuild',
};
