import { limits } from '@palisade/contracts';
import type { Invocation } from './invocation.ts';
import { parseJson, readInput } from './read-input.ts';

/** What a pipeline's file says, as it is registered under a name: its blocks, or an object with them. Not checked yet. */
export async function readPipeline(
  invocation: Invocation,
  file: string,
  name: string,
  allowed: readonly string[],
): Promise<unknown> {
  const document = parseJson(await readInput(invocation, file, limits.inputBytes), file, 'invalid_input');
  const isObject = typeof document === 'object' && document !== null && !Array.isArray(document);
  return {
    ...(isObject ? document : { blocks: document }),
    name,
    ...(allowed.length === 0 ? {} : { allow_credential_patterns: [...allowed] }),
  };
}
