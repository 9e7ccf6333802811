import type { Table } from '../store/schema.ts';
import type { UserSchema } from '../store/user-database.ts';

/*
 * What the sessions of a user's agents tell each other, for all repositories. Nothing of it can be made again. Texts went
 * through the redaction of transcripts; lists are JSON; times are milliseconds of Unix time.
 */

const id = 'INTEGER PRIMARY KEY AUTOINCREMENT';

const KEPT = {
  /** Every session that said something here (WM-071). */
  sessions: {
    columns: {
      id: 'INTEGER PRIMARY KEY',
      provider: 'TEXT NOT NULL',
      session_id: 'TEXT NOT NULL',
      machine: 'TEXT NOT NULL',
    },
    key: 'UNIQUE (provider, session_id, machine)',
  },
  manifests: {
    columns: {
      session: 'INTEGER PRIMARY KEY',
      cwd: 'TEXT NOT NULL',
      repository: 'TEXT',
      goal: 'TEXT',
      current_step: 'TEXT',
      files: 'TEXT NOT NULL',
      next_actions: 'TEXT NOT NULL',
      risks: 'TEXT NOT NULL',
      blockers: 'TEXT NOT NULL',
      stop_condition: 'TEXT',
      source_pid: 'INTEGER',
      updated_at: 'INTEGER NOT NULL',
    },
  },
  handoffs: {
    columns: {
      id,
      from_session: 'INTEGER NOT NULL',
      to_session: 'INTEGER',
      repository: 'TEXT',
      summary: 'TEXT NOT NULL',
      pending_actions: 'TEXT NOT NULL',
      blockers: 'TEXT NOT NULL',
      status: 'TEXT NOT NULL',
      accepted_by: 'INTEGER',
      created_at: 'INTEGER NOT NULL',
      accepted_at: 'INTEGER',
    },
    indexes: ['status'],
  },
  claims: {
    columns: {
      id,
      session: 'INTEGER NOT NULL',
      repository: 'TEXT NOT NULL',
      target_type: 'TEXT NOT NULL',
      target: 'TEXT NOT NULL',
      intent: 'TEXT',
      lease_until: 'INTEGER NOT NULL',
      status: 'TEXT NOT NULL',
      created_at: 'INTEGER NOT NULL',
      released_at: 'INTEGER',
    },
    indexes: ['repository, status', 'session, status'],
  },
  authority: {
    columns: {
      id,
      level: 'TEXT NOT NULL',
      action: 'TEXT NOT NULL',
      target: 'TEXT',
      details: 'TEXT',
      requested_by: 'TEXT NOT NULL',
      actor: 'TEXT NOT NULL',
      idempotency_key: 'TEXT NOT NULL UNIQUE',
      status: 'TEXT NOT NULL',
      decided_by: 'TEXT',
      reason: 'TEXT',
      created_at: 'INTEGER NOT NULL',
      decided_at: 'INTEGER',
      dispatched_at: 'INTEGER',
    },
    indexes: ['status'],
  },
  gates: {
    columns: {
      id,
      event: 'TEXT NOT NULL',
      type: 'TEXT NOT NULL',
      required_attestations: 'INTEGER NOT NULL',
      status: 'TEXT NOT NULL',
      opened_by: 'TEXT NOT NULL',
      created_at: 'INTEGER NOT NULL',
      closed_at: 'INTEGER',
    },
    indexes: ['status'],
  },
  /** Each attester once. */
  attestations: {
    columns: {
      gate: 'INTEGER NOT NULL',
      attester: 'TEXT NOT NULL',
      verdict: 'TEXT NOT NULL',
      evidence: 'TEXT',
      at: 'INTEGER NOT NULL',
    },
    key: 'PRIMARY KEY (gate, attester)',
  },
  reviews: {
    columns: {
      id,
      subject: 'TEXT NOT NULL',
      details: 'TEXT',
      repository: 'TEXT',
      requested_by: 'TEXT NOT NULL',
      status: 'TEXT NOT NULL',
      decision: 'TEXT',
      decided_by: 'TEXT',
      note: 'TEXT',
      created_at: 'INTEGER NOT NULL',
      closed_at: 'INTEGER',
    },
    indexes: ['status'],
  },
  owned: {
    columns: {
      id: 'TEXT PRIMARY KEY',
      machine: 'TEXT NOT NULL',
      /** Of this run of the id; every process of it has it in its environment. */
      token: 'TEXT NOT NULL',
      command: 'TEXT NOT NULL',
      cwd: 'TEXT NOT NULL',
      log: 'TEXT NOT NULL',
      is_background: 'INTEGER NOT NULL',
      /** Names of processes, which tell a recycled pid. */
      runner: 'TEXT NOT NULL',
      child: 'TEXT',
      status: 'TEXT NOT NULL',
      exit_code: 'INTEGER',
      signal: 'TEXT',
      failure: 'TEXT',
      runs: 'INTEGER NOT NULL',
      started_at: 'INTEGER NOT NULL',
      ended_at: 'INTEGER',
      /** When its runner last said that it lives. */
      seen_at: 'INTEGER NOT NULL',
    },
  },
} as const satisfies Record<string, Table>;

/** What was changed by the calls of an idempotency key: numbers of rows. An answer of another form says nothing any more. */
const ANSWERS = {
  answers: {
    columns: {
      key: 'TEXT PRIMARY KEY',
      request: 'TEXT NOT NULL',
      rows: 'TEXT NOT NULL',
      at: 'INTEGER NOT NULL',
    },
    options: 'WITHOUT ROWID',
  },
} as const satisfies Record<string, Table>;

export const CONSOLE_SCHEMA: UserSchema = {
  file: 'console.db',
  variable: 'PALISADE_CONSOLE_DB',
  form: 2,
  derived: ANSWERS,
  kept: KEPT,
  what: 'what sessions tell each other',
  lost: 'claims and requests in it are not read',
  again: 'put the file aside',
};
