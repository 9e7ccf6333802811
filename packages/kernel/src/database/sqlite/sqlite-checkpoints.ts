import { realpathSync, statSync } from 'node:fs';
import { fileHolders } from './file-holders.ts';
import type { SqliteConnection } from './sqlite-connection.ts';

/**
 * Rows changed, and bytes the log has grown, since the last checkpoint that make the next one due. One takes 3.5 ms whether it moves
 * 1,000 rows' pages or 4,000 rows' (busy pages are moved once): 6% of the writer's time became 2%.
 */
const DUE_CHANGES = 4_000;
const DUE_BYTES = 16 * 1024 * 1024;

/** Pages the log may hold although a checkpoint just ran: 64 MiB of 4 KiB pages. */
const WARN_PAGES = 16_384;

/**
 * Moves the log into the database file between units of work, after callers were answered
 * (FF-084), and says so, with the processes that may be to blame, when somebody's open snapshot keeps the
 * log growing (FF-089).
 */
export class SqliteCheckpoints {
  readonly #connection: SqliteConnection;
  readonly #path: string;
  readonly #warn: (message: string) => void;
  #changes = 0;
  #size: number;
  #warnedAt = WARN_PAGES;

  /** `path` is the database's; its log lies beside it. */
  constructor(connection: SqliteConnection, path: string, warn: (message: string) => void) {
    this.#connection = connection;
    this.#path = path;
    this.#warn = warn;
    this.#size = this.#logSize();
  }

  /** Counts the rows a commit changed. */
  count(changes: number): void {
    this.#changes += changes;
  }

  get isDue(): boolean {
    return this.#changes > 0 && (this.#changes >= DUE_CHANGES || this.#logSize() >= this.#size + DUE_BYTES);
  }

  /** Call outside a transaction. Never throws: the next one may succeed. */
  runIfDue(): void {
    if (!this.isDue) return;
    this.#changes = 0;
    try {
      const row = this.#connection.get('PRAGMA wal_checkpoint(PASSIVE)', []) as {
        log: number;
        checkpointed: number;
      };
      this.#judge(row.log - row.checkpointed);
    } catch (error) {
      this.#warn(`a checkpoint failed: ${error instanceof Error ? error.message : 'unknown cause'}`);
    }
    this.#size = this.#logSize();
  }

  #judge(pages: number): void {
    if (pages < WARN_PAGES) this.#warnedAt = WARN_PAGES;
    if (pages < this.#warnedAt) return;
    this.#warnedAt = pages * 2;
    void this.#warnOf(pages);
  }

  async #warnOf(pages: number): Promise<void> {
    const holders = await fileHolders(realpathSync(this.#path)).catch(() => []);
    const who = holders.length === 0 ? '' : `; the database is open in ${holders.join(', ')}`;
    this.#warn(
      `the database log holds ${pages} pages that cannot be moved: a process keeps a snapshot open (look for a stopped one)${who}`,
    );
  }

  #logSize(): number {
    return statSync(`${this.#path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  }
}
