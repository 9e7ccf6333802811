import { basename } from 'node:path';
import type { Caller } from '@palisade/contracts';

/**
 * Where something lies on the machine of the control plane, as a caller may see it: whole for whoever provisions, on that machine and
 * from outside; for others what it is called.
 */
export function shownPath({ scopes }: Pick<Caller, 'scopes'>, path: string): string {
  return scopes.has('provision') ? path : basename(path);
}
