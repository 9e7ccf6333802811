import { resolve } from 'node:path';
import { PalisadeError, type TranscriptIndexReport } from '@palisade/contracts';
import type { MemoryDatabase } from '../store/memory-database.ts';
import type { Harness } from './events.ts';
import { codexHome, harnessFolders } from './places.ts';
import type { Progress } from './reading/read-records.ts';
import type { Facts, Place } from './reading/source.ts';
import { transcriptsBelow } from './reading/transcripts-below.ts';
import { SessionWriter } from './session-writer.ts';
import { applyCodexThreads } from './store/codex-threads.ts';
import { keptText, LIMITS } from './store/kept-text.ts';
import { forgetRoot, type Root, rootsOf } from './store/roots.ts';
import {
  addSource,
  clearSource,
  markOf,
  removeSource,
  type SourceRow,
  saveSession,
  saveSource,
  sourceByKey,
  sourceKey,
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
    const { path: folder, machine, isIncluded, isThere } = root;
    if (isIncluded && !isThere) {
      this.notes.push(`${folder} is not there; what is known of it is kept (--forget drops it)`);
      return;
    }
    const listing = transcriptsBelow(folder);
    if (listing === undefined) {
      this.notes.push(`${folder} cannot be read; what is known of it is kept`);
      return;
    }
    this.failed += listing.unread.length;
    this.notes.push(...listing.notes);
    const places = new Map(listing.places.map((place) => [sourceKey(machine, place.path), place]));
    await this.#followRenames(root, places, listing.unread);
    for (const [key, place] of places) {
      this.#options.signal.throwIfAborted();
      await this.#place(root, key, place);
    }
  }

  /** What is gone is dropped, unless the same is there under another name (FF-147). */
  async #followRenames(
    { id }: Root,
    places: ReadonlyMap<string, Place>,
    unread: readonly string[],
  ): Promise<void> {
    const { database } = this.#options;
    const isUnread = ({ path }: SourceRow): boolean =>
      unread.some((prefix) => path.startsWith(keptText(prefix, LIMITS.path)));
    const gone = database
      .all<SourceRow>('SELECT * FROM sources WHERE root = ?', id)
      .filter((row) => !places.has(row.key) && !isUnread(row));
    if (gone.length === 0) return;
    const fresh = new Map<string, string>();
    for (const [key, place] of places) {
      if (sourceByKey(database, key) !== undefined) continue;
      const file = attempt(() => place.facts().file);
      if (file !== undefined) fresh.set(file, key);
    }
    await database.write(() => {
      for (const row of gone) {
        const key = fresh.get(row.file);
        const place = key === undefined ? undefined : places.get(key);
        if (key !== undefined && place !== undefined && attempt(() => isSame(place, row)) === true) {
          database.run(
            'UPDATE sources SET key = ?, path = ? WHERE id = ?',
            key,
            keptText(place.path, LIMITS.path),
            row.id,
          );
          this.counts.renamed++;
          this.notes.push(`${place.path} was renamed and is read on`);
        } else {
          removeSource(database, row.id);
          this.counts.removed++;
        }
      }
    });
  }

  async #place(root: Root, key: string, place: Place): Promise<void> {
    const { quietMs = QUIET_MS, isForced = false, since = 0, now, harness } = this.#options;
    try {
      const facts = place.facts();
      const row = sourceByKey(this.#options.database, key);
      if (!isForced && isUnchanged(row, facts)) this.counts.unchanged++;
      else if (facts.modifiedAt < since || (harness !== undefined && (row?.harness ?? harness) !== harness))
        this.counts.unchanged++;
      else if (quietMs > 0 && facts.modifiedAt > now - quietMs) this.counts.busy++;
      else await this.#read(root, key, place);
    } catch (error) {
      // What ails the database ails every file.
      if (this.#options.signal.aborted || error instanceof PalisadeError) throw error;
      this.failed++;
      this.notes.push(`${place.path} is left out: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  async #read(root: Root, key: string, place: Place): Promise<void> {
    const { database, now, signal, isForced = false, harness, host, onProgress } = this.#options;
    const { path } = place;
    using source = place.open();
    await database.write(async () => {
      // Another process may have been here since.
      const row = sourceByKey(database, key);
      if (!isForced && isUnchanged(row, source)) {
        this.counts.unchanged++;
        return;
      }
      const goesOn =
        row !== undefined &&
        !isForced &&
        source.canGoOn &&
        source.continues(markOf(row)) &&
        row.state !== 'null';
      if (row !== undefined && !goesOn) clearSource(database, row.id);
      const id = row?.id ?? addSource(database, key, root.id, path);
      const progress = progressOf(goesOn ? row : undefined);
      const writer = new SessionWriter(database, id, goesOn ? stateOf(row) : undefined);
      const from = goesOn ? markOf(row) : undefined;
      const mark = await source.read({
        from,
        harness: goesOn ? (row.harness ?? undefined) : undefined,
        progress,
        writer,
        signal,
        maxBytes: this.#options.maxReadBytes,
      });
      writer.finish();
      const owner = progress.reader?.harness;
      if (harness !== undefined && owner !== harness) {
        removeSource(database, id);
        return;
      }
      const { file, size, modifiedAt } = source;
      const state = owner === undefined ? undefined : writer.state;
      saveSource(database, id, { file, size, modifiedAt, mark, progress, state, now });
      if (owner !== undefined)
        saveSession(database, { id, key, machine: root.machine || host, harness: owner }, writer, modifiedAt);
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

function isUnchanged(row: SourceRow | undefined, { size, modifiedAt }: Facts): boolean {
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

function isSame(place: Place, row: SourceRow): boolean {
  using source = place.open();
  return source.continues(markOf(row));
}

/** What may be gone or unreadable by now counts as nothing. */
function attempt<T>(body: () => T): T | undefined {
  try {
    return body();
  } catch {
    return undefined;
  }
}
