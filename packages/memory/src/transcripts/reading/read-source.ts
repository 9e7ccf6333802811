import { closeSync, readFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { isFields } from '../harnesses/fields.ts';
import { readerOf } from '../harnesses/readers.ts';
import { crcOf } from './line-reader.ts';
import { readRecords, takeRecord } from './read-records.ts';
import { openRegular, regularFacts } from './regular-file.ts';
import type { Mark, Place, Ranges, Reading, Source } from './source.ts';

/** Of more than this between two readings, the first and the last half are read. */
export const MAX_READ_BYTES = 256 * 1024 * 1024;
/** Larger documents are not read: they have no lines to read in parts. */
const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024;

export function filePlace(path: string): Place {
  return { path, facts: () => regularFacts(path), open: () => new SourceFile(path) };
}

/** An open file of lines, or of one document, and what it was when it was opened. */
class SourceFile implements Source {
  readonly size: number;
  readonly modifiedAt: number;
  readonly file: string;
  readonly #descriptor: number;
  readonly #isDocument: boolean;

  constructor(path: string) {
    const { descriptor, size, modifiedAt, file } = openRegular(path);
    this.#descriptor = descriptor;
    this.size = size;
    this.modifiedAt = modifiedAt;
    this.file = file;
    this.#isDocument = path.endsWith('.json');
  }

  get canGoOn(): boolean {
    return !this.#isDocument;
  }

  continues({ ranges, crc }: Mark): boolean {
    const end = ranges.at(-1)?.[1] ?? 0;
    return this.size >= end && crcOf(this.#descriptor, ranges) === crc;
  }

  async read(reading: Reading): Promise<Mark> {
    const { from, harness, progress, writer, signal, maxBytes = MAX_READ_BYTES } = reading;
    if (harness !== undefined) progress.reader = readerOf(harness);
    const whole = this.#isDocument ? this.#readDocument(reading) : undefined;
    if (whole !== undefined) return whole;
    const start = from?.ranges.at(-1)?.[1] ?? 0;
    const ranges = (from?.ranges ?? []).map(([a, b]): [number, number] => [a, b]);
    let crc = from?.crc ?? 0;
    for (const [at, end] of partsOf(start, this.size, maxBytes)) {
      const isAtLine = at === start;
      if (!isAtLine) {
        progress.skipped += at - (ranges.at(-1)?.[1] ?? 0);
        writer.draft.isTruncated = true;
      }
      const range = { from: at, to: end, crc, isAtLine };
      const reached = await readRecords(this.#descriptor, range, progress, writer, signal);
      crc = reached.crc;
      const last = ranges.at(-1);
      if (last !== undefined && last[1] === at) last[1] = reached.end;
      else ranges.push([at, reached.end]);
    }
    return { ranges, crc };
  }

  /** Undefined when it is not one JSON object. */
  #readDocument({ progress, writer }: Reading): Mark | undefined {
    if (this.size > MAX_DOCUMENT_BYTES) {
      progress.oversized++;
      progress.skipped += this.size;
      return { ranges: [[0, 0]], crc: 0 };
    }
    const bytes = readFileSync(this.#descriptor);
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

  [Symbol.dispose](): void {
    closeSync(this.#descriptor);
  }
}

function partsOf(start: number, size: number, maxBytes: number): Ranges {
  if (size - start <= maxBytes) return [[start, size]];
  const half = Math.trunc(maxBytes / 2);
  return [
    [start, start + half],
    [size - half, size],
  ];
}
