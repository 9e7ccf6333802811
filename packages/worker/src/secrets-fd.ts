import { closeSync, readSync } from 'node:fs';
import { isUtf8 } from 'node:buffer';
import { isPalisadeError, PalisadeError } from '@palisade/contracts';

const MAX_BYTES = 16 * 1024 * 1024;
const NEWLINE = 0x0a;

/**
 * Reads the secrets of an attempt, one JSON object of strings, from an inherited descriptor to its
 * end and closes it, so that no later child can read it (DI-111). Blocks until the writer closes. Null
 * when the closing newline is missing: the writer died before it had handed everything over.
 *
 * @throws PalisadeError `invalid_input` when the descriptor cannot be read or holds anything else;
 *   the message never quotes what was read
 */
export function readSecretsFromFd(fd: number): Record<string, string> | null {
  const bytes = readToEnd(fd);
  try {
    if (bytes.at(-1) !== NEWLINE) return null;
    const value: unknown = isUtf8(bytes) ? JSON.parse(bytes.toString('utf8')) : null;
    if (!isRecordOfStrings(value)) throw new SyntaxError();
    return value;
  } catch {
    // The parser's own message quotes its input.
    throw new PalisadeError('invalid_input', `descriptor ${fd} does not hold one JSON object of strings`);
  } finally {
    bytes.fill(0);
  }
}

function readToEnd(fd: number): Buffer {
  const pieces: Buffer[] = [];
  let total = 0;
  try {
    for (;;) {
      const piece = Buffer.alloc(65_536);
      const read = readSome(fd, piece);
      if (read === 0) break;
      total += read;
      if (total > MAX_BYTES)
        throw new PalisadeError('too_large', `descriptor ${fd} holds more than ${MAX_BYTES} bytes`);
      pieces.push(piece.subarray(0, read));
    }
  } catch (error) {
    if (isPalisadeError(error)) throw error;
    throw new PalisadeError('invalid_input', `the secrets descriptor ${fd} cannot be read`, { cause: error });
  } finally {
    try {
      closeSync(fd);
    } catch {
      // It was not open; reading it has said so.
    }
  }
  const whole = Buffer.concat(pieces);
  for (const piece of pieces) piece.fill(0);
  return whole;
}

function readSome(fd: number, into: Buffer): number {
  for (;;) {
    try {
      return readSync(fd, into);
    } catch (error) {
      // The other end may have made the descriptor non-blocking.
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

function isRecordOfStrings(value: unknown): value is Record<string, string> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((member) => typeof member === 'string')
  );
}
