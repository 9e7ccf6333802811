import { type BundleEntry, isPalisadeError } from '@palisade/contracts';
import { entryHash } from '../ledger/ledger.ts';
import type { Problems } from './problems.ts';

/** DI-222, DI-246: sequence numbers without a gap, times that never go back, and every hash recomputed. */
export function checkChain(stream: string, entries: readonly BundleEntry[], problems: Problems): void {
  let previous: BundleEntry | undefined;
  for (const [index, entry] of entries.entries()) {
    if (entry.seq !== index)
      problems.add(`non-contiguous seq at index ${index}: expected ${index}, got ${entry.seq}`);
    if (previous !== undefined && entry.at < previous.at)
      problems.add(`entry ${index} is earlier than the one before it`);
    const hash = recompute(stream, entry, previous?.hash ?? null);
    if (hash !== entry.hash) problems.add(`entry ${index} hash ≠ recomputed`);
    previous = entry;
  }
}

function recompute(stream: string, entry: BundleEntry, previous: string | null): string | null {
  try {
    return entryHash(stream, entry, previous);
  } catch (error) {
    if (isPalisadeError(error, 'not_canonical')) return null;
    throw error;
  }
}
