import { UsageError } from '../tree/usage-error.ts';

/** Longest line that is read. */
const MAX_LINE = 8 * 1024 * 1024;

/** Lines of a stream. Raises a {@link UsageError} for one that is longer than any message may be. */
export async function* messageLines(stream: NodeJS.ReadableStream): AsyncIterable<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const part of stream) {
    rest += typeof part === 'string' ? part : decoder.decode(part, { stream: true });
    const whole = rest.split('\n');
    rest = whole.pop() ?? '';
    for (const line of whole) if (line.trim() !== '') yield line;
    if (rest.length > MAX_LINE) throw new UsageError(`a line is longer than ${MAX_LINE} characters`);
  }
  if (rest.trim() !== '') yield rest;
}
