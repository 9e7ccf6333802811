import type { SqliteConnection } from './sqlite-connection.ts';

/**
 * Rows changed since the last checkpoint that make the next one due. One takes 3.5 ms whether it moves
 * 1,000 rows' pages or 4,000 rows' (busy pages are moved once): 6% of the writer's time became 2%.
 */
const DUE_CHANGES = 4_000;

/** Pages the log may hold although a checkpoint just ran: 64 MiB of 4 KiB pages. */
const WARN_PAGES = 16_384;

/**
 * Moves the log into the database file between units of work, after callers were answered
 * (FF-084), and says so when somebody's open snapshot keeps the log growing (FF-089).
 */
export class SqliteCheckpoints {
  readonly #connection: SqliteConnection;
  readonly #warn: (message: string) => void;
  #changes = 0;
  #warnedAt = WARN_PAGES;

  constructor(connection: SqliteConnection, warn: (message: string) => void) {
    this.#connection = connection;
    this.#warn = warn;
  }

  /** Counts the rows a commit changed. */
  count(changes: number): void {
    this.#changes += changes;
  }

  get isDue(): boolean {
    return this.#changes >= DUE_CHANGES;
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
  }

  #judge(pages: number): void {
    if (pages < WARN_PAGES) this.#warnedAt = WARN_PAGES;
    if (pages < this.#warnedAt) return;
    this.#warnedAt = pages * 2;
    this.#warn(
      `the database log holds ${pages} pages that cannot be moved: a process keeps a snapshot open (look for a stopped one)`,
    );
  }
}
