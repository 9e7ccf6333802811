import { addAbortSignal } from 'node:stream';
import { limits, PalisadeError } from '@palisade/contracts';
import { readAnyFile } from './bounded-read.ts';
import { duplicateKey } from './duplicate-key.ts';
import type { Invocation } from './invocation.ts';
import { jsonFault } from './json-fault.ts';
import { UsageError } from './tree/usage-error.ts';
import { userPath } from './user-path.ts';

/**
 * Reads a file the user named, or standard input for `-`. Standard input is touched only here, when
 * it was asked for (FF-077). Larger than `maxBytes` is `too_large`.
 */
export async function readInput(
  invocation: Invocation,
  name: string,
  maxBytes: number = limits.planBytes,
): Promise<Buffer> {
  if (name === '-') return readStandardInput(invocation, maxBytes);
  const bounds = { shown: name, maxBytes, tooLarge: () => tooLarge(name, maxBytes) };
  return readAnyFile(userPath(invocation.directory, name), bounds, invocation.interrupted);
}

/**
 * Standard input for a command that may read it without being told to. Empty when it ends, or stays
 * silent for `silenceMs`: an open pipe that nobody writes to must not hold a command up (FF-077).
 */
export async function readOffered(
  invocation: Invocation,
  maxBytes: number,
  silenceMs: number,
): Promise<Buffer> {
  const { stdin } = invocation;
  const begun = await new Promise<boolean>((resolve) => {
    const decide = (value: boolean) => (): void => {
      clearTimeout(limit);
      resolve(value);
    };
    const limit = setTimeout(decide(false), silenceMs);
    stdin.once('readable', decide(true));
    stdin.once('end', decide(true));
    stdin.once('error', decide(false));
  });
  return begun ? readStandardInput(invocation, maxBytes) : Buffer.alloc(0);
}

async function readStandardInput(invocation: Invocation, maxBytes: number): Promise<Buffer> {
  if (invocation.stdin.isTTY) throw new UsageError('standard input is a terminal; give a file instead of -');
  const chunks: Buffer[] = [];
  let size = 0;
  const { interrupted } = invocation;
  try {
    for await (const chunk of addAbortSignal(interrupted, invocation.stdin)) {
      const bytes = Buffer.from(chunk as Uint8Array);
      size += bytes.length;
      if (size > maxBytes) throw tooLarge('standard input', maxBytes);
      chunks.push(bytes);
    }
  } catch (error) {
    interrupted.throwIfAborted();
    throw error;
  }
  return Buffer.concat(chunks);
}

/** Parses JSON bytes; a syntax error is `code`, naming the place, and so is a name given twice in one object. */
export function parseJson(bytes: Buffer, name: string, code: 'invalid_plan' | 'invalid_input'): unknown {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new PalisadeError(code, `${name} is not UTF-8 text`, { next: correct(name) });
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const fault = jsonFault(text);
    const place =
      fault === null
        ? ''
        : ` at ${fault.line}:${fault.column}: found ${fault.found} where ${fault.expected} should be`;
    throw new PalisadeError(code, `${name} is not JSON${place}`, { next: correct(name) });
  }
  const twice = duplicateKey(text);
  if (twice !== null)
    throw new PalisadeError(code, `${name} gives ${JSON.stringify(twice)} twice in one object`, {
      next: correct(name),
    });
  return value;
}

function correct(name: string): string {
  return name === '-'
    ? 'correct what is read from standard input'
    : `correct ${name}, and repeat the command`;
}

function tooLarge(name: string, maxBytes: number): PalisadeError {
  return new PalisadeError('too_large', `${name} is larger than ${maxBytes} bytes`);
}
