import { DatabaseSync } from 'node:sqlite';
import { PalisadeError } from '@palisade/contracts';
import { formatVerifierKey, parseVerifierKey, type VerifierKey } from './verifier-key.ts';
import type { SeenHead, WitnessState } from './witness.ts';

/** A log as a witness lists it. */
export interface WatchedLog {
  readonly origin: string;
  readonly keys: number;
  /** Size of the tree cosigned last; 0 when none was. */
  readonly size: number;
}

/** How long a statement waits for another process that writes, ms. */
const BUSY_MS = 5_000;

/**
 * What a witness remembers, in one SQLite file. Every change is synced to the disk before it returns
 * (`synchronous = EXTRA` also syncs the directory), and a head is compared and replaced in one statement, so
 * that neither a crash nor a second process on the same file makes two histories possible.
 */
export class StoredWitnessState implements WitnessState {
  readonly #db: DatabaseSync;

  constructor(path: string) {
    this.#db = new DatabaseSync(path);
    this.#db.exec(`
      PRAGMA busy_timeout = ${BUSY_MS};
      PRAGMA synchronous = EXTRA;
      CREATE TABLE IF NOT EXISTS logs (origin TEXT NOT NULL, key TEXT NOT NULL, PRIMARY KEY (origin, key));
      CREATE TABLE IF NOT EXISTS heads (origin TEXT PRIMARY KEY, size INTEGER NOT NULL, root TEXT NOT NULL, note TEXT NOT NULL);
    `);
  }

  /** Watches a log by exactly these keys: one that is not named any more signs nothing for this witness. */
  watch(origin: string, keys: readonly VerifierKey[]): void {
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      this.#db.prepare('DELETE FROM logs WHERE origin = ?').run(origin);
      const insert = this.#db.prepare('INSERT OR IGNORE INTO logs (origin, key) VALUES (?, ?)');
      for (const { raw, type } of keys) insert.run(origin, formatVerifierKey(origin, raw, type));
      this.#db.exec('COMMIT');
    } catch (error) {
      this.#db.exec('ROLLBACK');
      throw error;
    }
  }

  logs(): WatchedLog[] {
    const rows = this.#db
      .prepare(
        'SELECT logs.origin AS origin, COUNT(*) AS keys, MAX(COALESCE(size, 0)) AS size FROM logs LEFT JOIN heads ON heads.origin = logs.origin GROUP BY logs.origin ORDER BY logs.origin',
      )
      .all();
    return rows.map((row) => ({
      origin: String(row['origin']),
      keys: Number(row['keys']),
      size: Number(row['size']),
    }));
  }

  keysOf(origin: string): readonly VerifierKey[] {
    const rows = this.#db.prepare('SELECT key FROM logs WHERE origin = ?').all(origin);
    return rows.map((row) => parseVerifierKey(String(row['key'])));
  }

  head(origin: string): SeenHead | null {
    const row = this.#db.prepare('SELECT size, root FROM heads WHERE origin = ?').get(origin);
    if (row === undefined) return null;
    const root = Buffer.from(String(row['root']), 'base64');
    if (root.length !== 32)
      throw new PalisadeError('integrity_mismatch', `the witness's record of ${origin} is damaged`);
    return { size: Number(row['size']), root };
  }

  advance(origin: string, from: SeenHead | null, to: SeenHead, note: string): boolean {
    const root = to.root.toString('base64');
    const { changes } =
      from === null
        ? this.#db
            .prepare(
              'INSERT INTO heads (origin, size, root, note) VALUES (?, ?, ?, ?) ON CONFLICT (origin) DO NOTHING',
            )
            .run(origin, to.size, root, note)
        : this.#db
            .prepare(
              'UPDATE heads SET size = ?, root = ?, note = ? WHERE origin = ? AND size = ? AND root = ?',
            )
            .run(to.size, root, note, origin, from.size, from.root.toString('base64'));
    return Number(changes) === 1;
  }

  close(): void {
    this.#db.close();
  }
}
