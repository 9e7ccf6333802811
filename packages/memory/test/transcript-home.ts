import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import type { TranscriptIndexReport } from '@palisade/contracts';
import type { MemoryDatabase } from '../src/store/memory-database.ts';
import { type IndexTranscriptsOptions, indexTranscripts } from '../src/transcripts/index-transcripts.ts';
import { openTranscripts } from '../src/transcripts/open-transcripts.ts';

const FIXTURES = fileURLToPath(new URL('../fixtures/transcripts', import.meta.url));

/** Where OpenCode keeps its sessions. */
export const OPENCODE = '.local/share/opencode';

function fixture<T>(name: string): T {
  return JSON.parse(readFileSync(join(FIXTURES, name), 'utf8')) as T;
}

/** When the tests are, Unix ms: after everything in the fixtures. */
export const NOW = Date.UTC(2026, 11, 1, 12);

/** A user's home directory with transcripts, and the index of them. */
export class TranscriptHome implements Disposable {
  readonly directory = mkdtempSync(join(tmpdir(), 'palisade-transcripts-'));
  readonly env: Record<string, string> = { HOME: this.directory };
  readonly database: MemoryDatabase = openTranscripts({ env: this.env, create: true });

  /** Writes a file of the home and lets it be quiet. Records become lines. */
  write(path: string, content: string | Uint8Array | readonly object[], at = NOW - 3_600_000): string {
    const file = join(this.directory, path);
    mkdirSync(dirname(file), { recursive: true });
    const bytes =
      typeof content === 'string' || content instanceof Uint8Array
        ? content
        : content.map((record) => `${JSON.stringify(record)}\n`).join('');
    writeFileSync(file, bytes);
    utimesSync(file, at / 1000, at / 1000);
    return file;
  }

  /** A copy of a recorded transcript. */
  put(fixture: string, path: string): string {
    const file = join(this.directory, path);
    mkdirSync(dirname(file), { recursive: true });
    cpSync(join(FIXTURES, fixture), file);
    utimesSync(file, (NOW - 3_600_000) / 1000, (NOW - 3_600_000) / 1000);
    return file;
  }

  /** What OpenCode wrote before version 1.2, below `folder`. */
  putOpenCodeFiles(folder = OPENCODE): void {
    const files = fixture<Record<string, object>>('opencode/storage-1.1.65.json');
    for (const [path, content] of Object.entries(files))
      this.write(`${folder}/storage/${path}`, JSON.stringify(content, null, 2));
  }

  /** A database as a version of OpenCode made it; it stays open while it is used. Returns its path. */
  putOpenCodeDatabase(version: '1.2.27' | '1.18.33', path = `${OPENCODE}/opencode.db`): string {
    const file = this.write(path, '');
    const database = new DatabaseSync(file);
    database.exec('PRAGMA journal_mode = WAL');
    type Rows = { columns: string[]; rows: Record<string, string | number | null>[] };
    for (const [name, { columns, rows }] of Object.entries(
      fixture<Record<string, Rows>>(`opencode/database-${version}.json`),
    )) {
      database.exec(`CREATE TABLE ${name} (${columns.join(', ')})`);
      for (const row of rows)
        database
          .prepare(
            `INSERT INTO ${name} (${Object.keys(row).join()}) VALUES (${Object.keys(row).fill('?').join()})`,
          )
          .run(...Object.values(row));
    }
    database.close();
    return file;
  }

  index(more: Partial<IndexTranscriptsOptions> = {}): Promise<TranscriptIndexReport> {
    return indexTranscripts({
      database: this.database,
      env: this.env,
      now: NOW,
      signal: new AbortController().signal,
      host: 'here',
      ...more,
    });
  }

  [Symbol.dispose](): void {
    this.database[Symbol.dispose]();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** A record of Claude Code. */
export function claude(
  role: 'user' | 'assistant',
  content: unknown,
  more: { session?: string; id?: string; [member: string]: unknown } = {},
): Record<string, unknown> {
  const { session = 's-1', id, usage, ...rest } = more;
  return {
    type: role,
    sessionId: session,
    uuid: `u-${Math.random()}`,
    timestamp: '2026-11-29T14:00:00.000Z',
    cwd: '/home/ada/shop',
    version: '2.1.197',
    gitBranch: 'main',
    message: {
      role,
      content:
        typeof content === 'string' && role === 'assistant' ? [{ type: 'text', text: content }] : content,
      ...(role === 'assistant' ? { id: id ?? `msg_${Math.random()}`, model: 'model-1', usage } : {}),
    },
    ...rest,
  };
}
