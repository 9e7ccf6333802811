import type { JournalEvent } from '@palisade/contracts';
import type { WriteTx } from './database.ts';
import type { Migration } from './migration.ts';

/**
 * Sees the events of one unit of work, or of several that commit together, after their bodies and before the commit, within it: an
 * outbox is written here.
 */
export type OnEvents = (tx: WriteTx, events: readonly JournalEvent[]) => Promise<void>;

export interface DatabaseOptions {
  /** A file path for SQLite, or `postgres://…`. */
  readonly url: string;
  /** The rooms' migrations, applied after the kernel's own, in this order. */
  readonly migrations?: readonly Migration[];
  /** Milliseconds that feed the protected clock instead of the machine's (SQLite) or the database's (PostgreSQL). */
  readonly wallClock?: () => number;
  /**
   * True when a wall clock that went back pauses whatever grants authority until somebody says that it is right again (AC-275). Otherwise
   * time goes on from where it was; a pause that another process began holds here too.
   */
  readonly pausesOnRollback?: boolean;
  /** Connections of a PostgreSQL pool, 8 by default. */
  readonly connections?: number;
  /** Opens an SQLite file on a full disk for reading instead of refusing it. */
  readonly readWhenFull?: boolean;
  /** Called before every commit of appended events; what it raises undoes the unit of work it is about. */
  readonly onEvents?: OnEvents;
  /** Told about trouble in the making (a log that cannot shrink, a lost listener). Default: a process warning. */
  readonly onWarning?: (message: string) => void;
  /** Told about a throw of an `afterCommit` effect or a listener. Default: a process warning. */
  readonly onFault?: (error: unknown) => void;
}

/** {@link DatabaseOptions} with every default filled in. */
export interface ResolvedOptions {
  readonly url: string;
  readonly migrations: readonly Migration[];
  readonly wallClock: () => number;
  /** True when `wallClock` was given: then it also replaces the database's clock. */
  readonly injectedClock: boolean;
  readonly pausesOnRollback: boolean;
  readonly connections: number;
  readonly onEvents: OnEvents | undefined;
  readonly onWarning: (message: string) => void;
  readonly onFault: (error: unknown) => void;
}
