import { type BundleEntry, canonicalJson, eventHash, type EvidenceBundle } from '@palisade/contracts';
import { ledgerStream } from '../src/ledger/ledger.ts';

/** A deep copy whose readonly parts may be changed. */
export type Mutable<T> = T extends object ? { -readonly [K in keyof T]: Mutable<T[K]> } : T;

export function copyOf<T>(value: T): Mutable<T> {
  return structuredClone(value) as Mutable<T>;
}

/** Recomputes sequence numbers and hashes, as a forger who owns the file would. */
export function rechain(runId: string, entries: readonly BundleEntry[]): BundleEntry[] {
  const stream = ledgerStream(runId);
  let previous: string | null = null;
  return entries.map((entry, seq) => {
    const { type, at, data } = entry;
    const hash: string = eventHash({ stream, seq, type, at, data: canonicalJson(data) }, previous);
    previous = hash;
    return { seq, type, at, data, hash };
  });
}

/** Changes one bundle and leaves the original alone. */
export function forged(
  bundle: EvidenceBundle,
  change: (copy: Mutable<EvidenceBundle>) => void,
): EvidenceBundle {
  const copy = copyOf(bundle);
  change(copy);
  return copy;
}
