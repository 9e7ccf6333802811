import type { Harness } from '../events.ts';
import type { SessionWriter } from '../session-writer.ts';
import type { Progress } from './read-records.ts';

/** Bytes that were read, `[from, to]` each. */
export type Ranges = readonly (readonly [number, number])[];

/** How far something was read, and what it is known again by. */
export interface Mark {
  readonly ranges: Ranges;
  readonly crc: number;
}

/** What tells whether it changed. */
export interface Facts {
  /** Its identity, whatever it is called: device and inode of a file. */
  readonly file: string;
  readonly size: number;
  /** Unix ms. */
  readonly modifiedAt: number;
}

export interface Reading {
  /** Where the last reading ended; nothing was read without one. */
  readonly from: Mark | undefined;
  readonly harness: Harness | undefined;
  readonly progress: Progress;
  readonly writer: SessionWriter;
  readonly signal: AbortSignal;
  /** Of more between two readings, the first and the last half are read and the middle is left out. */
  readonly maxBytes?: number | undefined;
}

/** One session, open to be read: a file, or what a program keeps of a session in a store of its own. */
export interface Source extends Facts, Disposable {
  /** Whether it can be read on from where the last reading ended. */
  readonly canGoOn: boolean;
  /** Whether what was read of it before is still what it begins with. */
  continues(mark: Mark): boolean;
  /** Reads it on, or from its beginning. Errors: those of reading, and what the signal is aborted with. */
  read(reading: Reading): Promise<Mark>;
}

/** Where a session may be read from. */
export interface Place {
  /** Of the file; of a session in a store with its name behind it. */
  readonly path: string;
  /** Errors: those of the file system. */
  facts(): Facts;
  open(): Source;
}
