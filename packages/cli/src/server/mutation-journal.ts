import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { PalisadeError } from '@palisade/contracts';
import { isDiskFull, makePrivate } from '@palisade/process';
import { UsageError } from '../tree/usage-error.ts';

/** A change as it was asked for, and as far as it came. */
export interface Mutation {
  readonly key: string;
  readonly tool: string;
  /** The arguments as JSON: what is sent again is this text and no other. */
  readonly args: string;
  readonly isPending: boolean;
}

/** What SQLite says of a file that another process has. */
const BUSY = 5;
const FILE = 'journal.db';
const FILES: readonly string[] = [FILE, `${FILE}-journal`];
/** What a journal may come to hold; an adapter takes nothing out of it (AO-144). */
const MAX_BYTES = 64 * 1024 * 1024;
const FORMAT = 1;

/** What becomes of a journal of another server or credential: nothing, or it is this one's as soon as no outcome is open in it. */
type OfOther = 'refuse' | 'adopt';

/**
 * Changes that were sent to a server, written down before they are sent, so that none is lost or done twice whatever dies (AO-039,
 * AO-139 … AO-143). The directory is its opener's alone: its file is locked by the system until it is closed.
 */
export class MutationJournal {
  /** An outcome is open of a change that was sent with another credential. */
  readonly isOfOther: boolean;
  readonly #db: DatabaseSync;

  private constructor(db: DatabaseSync, isOfOther: boolean) {
    this.#db = db;
    this.isOfOther = isOfOther;
  }

  /**
   * Opens the journal of a directory for a server and a credential; of the credential it keeps a digest. Refuses links, files that are not
   * its own, a directory that others reach, one in use, a damaged file, and one of another server or credential (AO-140).
   */
  static async open(
    directory: string,
    origin: string,
    token: string,
    ofOther: OfOther = 'refuse',
  ): Promise<MutationJournal> {
    assertOwnDirectory(directory);
    const { DatabaseSync } = await import('node:sqlite');
    const file = join(directory, FILE);
    try {
      makePrivate(file);
    } catch (error) {
      throw unusable(directory, error);
    }
    const db = new DatabaseSync(file);
    let isOfOther = false;
    const identity = createHash('sha256')
      .update(JSON.stringify([FORMAT, origin, token]))
      .digest('hex');
    try {
      db.exec(
        'PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON;',
      );
      db.exec('BEGIN EXCLUSIVE');
      db.exec(
        'CREATE TABLE IF NOT EXISTS identity (digest TEXT NOT NULL) STRICT;' +
          'CREATE TABLE IF NOT EXISTS mutations (seq INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, tool TEXT NOT NULL, args TEXT NOT NULL, pending INTEGER NOT NULL) STRICT;',
      );
      const { ok } = db.prepare('SELECT quick_check AS ok FROM pragma_quick_check').get() as { ok: string };
      if (ok !== 'ok') throw new UsageError(`the journal in ${directory} is damaged`);
      const known = db.prepare('SELECT digest FROM identity').get() as { digest: string } | undefined;
      if (known === undefined) db.prepare('INSERT INTO identity VALUES (?)').run(identity);
      else if (known.digest !== identity && ofOther === 'adopt') {
        isOfOther = db.prepare('SELECT 1 FROM mutations WHERE pending = 1').get() !== undefined;
        if (!isOfOther) db.prepare('UPDATE identity SET digest = ?').run(identity);
      } else if (known.digest !== identity)
        throw new UsageError(`the journal in ${directory} is of another server or credential`, {
          next: 'give a directory of its own with --state-dir',
        });
      db.exec('COMMIT');
    } catch (error) {
      db.close();
      throw error instanceof UsageError ? error : unusable(directory, error);
    }
    return new MutationJournal(db, isOfOther);
  }

  /** What kind of change is pending in a directory, read without having it; undefined also while another process has it open. */
  static async pendingTool(directory: string): Promise<string | undefined> {
    const file = join(directory, FILE);
    if (lstatSync(file, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
    const { DatabaseSync } = await import('node:sqlite');
    const db = new DatabaseSync(file, { readOnly: true });
    try {
      const row = db.prepare('SELECT tool FROM mutations WHERE pending = 1').get() as
        | { tool: string }
        | undefined;
      return row?.tool;
    } catch (error) {
      if ((error as { errcode?: unknown }).errcode === BUSY) return undefined;
      throw error;
    } finally {
      db.close();
    }
  }

  /** The change whose outcome is not known; undefined when there is none. */
  pending(): Mutation | undefined {
    return this.#one('SELECT * FROM mutations WHERE pending = 1');
  }

  /** The change that was written down last. */
  latest(): Mutation | undefined {
    return this.#one('SELECT * FROM mutations ORDER BY seq DESC LIMIT 1');
  }

  find(key: string): Mutation | undefined {
    return this.#one('SELECT * FROM mutations WHERE key = ?', key);
  }

  /** Whether a change with these arguments has room. */
  hasRoom(args: string): boolean {
    const { bytes } = this.#db
      .prepare('SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size')
      .get() as { bytes: number };
    return bytes + args.length * 4 < MAX_BYTES;
  }

  /** Writes a change down as pending; it is on the disk when this returns. Raises `storage_full` when it cannot be, and then it is not. */
  begin({ key, tool, args }: Omit<Mutation, 'isPending'>): void {
    try {
      this.#db
        .prepare('INSERT INTO mutations (key, tool, args, pending) VALUES (?, ?, ?, 1)')
        .run(key, tool, args);
    } catch (error) {
      throw unusable('the journal', error);
    }
  }

  /** Its outcome is known. */
  settle(key: string): void {
    this.#db.prepare('UPDATE mutations SET pending = 0 WHERE key = ?').run(key);
  }

  /** Its outcome is known, and it may hold a secret: nothing is left of it. */
  forget(key: string): void {
    this.#db.prepare('DELETE FROM mutations WHERE key = ?').run(key);
  }

  close(): void {
    this.#db.close();
  }

  #one(sql: string, ...values: readonly string[]): Mutation | undefined {
    const row = this.#db.prepare(sql).get(...values) as
      | { key: string; tool: string; args: string; pending: number }
      | undefined;
    return row === undefined
      ? undefined
      : { key: row.key, tool: row.tool, args: row.args, isPending: row.pending === 1 };
  }
}

function assertOwnDirectory(directory: string): void {
  if (!isAbsolute(directory)) throw new UsageError('--state-dir must be an absolute path');
  if (lstatSync(directory, { throwIfNoEntry: false }) === undefined)
    try {
      mkdirSync(directory, { mode: 0o700 });
    } catch (error) {
      throw unusable(directory, error);
    }
  const facts = lstatSync(directory);
  if (!facts.isDirectory()) throw new UsageError(`${directory} is no directory`);
  const isWindows = process.platform === 'win32';
  if (!isWindows && (facts.uid !== process.getuid?.() || (facts.mode & 0o077) !== 0))
    throw new UsageError(`others can reach ${directory}`, { next: `chmod 700 ${directory}` });
  for (const name of readdirSync(directory)) {
    const entry = lstatSync(join(directory, name));
    if (!FILES.includes(name) || !entry.isFile() || entry.nlink !== 1)
      throw new UsageError(`${directory} holds something else than a journal`, {
        next: 'give a directory of its own with --state-dir',
      });
  }
}

function unusable(directory: string, error: unknown): UsageError | PalisadeError {
  const { errcode, code } = error as { errcode?: unknown; code?: unknown };
  if (isDiskFull(error))
    return new PalisadeError('storage_full', 'a change cannot be written down, and was not sent', {
      why: `there is no room in ${directory}`,
    });
  return errcode === BUSY
    ? new UsageError(`another adapter uses ${directory}`, {
        next: 'give each adapter a directory of its own',
      })
    : new UsageError(`${directory} cannot be used (${String(errcode ?? code)})`);
}
