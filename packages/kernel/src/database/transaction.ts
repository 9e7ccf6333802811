import type { JournalEvent } from '@palisade/contracts';
import type { Kysely } from 'kysely';
import { DurableJobs } from '../jobs/jobs.ts';
import { Journal } from '../journal/journal.ts';
import { Deadline } from '../leases/deadline.ts';
import { FencedLeases } from '../leases/leases.ts';
import { StoredReceipts } from '../receipts/receipts.ts';
import type {
  Jobs,
  JournalReader,
  JournalWriter,
  LeaseReader,
  Leases,
  ReadTx,
  Receipts,
  Statements,
  WriteTx,
} from './database.ts';
import { kyselyOver } from './kysely-session.ts';
import type { Session } from './session.ts';

/** A snapshot, as a body sees it. Its parts are made on first use: most bodies need one or two. */
export class ReadTransaction implements ReadTx {
  readonly #session: Session;
  #kysely: Kysely<unknown> | undefined;
  #journal: JournalReader | undefined;

  constructor(session: Session) {
    this.#session = session;
  }

  get sql(): Statements {
    return this.#session;
  }

  query<Tables>(): Kysely<Tables> {
    this.#kysely ??= kyselyOver<unknown>(this.#session);
    return this.#kysely as Kysely<Tables>;
  }

  get journal(): JournalReader {
    this.#journal ??= new Journal(this.#session, 0);
    return this.#journal;
  }

  get leases(): LeaseReader {
    return new FencedLeases(this.#session, 0, new Deadline());
  }
}

/** One attempt at a unit of work, as its body sees it. */
export class WriteTransaction extends ReadTransaction implements WriteTx {
  readonly now: number;
  readonly wall: number;
  readonly #session: Session;
  readonly #effects: (() => void)[] = [];
  readonly #deadline = new Deadline();
  #writer: Journal | undefined;
  #leases: Leases | undefined;
  #jobs: Jobs | undefined;
  #receipts: Receipts | undefined;

  constructor(session: Session, { now, wall }: { readonly now: number; readonly wall: number }) {
    super(session);
    this.#session = session;
    this.now = now;
    this.wall = wall;
  }

  override get journal(): JournalWriter {
    this.#writer ??= new Journal(this.#session, this.now);
    return this.#writer;
  }

  override get leases(): Leases {
    this.#leases ??= new FencedLeases(this.#session, this.now, this.#deadline);
    return this.#leases;
  }

  get jobs(): Jobs {
    this.#jobs ??= new DurableJobs(
      this.#session,
      this.now,
      this.#deadline,
      this.#session.dialect === 'postgres' ? ' FOR UPDATE SKIP LOCKED' : '',
    );
    return this.#jobs;
  }

  get receipts(): Receipts {
    this.#receipts ??= new StoredReceipts(this.#session, this.now);
    return this.#receipts;
  }

  afterCommit(effect: () => void): void {
    this.#effects.push(effect);
  }

  /** What was appended so far, in order. */
  get appended(): readonly JournalEvent[] {
    return this.#writer?.appended ?? [];
  }

  /** Writes what was held back until the body was done. Called before the commit. */
  async finish(): Promise<void> {
    await this.#writer?.flush();
  }

  /** The earliest deadline this body relied on: the commit is refused once it has passed. */
  get deadline(): number {
    return this.#deadline.earliest;
  }

  /** Runs the body's effects, in order, once its commit is durable. A throw goes to `onFault`. */
  committed(onFault: (error: unknown) => void): void {
    for (const effect of this.#effects) {
      try {
        effect();
      } catch (error) {
        onFault(error);
      }
    }
  }
}
