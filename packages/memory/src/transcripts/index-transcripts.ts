import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { PalisadeError, type TranscriptIndexReport } from '@palisade/contracts';
import type { MemoryDatabase } from '../store/memory-database.ts';
import type { Harness } from './events.ts';
import { codexHome, harnessFolders, transcriptFiles } from './places.ts';
import type { Progress } from './reading/read-records.ts';
import { readSource, SourceFile } from './reading/read-source.ts';
import { SessionWriter } from './session-writer.ts';
import { applyCodexThreads } from './store/codex-threads.ts';
import { forgetRoot, type Root, rootsOf } from './store/roots.ts';
import {
  addSource,
  clearSource,
  markOf,
  removeSource,
  saveSession,
  saveSource,
  sourceByKey,
  sourceKey,
  type SourceRow,
  stateOf,
} from './store/sources.ts';

/** A file that was changed less than this ago is still being written (L-16). */
export const QUIET_MS = 2 * 60_000;
const GATHERED_BYTES = 16 * 1024 * 1024;

export interface IndexTranscriptsOptions {
  readonly database: MemoryDatabase;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Unix ms. */
  readonly now: number;
  readonly signal: AbortSignal;
  /** Name of this machine. */
  readonly host: string;
  /** Further folders or files, as if of the machine that is named. */
  readonly include?: readonly string[];
  readonly machine?: string | undefined;
  readonly harness?: Harness | undefined;
  /** Only files that changed since, Unix ms. */
  readonly since?: number | undefined;
  readonly quietMs?: number;
  /** Reads everything again. */
  readonly isForced?: boolean;
  /** Folders that were included and are not any more. */
  readonly forget?: readonly string[];
  /** Of more bytes between two readings of a file the middle is left out. */
  readonly maxReadBytes?: number;
  readonly onProgress?: (files: number, bytes: number) => void;
}

type Counts = {
  -readonly [K in
    | 'added'
    | 'appended'
    | 'rewritten'
    | 'renamed'
    | 'removed'
    | 'unchanged'
    | 'busy'
    | 'unclaimed']: number;
};

/**
 * Brings the index up to date with the transcripts: reads what is new, drops what is gone (FF-144). Each file is one
 * transaction; one that cannot be read is noted and the others are read (L-14).
 */
export async function indexTranscripts(options: IndexTranscriptsOptions): Promise<TranscriptIndexReport> {
  const { database, now } = options;
  const run = new IndexRun(options);
  // What is deleted is overwritten in the file too.
  database.get('PRAGMA secure_delete = ON');
  database.run("INSERT INTO message_words (message_words, rank) VALUES ('secure-delete', 1)");
  // Words are gathered before they are written: what is written is merged with what is there.
  database.run(`INSERT INTO message_words (message_words, rank) VALUES ('hashsize', ${GATHERED_BYTES})`);
  database.run("INSERT INTO message_words (message_words, rank) VALUES ('automerge', 16)");
  for (const path of options.forget ?? []) await forgetRoot(database, resolve(path));
  const include = (options.include ?? []).map((path) => resolve(path));
  const roots = await rootsOf(database, harnessFolders(options.env), {
    include,
    machine: options.machine ?? '',
  });
  for (const root of roots) await run.root(root);
  const codex = codexHome(options.env);
  if (codex !== undefined) run.notes.push(...(await applyCodexThreads(database, codex)));
  if (run.counts.removed + run.counts.rewritten > 0) database.get('PRAGMA wal_checkpoint(TRUNCATE)');
  const totals = database.get<{ sessions: number; messages: number }>(
    'SELECT (SELECT count(*) FROM sessions) AS sessions, (SELECT count(*) FROM messages) AS messages',
  );
  return {
    database: database.path,
    session_count: totals?.sessions ?? 0,
    message_count: totals?.messages ?? 0,
    ...run.counts,
    read_bytes: run.bytes,
    failed: run.failed,
    roots: roots.map(({ path, machine, isIncluded, isThere }) => ({
      path,
      machine: machine || options.host,
      is_included: isIncluded,
      is_there: isThere,
    })),
    indexed_at: now,
    notes: run.notes,
  };
}

class IndexRun {
  readonly counts: Counts = {
    added: 0,
    appended: 0,
    rewritten: 0,
    renamed: 0,
    removed: 0,
    unchanged: 0,
    busy: 0,
    unclaimed: 0,
  };
  readonly notes: string[] = [];
  failed = 0;
  bytes = 0;
  #files = 0;
  readonly #options: IndexTranscriptsOptions;

  constructor(options: IndexTranscriptsOptions) {
    this.#options = options;
  }

  async root(root: Root): Promise<void> {
    const files = root.isThere ? transcriptFiles(root.path) : [];
    if (files === undefined) {
      this.notes.push(`${root.path} cannot be read; what is known of it is kept`);
      return;
    }
    if (root.isIncluded && !root.isThere) {
      this.notes.push(`${root.path} is not there; what is known of it is kept (--forget drops it)`);
      return;
    }
    const keys = new Map(files.map((path) => [sourceKey(root.machine, path), path]));
    await this.#followRenames(root, keys);
    for (const [key, path] of keys) {
      this.#options.signal.throwIfAborted();
      await this.#file(root, key, path);
    }
  }

  /** Files that are gone are dropped, unless the same file is there under another name (FF-147). */
  async #followRenames({ id }: Root, keys: ReadonlyMap<string, string>): Promise<void> {
    const { database } = this.#options;
    const gone = database
      .all<SourceRow>('SELECT * FROM sources WHERE root = ?', id)
      .filter(({ key }) => !keys.has(key));
    if (gone.length === 0) return;
    const fresh = new Map<string, string>();
    for (const [key, path] of keys) {
      if (sourceByKey(database, key) !== undefined) continue;
      const facts = statSync(path, { bigint: true, throwIfNoEntry: false });
      if (facts !== undefined) fresh.set(`${facts.dev}:${facts.ino}`, key);
    }
    await database.write(() => {
      for (const row of gone) {
        const key = fresh.get(row.file);
        const path = key === undefined ? undefined : keys.get(key);
        if (key !== undefined && path !== undefined && isSame(path, row)) {
          database.run('UPDATE sources SET key = ?, path = ? WHERE id = ?', key, path, row.id);
          this.counts.renamed++;
          this.notes.push(`${path} was renamed and is read on`);
        } else {
          removeSource(database, row.id);
          this.counts.removed++;
        }
      }
    });
  }

  async #file(root: Root, key: string, path: string): Promise<void> {
    const { quietMs = QUIET_MS, isForced = false, since = 0, now, harness } = this.#options;
    try {
      const facts = statSync(path);
      const row = sourceByKey(this.#options.database, key);
      const modifiedAt = Math.trunc(facts.mtimeMs);
      const { size } = facts;
      if (!isForced && isUnchanged(row, { size, modifiedAt })) this.counts.unchanged++;
      else if (modifiedAt < since || (harness !== undefined && (row?.harness ?? harness) !== harness))
        this.counts.unchanged++;
      else if (quietMs > 0 && modifiedAt > now - quietMs) this.counts.busy++;
      else await this.#read(root, key, path);
    } catch (error) {
      // What ails the database ails every file.
      if (this.#options.signal.aborted || error instanceof PalisadeError) throw error;
      this.failed++;
      this.notes.push(`${path} is left out: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  async #read(root: Root, key: string, path: string): Promise<void> {
    const { database, now, signal, isForced = false, harness, host, onProgress } = this.#options;
    using file = new SourceFile(path);
    await database.write(async () => {
      // Another process may have been here since.
      const row = sourceByKey(database, key);
      if (!isForced && isUnchanged(row, file)) {
        this.counts.unchanged++;
        return;
      }
      const goesOn =
        row !== undefined &&
        !isForced &&
        !path.endsWith('.json') &&
        file.continues(markOf(row)) &&
        row.state !== 'null';
      if (row !== undefined && !goesOn) clearSource(database, row.id);
      const id = row?.id ?? addSource(database, key, root.id, path);
      const progress = progressOf(goesOn ? row : undefined);
      const writer = new SessionWriter(database, id, goesOn ? stateOf(row) : undefined);
      const from = goesOn ? markOf(row) : undefined;
      const mark = await readSource({
        path,
        file,
        from,
        harness: goesOn ? (row.harness ?? undefined) : undefined,
        progress,
        writer,
        signal,
        maxBytes: this.#options.maxReadBytes,
      });
      const owner = progress.reader?.harness;
      if (harness !== undefined && owner !== harness) {
        removeSource(database, id);
        return;
      }
      saveSource(database, id, {
        file: file.file,
        size: file.size,
        modifiedAt: file.modifiedAt,
        mark,
        progress,
        state: owner === undefined ? undefined : writer.state,
        now,
      });
      if (owner !== undefined)
        saveSession(
          database,
          { id, key, machine: root.machine || host, harness: owner },
          writer,
          file.modifiedAt,
        );
      this.bytes += (mark.ranges.at(-1)?.[1] ?? 0) - (from?.ranges.at(-1)?.[1] ?? 0);
      if (owner === undefined) this.counts.unclaimed++;
      else if (row === undefined) this.counts.added++;
      else if (goesOn) this.counts.appended++;
      else {
        this.counts.rewritten++;
        if (!isForced) this.notes.push(`${path} was rewritten and is read anew`);
      }
    });
    onProgress?.(++this.#files, this.bytes);
  }
}

function isUnchanged(
  row: SourceRow | undefined,
  { size, modifiedAt }: { readonly size: number; readonly modifiedAt: number },
): boolean {
  return row?.size === size && row.modified_at === modifiedAt;
}

function progressOf(row: SourceRow | undefined): Progress {
  return {
    reader: undefined,
    lines: row?.lines ?? 0,
    unknown: row?.unknown_records ?? 0,
    malformed: row?.malformed_lines ?? 0,
    oversized: row?.oversized_lines ?? 0,
    skipped: row?.skipped_bytes ?? 0,
  };
}

function isSame(path: string, row: SourceRow): boolean {
  try {
    using file = new SourceFile(path);
    return file.continues(markOf(row));
  } catch {
    return false;
  }
}
