import type { Table } from '../../store/schema.ts';
import type { UserSchema } from '../../store/user-database.ts';

/*
 * What is kept of transcripts, for one user and all repositories. Every text in it went through the redaction of
 * `kept-text.ts`. Times are integer milliseconds of Unix time; null where a transcript does not say.
 */

const DERIVED = {
  /** Folders that transcripts are read from. */
  roots: {
    columns: {
      id: 'INTEGER PRIMARY KEY',
      machine: 'TEXT NOT NULL',
      path: 'TEXT NOT NULL',
      /** Whether somebody named it; the others are where the harnesses keep theirs. */
      is_included: 'INTEGER NOT NULL',
    },
    key: 'UNIQUE (machine, path)',
  },
  /** One file each, by machine and path, not by the session it says it is (FF-146). */
  sources: {
    columns: {
      id: 'INTEGER PRIMARY KEY',
      /** Of machine and path. */
      key: 'TEXT NOT NULL UNIQUE',
      root: 'INTEGER NOT NULL',
      path: 'TEXT NOT NULL',
      /** Null when no harness claims it. */
      harness: 'TEXT',
      /** Device and inode. */
      file: 'TEXT NOT NULL',
      size: 'INTEGER NOT NULL',
      modified_at: 'INTEGER NOT NULL',
      /** JSON: `[[from, to], …]`, the bytes that were read; more than one when the middle was left out. */
      ranges: 'TEXT NOT NULL',
      /** CRC-32 of those bytes, by which it is known again. */
      crc: 'INTEGER NOT NULL',
      lines: 'INTEGER NOT NULL',
      unknown_records: 'INTEGER NOT NULL',
      malformed_lines: 'INTEGER NOT NULL',
      oversized_lines: 'INTEGER NOT NULL',
      skipped_bytes: 'INTEGER NOT NULL',
      indexed_at: 'INTEGER NOT NULL',
      /** Raised whenever what is kept of it changes. */
      revision: 'INTEGER NOT NULL',
      /** JSON: what reading on needs to know. */
      state: 'TEXT NOT NULL',
    },
    indexes: ['root', 'file'],
  },
  sessions: {
    columns: {
      source: 'INTEGER PRIMARY KEY',
      id: 'TEXT NOT NULL',
      parent: 'TEXT',
      agent: 'TEXT',
      harness: 'TEXT NOT NULL',
      machine: 'TEXT NOT NULL',
      title: 'TEXT NOT NULL',
      first_user_message: 'TEXT',
      last_agent_message: 'TEXT',
      cwd: 'TEXT',
      client: 'TEXT',
      model_provider: 'TEXT',
      model: 'TEXT',
      cli_version: 'TEXT',
      git_branch: 'TEXT',
      git_origin_url: 'TEXT',
      created_at: 'INTEGER',
      updated_at: 'INTEGER NOT NULL',
      status: 'TEXT NOT NULL',
      is_truncated: 'INTEGER NOT NULL',
      /** What the harness itself counts; null when it keeps no count. */
      tokens_used: 'INTEGER',
      /** JSON: texts. */
      commands: 'TEXT NOT NULL',
      tool_names: 'TEXT NOT NULL',
      errors: 'TEXT NOT NULL',
    },
    indexes: ['id', 'parent', 'updated_at', 'cwd'],
  },
  session_files: {
    columns: { source: 'INTEGER NOT NULL', path: 'TEXT NOT NULL' },
    key: 'PRIMARY KEY (source, path)',
    options: 'WITHOUT ROWID',
  },
  messages: {
    columns: {
      id: 'INTEGER PRIMARY KEY',
      source: 'INTEGER NOT NULL',
      line: 'INTEGER NOT NULL',
      at: 'INTEGER',
      role: 'TEXT NOT NULL',
      tool: 'TEXT',
      /** The provider's. */
      message_id: 'TEXT',
      text: 'TEXT NOT NULL',
    },
    indexes: ['source'],
  },
  /** Which runs of three characters are in messages from one to another: see `text-blocks.ts`. */
  text_blocks: {
    columns: {
      first: 'INTEGER PRIMARY KEY',
      last: 'INTEGER NOT NULL',
      source: 'INTEGER NOT NULL',
      characters: 'INTEGER NOT NULL',
      bits: 'BLOB NOT NULL',
    },
    indexes: ['source'],
  },
  /** By the provider's id of the answer: a copy of it in another file is the same (FF-148, FF-149). */
  usage: {
    columns: {
      source: 'INTEGER NOT NULL',
      message_id: 'TEXT NOT NULL',
      at: 'INTEGER',
      model: 'TEXT',
      input: 'INTEGER NOT NULL',
      output: 'INTEGER NOT NULL',
      cache_read: 'INTEGER NOT NULL',
      cache_write: 'INTEGER NOT NULL',
    },
    key: 'PRIMARY KEY (source, message_id)',
    options: 'WITHOUT ROWID',
    indexes: ['message_id'],
  },
  /** Words, for ranked search. */
  message_words: {
    columns: { text: '' },
    key: `content='messages', content_rowid='id', tokenize='unicode61 remove_diacritics 2'`,
    isFullText: true,
  },
  /** Pieces of sessions that have a vector; `hash` is of their text and of how long pieces are. */
  chunks: {
    columns: {
      source: 'INTEGER NOT NULL',
      embedding: 'INTEGER NOT NULL',
      seq: 'INTEGER NOT NULL',
      hash: 'TEXT NOT NULL',
      line: 'INTEGER NOT NULL',
    },
    key: 'PRIMARY KEY (embedding, source, seq)',
    options: 'WITHOUT ROWID',
    indexes: ['source', 'embedding, hash'],
  },
  /** Up to which revision of a source its pieces have vectors (D-07: no cursor of times). */
  embedded: {
    columns: { embedding: 'INTEGER NOT NULL', source: 'INTEGER NOT NULL', revision: 'INTEGER NOT NULL' },
    key: 'PRIMARY KEY (embedding, source)',
    options: 'WITHOUT ROWID',
    indexes: ['source'],
  },
} as const satisfies Record<string, Table>;

const KEPT = {
  /** Vectors of different models are never compared (L-20). */
  embeddings: {
    columns: { id: 'INTEGER PRIMARY KEY', provider: 'TEXT NOT NULL', model: 'TEXT NOT NULL' },
    key: 'UNIQUE (provider, model)',
  },
  vectors: {
    columns: { embedding: 'INTEGER NOT NULL', hash: 'TEXT NOT NULL', vector: 'BLOB NOT NULL' },
    key: 'PRIMARY KEY (embedding, hash)',
    options: 'WITHOUT ROWID',
  },
} as const satisfies Record<string, Table>;

export const TRANSCRIPT_SCHEMA: UserSchema = {
  file: 'transcripts.db',
  variable: 'PALISADE_TRANSCRIPTS_DB',
  form: 3,
  derived: DERIVED,
  kept: KEPT,
  what: 'the index of transcripts',
  lost: 'vectors in it are not read',
  again: 'pal transcript index --rebuild',
};
