import type { Isolation } from '@palisade/contracts';
import { foreignLine } from './foreign-text.ts';

/** A sandbox as people see it, with its label when it is none. */
export function sandboxText(chosen: { readonly sandbox: string; readonly isolation: Isolation }): string {
  const label = chosen.isolation === 'sandboxed' ? '' : ` (${chosen.isolation})`;
  return `sandbox ${foreignLine(chosen.sandbox)}${label}`;
}
