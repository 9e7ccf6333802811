import type { Invocation } from '../invocation.ts';

/** How the line that tells of a change begins: `ok`, or in a dry run what would be done. */
export function outcome({ isDryRun }: Invocation, verb: string): string {
  return isDryRun ? `would ${verb}  ` : 'ok       ';
}
