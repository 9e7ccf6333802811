import { type BundleEntry, canonicalJson, eventHash } from '@palisade/contracts';
import { CompactRange } from '../merkle/compact-range.ts';

/** Name of the stream that is a run's ledger. */
export function ledgerStream(runId: string): string {
  return `run:${runId}`;
}

/**
 * The hash an entry must have after `previous` (null before the first). Raises `not_canonical` when
 * its data has no canonical form.
 */
export function entryHash(stream: string, entry: BundleEntry, previous: string | null): string {
  return eventHash(
    { stream, seq: entry.seq, type: entry.type, at: entry.at, data: canonicalJson(entry.data) },
    previous,
  );
}

/** RFC 9162 tree hash over the entries' hashes, lower-case hex. The hashes are taken as they stand. */
export function ledgerRoot(entries: readonly Pick<BundleEntry, 'hash'>[]): string {
  const tree = new CompactRange();
  for (const entry of entries) tree.append(Buffer.from(entry.hash, 'hex'));
  return tree.root().toString('hex');
}
