import { setImmediate as breathe } from 'node:timers/promises';
import type { Fields, HarnessReader } from '../events.ts';
import { isFields } from '../harnesses/fields.ts';
import { readerFor } from '../harnesses/readers.ts';
import type { SessionWriter } from '../session-writer.ts';
import { type Line, MAX_LINE_BYTES, readLines } from './line-reader.ts';
import { recordTime, timeInText } from './record-time.ts';

/** Enough of a line to know its kind by. */
const HEAD_BYTES = 240;
/** Lines that may come before the first that a harness claims. */
const MAX_UNCLAIMED = 50;
/** Between two chances for others: an interrupt, a timer. */
const STRETCH_BYTES = 32 * 1024 * 1024;

/** What reading a file came to; counts add up over readings. */
export interface Progress {
  reader: HarnessReader | undefined;
  lines: number;
  unknown: number;
  malformed: number;
  oversized: number;
  skipped: number;
}

export interface Range {
  readonly from: number;
  readonly to: number;
  /** CRC-32 of what was read before. */
  readonly crc: number;
  /** False when it begins within a line, which is left out. */
  readonly isAtLine: boolean;
}

/** Where the last record that was taken ends, and the CRC-32 of everything up to there. */
export interface Reached {
  readonly end: number;
  readonly crc: number;
}

/**
 * Takes every record of a part of a file. A last line without line feed is taken when it is whole JSON, and else
 * left for the next time. Errors: what `signal` is aborted with, and those of reading.
 */
export async function readRecords(
  descriptor: number,
  range: Range,
  progress: Progress,
  writer: SessionWriter,
  signal: AbortSignal,
): Promise<Reached> {
  let reached: Reached = { end: range.from, crc: range.crc };
  let [rest, isFirst] = [range.from + STRETCH_BYTES, !range.isAtLine];
  for (const line of readLines(descriptor, range.from, range.to, range.crc)) {
    if (isFirst) progress.skipped += line.size + 1;
    else if (!take(line, progress, writer)) return reached;
    isFirst = false;
    reached = { end: line.end, crc: line.crc };
    if (progress.reader === undefined && progress.lines >= MAX_UNCLAIMED) return reached;
    if (line.end < rest) continue;
    await breathe();
    signal.throwIfAborted();
    rest = line.end + STRETCH_BYTES;
  }
  return reached;
}

/** False when the line is not written to its end yet. */
function take(line: Line, progress: Progress, writer: SessionWriter): boolean {
  if (line.size > MAX_LINE_BYTES) {
    if (!line.isEnded) return false;
    progress.lines++;
    takeOmitted(line.size, timeInText(line.bytes.toString('utf8')), progress, writer);
    return true;
  }
  if (line.size === 0 || isBlank(line.bytes)) {
    progress.lines++;
    return true;
  }
  if (progress.reader?.isSilent?.(line.bytes.toString('latin1', 0, HEAD_BYTES)) === true) {
    if (line.isEnded) progress.lines++;
    return line.isEnded;
  }
  const record = parsed(line.bytes);
  if (record === undefined && !line.isEnded) return false;
  progress.lines++;
  if (record === undefined) progress.malformed++;
  else takeRecord(record, progress, writer);
  return true;
}

/** Keeps that there is a record which is too large to be read. */
export function takeOmitted(
  bytes: number,
  at: number | undefined,
  progress: Progress,
  writer: SessionWriter,
): void {
  progress.oversized++;
  writer.draft.isTruncated = true;
  const text = `a record of ${bytes} bytes, which is not read`;
  writer.write({ kind: 'message', message: { role: 'omitted', text } }, progress.lines, at);
}

function isBlank(bytes: Buffer): boolean {
  return bytes.length < 16 && bytes.toString('latin1').trim() === '';
}

function parsed(bytes: Buffer): Fields | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Takes one record, or the records of a document. */
export function takeRecord(record: Fields, progress: Progress, writer: SessionWriter): void {
  progress.reader ??= readerFor(record);
  const { reader } = progress;
  if (reader === undefined) progress.unknown++;
  else
    for (const part of reader.unpack !== undefined && reader.claims(record)
      ? reader.unpack(record)
      : [record]) {
      const at = recordTime(part);
      if (at !== undefined) writer.draft.sawTime(at);
      const events = reader.read(part);
      if (events === undefined) progress.unknown++;
      else for (const event of events) writer.write(event, progress.lines, at);
    }
}
