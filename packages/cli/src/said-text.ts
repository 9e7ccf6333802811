import type { Invocation } from './invocation.ts';
import { readInput } from './read-input.ts';
import { UsageError } from './tree/usage-error.ts';

/**
 * What somebody says on the command line: `@FILE` is what the file says, `-` what standard input does, anything else itself.
 *
 * @param what it is, with its article, for the refusal of what is no text
 * @throws UsageError for bytes that are not UTF-8
 */
export async function saidText(
  invocation: Invocation,
  word: string,
  maxBytes: number,
  what: string,
): Promise<string> {
  if (word !== '-' && !word.startsWith('@')) return word;
  const bytes = await readInput(invocation, word === '-' ? '-' : word.slice(1), maxBytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).trimEnd();
  } catch {
    throw new UsageError(`${what} must be UTF-8 text`);
  }
}
