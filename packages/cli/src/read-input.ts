import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { limits, PalisadeError } from '@palisade/contracts';
import { duplicateKey } from './duplicate-key.ts';
import type { Invocation } from './invocation.ts';
import { UsageError } from './tree/usage-error.ts';

/**
 * Reads a file the user named, or standard input for `-`. Standard input is touched only here, when
 * it was asked for (FF-077). Larger than `maxBytes` is `too_large`.
 */
export async function readInput(
  invocation: Invocation,
  name: string,
  maxBytes: number = limits.planBytes,
): Promise<Buffer> {
  return name === '-' ? readStandardInput(invocation, maxBytes) : readNamedFile(invocation, name, maxBytes);
}

function readNamedFile(invocation: Invocation, name: string, maxBytes: number): Buffer {
  const path = resolve(invocation.directory, name);
  const facts = statSync(path, { throwIfNoEntry: false });
  if (facts === undefined) throw new UsageError(`there is no file ${name}`);
  if (facts.isDirectory()) throw new UsageError(`${name} is a directory`);
  if (facts.size > maxBytes) throw tooLarge(name, maxBytes);
  try {
    return readFileSync(path);
  } catch (error) {
    throw new UsageError(`${name} cannot be read (${errorName(error)})`);
  }
}

async function readStandardInput(invocation: Invocation, maxBytes: number): Promise<Buffer> {
  if (invocation.stdin.isTTY) throw new UsageError('standard input is a terminal; give a file instead of -');
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of invocation.stdin) {
    const bytes = Buffer.from(chunk as Uint8Array);
    size += bytes.length;
    if (size > maxBytes) throw tooLarge('standard input', maxBytes);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

/** Parses JSON bytes; a syntax error is `code`, naming the place, and so is a name given twice in one object. */
export function parseJson(bytes: Buffer, name: string, code: 'invalid_plan' | 'invalid_input'): unknown {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new PalisadeError(code, `${name} is not UTF-8 text`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const detail = error instanceof Error ? /(?:line \d+ column \d+|position \d+)/.exec(error.message) : null;
    throw new PalisadeError(code, `${name} is not JSON${detail === null ? '' : ` (${detail[0]})`}`);
  }
  const twice = duplicateKey(text);
  if (twice !== null)
    throw new PalisadeError(code, `${name} gives ${JSON.stringify(twice)} twice in one object`);
  return value;
}

/** The code of a file system error, such as `EACCES`; never its text. */
export function errorName(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';
}

function tooLarge(name: string, maxBytes: number): PalisadeError {
  return new PalisadeError('too_large', `${name} is larger than ${maxBytes} bytes`);
}
