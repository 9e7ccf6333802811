import type { Database, Lease, WriteTx } from '@palisade/kernel';
import { clearTroubles, noteTrouble } from './trouble-store.ts';

/** How often a trouble that lasts is written down again. */
const NOTE_MS = 5_000;

/** What an owner knows to be in trouble: items by id, and null for the run itself. Written for everybody to see (FF-057). */
export class TroubleNotes {
  readonly #database: Database;
  readonly #lease: () => Lease;
  readonly #runId: string;
  readonly #troubled: Set<string | null>;
  readonly #notedAt = new Map<string | null, number>();
  #writing: Promise<void> = Promise.resolve();
  #cleared: Promise<void> = Promise.resolve();

  constructor(database: Database, runId: string, lease: () => Lease, troubled: Iterable<string | null>) {
    this.#database = database;
    this.#runId = runId;
    this.#lease = lease;
    this.#troubled = new Set(troubled);
  }

  get troubled(): ReadonlySet<string | null> {
    return this.#troubled;
  }

  /** Resolves when what was being written is. */
  get settled(): Promise<void> {
    return this.#writing;
  }

  note(item: string | null, error: unknown): void {
    this.#troubled.add(item);
    const now = performance.now();
    if (now - (this.#notedAt.get(item) ?? Number.NEGATIVE_INFINITY) < NOTE_MS) return;
    this.#notedAt.set(item, now);
    const noted = this.#cleared.then(() => this.#write((tx) => noteTrouble(tx, this.#runId, item, error)));
    this.#writing = Promise.all([this.#writing, noted]).then(() => {});
  }

  /** A step after which these are over is committed: what was noted beside it is cleared when it is written. */
  forget(items: readonly (string | null)[]): void {
    const over = items.filter((item) => this.#notedAt.delete(item));
    for (const item of items) this.#troubled.delete(item);
    if (over.length === 0) return;
    this.#cleared = this.#writing.then(() => this.#write((tx) => clearTroubles(tx, this.#runId, over)));
    this.#writing = this.#cleared;
  }

  #write(body: (tx: WriteTx) => Promise<void>): Promise<void> {
    return (
      this.#database
        .write(async (tx) => {
          await tx.leases.assert(this.#lease());
          await body(tx);
        })
        // Trouble of the database itself cannot be told there; it is in the log.
        .catch(() => {})
    );
  }
}
