import type { ContentHash, EventData, EventType, JournalEvent } from '@palisade/contracts';
import type { Kysely } from 'kysely';

/** A value a statement can bind or return. Times are integer milliseconds, booleans 0 or 1, JSON is text. */
export type SqlValue = string | number | bigint | null | Uint8Array;
export type SqlRow = Record<string, SqlValue>;

/**
 * Hot statements, written once with `?` placeholders for both databases and prepared once per
 * connection. The SQL must be portable; anything dialect-specific hides in `kernel/src/database/`.
 */
export interface Statements {
  all<R = SqlRow>(sql: string, params?: readonly SqlValue[]): Promise<R[]>;
  get<R = SqlRow>(sql: string, params?: readonly SqlValue[]): Promise<R | undefined>;
  /** Number of rows changed: a guarded write that changes 0 rows lost its race. */
  run(sql: string, params?: readonly SqlValue[]): Promise<number>;
}

export interface ReadTx {
  readonly sql: Statements;
  /** Typed query builder over the same transaction, for everything that is not hot. */
  query<Tables>(): Kysely<Tables>;
  readonly journal: JournalReader;
  readonly leases: LeaseReader;
}

/** One unit of work. State, events, receipts and jobs written through it commit together or not at all. */
export interface WriteTx extends ReadTx {
  /** Protected time in ms: never goes backwards, sampled after the writer lock. */
  readonly now: number;
  /** What the clock says that protected time is fed from, unprotected, ms: for the question whether it can be believed, and no other. */
  readonly wall: number;
  readonly journal: JournalWriter;
  readonly leases: Leases;
  readonly jobs: Jobs;
  readonly receipts: Receipts;
  /** Runs after a successful commit, in order; a throw is reported, never undoes the commit. */
  afterCommit(effect: () => void): void;
}

export interface WriteOptions {
  /**
   * True when every statement of the body guards itself (a claim, a heartbeat, a completion under a
   * fence) and nothing read by one decides another: then PostgreSQL need not prove the body serialisable,
   * and claimants of one queue do not abort each other. SQLite's writers are serialised anyway.
   */
  readonly guarded?: boolean;
  /** True when the body grants nothing: then it may run while the clock is not trusted (AC-275). */
  readonly whilePaused?: boolean;
}

export interface Database {
  readonly dialect: 'sqlite' | 'postgres';
  /** True when every write is refused with `storage_full`; see `readWhenFull`. */
  readonly isReadOnly: boolean;
  /** Consistent snapshot. The body does database work only: no network, process, file or sleep. */
  read<T>(body: (tx: ReadTx) => Promise<T>): Promise<T>;
  /** Atomic and durable before it resolves. The body may run more than once (a retried transaction). */
  write<T>(body: (tx: WriteTx) => Promise<T>, options?: WriteOptions): Promise<T>;
  /**
   * Calls back soon after another connection or process committed something (SQLite: a change of
   * data_version, polled; PostgreSQL: LISTEN/NOTIFY over polling). May also call without cause.
   */
  onForeignCommit(listener: () => void): () => void;
  close(): Promise<void>;
}

export interface JournalReader {
  /** Events with `seq > after`, in order, at most `limit`. */
  read(stream: string, after: number, limit: number): Promise<JournalEvent[]>;
  /** Last sequence (-1 for an empty stream), its hash (null when empty), and whether it is sealed. */
  head(
    stream: string,
  ): Promise<{ readonly seq: number; readonly hash: string | null; readonly sealed: boolean }>;
}

export interface JournalWriter extends JournalReader {
  /**
   * Appends one event: checks `data` against the registry of event types, takes the stream's next
   * sequence and chains the hash. Raises `ledger_sealed` on a sealed stream.
   */
  append<T extends EventType>(stream: string, type: T, data: EventData<T>): Promise<JournalEvent<T>>;
  /** Marks the stream complete: every later append is refused (DI-226). */
  seal(stream: string): Promise<void>;
}

/** Who holds a lease and with which fence. Writes made under it carry the fence. */
export interface Lease {
  readonly resource: string;
  readonly owner: string;
  readonly fence: number;
  readonly expiresAt: number;
}

export interface LeaseReader {
  /** The lease as stored, expired or not; null when it was never claimed or was released. */
  read(resource: string): Promise<Lease | null>;
  /** The same for many, by resource. */
  readMany(resources: readonly string[]): Promise<Map<string, Lease>>;
}

export interface Leases extends LeaseReader {
  /**
   * Takes a free or expired lease (`now == expires_at` is expired) and increments the fence, in one
   * conditional statement; null when it is held. `takeOverFrom` also takes an unexpired lease of
   * exactly that owner and fence, for an owner proved dead.
   */
  claim(
    resource: string,
    owner: string,
    ttlMs: number,
    takeOverFrom?: { readonly owner: string; readonly fence: number },
  ): Promise<Lease | null>;
  /** Extends; `lease_conflict` when the fence is not current or the lease has expired. */
  renew(lease: Lease, ttlMs: number): Promise<Lease>;
  /** Raises `lease_conflict` unless owner and fence are current and unexpired. Call first in a guarded unit of work. */
  assert(lease: Lease): Promise<void>;
  /** Gives it up; false when it was no longer ours. The fence stays. */
  release(lease: Lease): Promise<boolean>;
}

export interface JobClaim {
  readonly id: string;
  readonly kind: string;
  readonly payload: unknown;
  readonly fence: number;
  readonly owner: string;
  readonly attempt: number;
}

/** Durable jobs (EX-090…EX-094). */
export interface Jobs {
  /** `key` makes the job unique among live ones: a second enqueue of a live key is a no-op (EX-097). */
  enqueue(
    kind: string,
    payload: unknown,
    options?: { readonly key?: string; readonly readyAt?: number; readonly maxAttempts?: number },
  ): Promise<string>;
  /** Oldest ready job of the kinds, or one whose lease expired; increments fence and attempt in the same statement. */
  claim(kinds: readonly string[], owner: string, leaseMs: number): Promise<JobClaim | null>;
  /** The same for up to `limit` jobs, in as many statements. */
  claimMany(kinds: readonly string[], owner: string, leaseMs: number, limit: number): Promise<JobClaim[]>;
  heartbeat(claim: JobClaim, leaseMs: number): Promise<void>;
  complete(claim: JobClaim): Promise<void>;
  /** Completes what is still held; false in the place of a claim that is not current any more. */
  completeMany(claims: readonly JobClaim[]): Promise<boolean[]>;
  /** Retries at `retryAt` (protected ms; by default after full-jitter back-off), or goes `dead` after its attempts. Returns which. */
  fail(claim: JobClaim, error: string, options?: { readonly retryAt?: number }): Promise<'queued' | 'dead'>;
  /** Undoes the attempt's increment and returns the job after 50 to 150 ms (EX-094). */
  standDown(claim: JobClaim): Promise<void>;
}

export interface Receipts {
  /**
   * Runs `execute` once per (scope, key). The same request again gets the stored answer; another
   * request under the key raises `idempotency_mismatch`; a compacted one `idempotency_result_expired`.
   */
  once<T>(
    scope: string,
    key: string,
    request: unknown,
    execute: () => Promise<T>,
  ): Promise<{ readonly value: T; readonly replayed: boolean }>;
  /** The stored answer, if the request has one already; the errors of {@link once}. */
  find<T>(scope: string, key: string, request: unknown): Promise<{ readonly value: T } | null>;
}

/** A registered name and one of its immutable revisions (DI-022, DI-029). */
export interface Revision {
  readonly kind: string;
  readonly name: string;
  /** Counts registrations of the name from 1; the highest is the latest, whatever any clock says. */
  readonly revision: number;
  readonly hash: ContentHash;
  readonly registeredAt: number;
}
