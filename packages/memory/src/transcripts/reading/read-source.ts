import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import type { Harness } from '../events.ts';
import { isFields } from '../harnesses/fields.ts';
import { readerOf } from '../harnesses/readers.ts';
import type { SessionWriter } from '../session-writer.ts';
import { crcOf } from './line-reader.ts';
import { type Progress, readRecords, takeRecord } from './read-records.ts';

/** Of more than this between two readings, the first and the last half are read and the middle is left out. */
const MAX_READ_BYTES = 256 * 1024 * 1024;
/** Larger documents are not read: they have no lines to read in parts. */
const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024;

export type Ranges = readonly (readonly [number, number])[];

/** How far a file was read, and what it is known again by. */
export interface Mark {
  readonly ranges: Ranges;
  readonly crc: number;
}

/** An open file and what it was when it was opened. */
export class SourceFile implements Disposable {
  readonly descriptor: number;
  readonly size: number;
  readonly modifiedAt: number;
  /** Device and inode. */
  readonly file: string;

  constructor(path: string) {
    this.descriptor = openSync(path, 'r');
    const facts = fstatSync(this.descriptor, { bigint: true });
    this.size = Number(facts.size);
    this.modifiedAt = Number(facts.mtimeMs);
    this.file = `${facts.dev}:${facts.ino}`;
  }

  /** Whether what was read of it before is still what it begins with. */
  continues({ ranges, crc }: Mark): boolean {
    const end = ranges.at(-1)?.[1] ?? 0;
    return this.size >= end && crcOf(this.descriptor, ranges) === crc;
  }

  [Symbol.dispose](): void {
    closeSync(this.descriptor);
  }
}

export interface Reading {
  readonly path: string;
  readonly file: SourceFile;
  /** Where the last reading ended; nothing was read without one. */
  readonly from: Mark | undefined;
  readonly harness: Harness | undefined;
  readonly progress: Progress;
  readonly writer: SessionWriter;
  readonly signal: AbortSignal;
  /** {@link MAX_READ_BYTES} unless it is said. */
  readonly maxBytes?: number | undefined;
}

/** Reads a file on, or from its beginning. Errors: those of reading, and what `signal` is aborted with. */
export async function readSource(reading: Reading): Promise<Mark> {
  const { path, file, from, harness, progress, writer, signal, maxBytes = MAX_READ_BYTES } = reading;
  if (harness !== undefined) progress.reader = readerOf(harness);
  if (path.endsWith('.json')) {
    const mark = readDocument(file, progress, writer);
    if (mark !== undefined) return mark;
  }
  const start = from?.ranges.at(-1)?.[1] ?? 0;
  const parts = partsOf(start, file.size, maxBytes);
  const ranges = (from?.ranges ?? []).map(([a, b]): [number, number] => [a, b]);
  let crc = from?.crc ?? 0;
  for (const [at, end] of parts) {
    const isAtLine = at === start;
    if (!isAtLine) {
      progress.skipped += at - (ranges.at(-1)?.[1] ?? 0);
      writer.draft.isTruncated = true;
    }
    const reached = await readRecords(
      file.descriptor,
      { from: at, to: end, crc, isAtLine },
      progress,
      writer,
      signal,
    );
    crc = reached.crc;
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === at) last[1] = reached.end;
    else ranges.push([at, reached.end]);
  }
  return { ranges, crc };
}

function partsOf(start: number, size: number, maxBytes: number): Ranges {
  if (size - start <= maxBytes) return [[start, size]];
  const half = Math.trunc(maxBytes / 2);
  return [
    [start, start + half],
    [size - half, size],
  ];
}

/** Undefined when it is not one JSON object. */
function readDocument(file: SourceFile, progress: Progress, writer: SessionWriter): Mark | undefined {
  if (file.size > MAX_DOCUMENT_BYTES) {
    progress.oversized++;
    progress.skipped += file.size;
    return { ranges: [[0, 0]], crc: 0 };
  }
  const bytes = readFileSync(file.descriptor);
  let document: unknown;
  try {
    document = JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
  progress.lines++;
  if (isFields(document)) takeRecord(document, progress, writer);
  return { ranges: [[0, bytes.length]], crc: crc32(bytes) };
}
