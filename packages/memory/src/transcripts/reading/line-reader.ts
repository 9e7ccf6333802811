import { readSync } from 'node:fs';
import { crc32 } from 'node:zlib';

/** Lines longer than this are not parsed: what is known of them is their beginning and their size. */
export const MAX_LINE_BYTES = 8 * 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;
const STUB_BYTES = 4096;
const LINE_FEED = 0x0a;

/** One line of a file. */
export interface Line {
  /** Without its line feed; a view that the next line replaces. Of a long line its beginning. */
  readonly bytes: Buffer;
  /** Its whole length. */
  readonly size: number;
  /** Where the next one starts. */
  readonly end: number;
  /** CRC-32 of everything up to there. */
  readonly crc: number;
  /** False of the last one when no line feed follows. */
  readonly isEnded: boolean;
}

/**
 * The lines between two places of a file (FF-074, L-12): framed as bytes, so that no character is cut, and of any
 * length. Holds at most {@link MAX_LINE_BYTES} and a chunk, whatever the file holds (FF-150).
 *
 * @param crc CRC-32 of what was read before
 */
export function* readLines(descriptor: number, from: number, to: number, crc: number): Generator<Line> {
  let buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  let [held, looked, position, sum] = [0, 0, from, crc];
  // Of a line that is too long: its beginning, and how much of it is gone by.
  let stub: Buffer | undefined;
  let gone = 0;
  for (;;) {
    if (held === buffer.length) {
      const wider = Buffer.allocUnsafe(buffer.length * 2);
      buffer.copy(wider, 0, 0, held);
      buffer = wider;
    }
    const wanted = Math.min(buffer.length - held, to - position - held);
    const got = wanted <= 0 ? 0 : readSync(descriptor, buffer, held, wanted, position + held);
    held += got;
    const filled = buffer.subarray(0, held);
    let start = 0;
    for (let feed = filled.indexOf(LINE_FEED, looked); feed >= 0; feed = filled.indexOf(LINE_FEED, start)) {
      sum = crc32(filled.subarray(start, feed + 1), sum);
      const bytes = stub ?? filled.subarray(start, feed);
      yield { bytes, size: gone + feed - start, end: position + feed + 1, crc: sum, isEnded: true };
      stub = undefined;
      gone = 0;
      start = feed + 1;
    }
    if (got === 0) {
      if (held > start || gone > 0) {
        const rest = filled.subarray(start);
        sum = crc32(rest, sum);
        yield {
          bytes: stub ?? rest,
          size: gone + rest.length,
          end: position + held,
          crc: sum,
          isEnded: false,
        };
      }
      return;
    }
    if (stub !== undefined || held - start > MAX_LINE_BYTES) {
      stub ??= Buffer.from(filled.subarray(start, start + STUB_BYTES));
      sum = crc32(filled.subarray(start), sum);
      gone += held - start;
      start = held;
    } else if (start > 0) buffer.copyWithin(0, start, held);
    position += start;
    held -= start;
    looked = held;
  }
}

/** CRC-32 of ranges of a file, one after the other; undefined when it is shorter. */
export function crcOf(
  descriptor: number,
  ranges: readonly (readonly [number, number])[],
): number | undefined {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  let sum = 0;
  for (const [from, to] of ranges)
    for (let at = from; at < to; ) {
      const got = readSync(descriptor, buffer, 0, Math.min(buffer.length, to - at), at);
      if (got === 0) return undefined;
      sum = crc32(buffer.subarray(0, got), sum);
      at += got;
    }
  return sum;
}
