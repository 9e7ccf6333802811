import { NOTE_KEY_TYPE, noteKeyId, parseCheckpoint, type PublishedKey } from '@palisade/evidence';
import type { AttestedCheckpoint } from './attestation-store.ts';

export interface SignedBy {
  /** Name of the log. */
  readonly origin: string;
  /** Every key of the installation with its period. */
  readonly keys: readonly PublishedKey[];
  /** The key that signed the seal. */
  readonly keyid: string;
}

/** A head to prove a seal under: the note with its cosignatures, and the timestamp over it. */
export interface ChosenCheckpoint {
  readonly note: string;
  readonly token: Buffer | null;
}

/** A verifier reads 32 lines, of which the log's own is one. */
const MAX_COSIGNATURES = 31;

/**
 * Of the heads that hold a seal, the one that others attest most about, and of those the earliest; null when
 * nobody attests any. A timestamp that came after the period of a key that it should speak for speaks against
 * it instead, and is left out: the times of before are then asserted, as they are without it.
 */
export function chooseCheckpoint(
  candidates: readonly AttestedCheckpoint[],
  by: SignedBy,
): ChosenCheckpoint | null {
  let best: { readonly score: number; readonly chosen: ChosenCheckpoint } | null = null;
  for (const { note, timestamp, cosignatures } of candidates) {
    const isUseful = timestamp !== null && timestamp.at < endOf(note, by);
    const score = cosignatures.length + (isUseful ? 1 : 0);
    if (score === 0 || score <= (best?.score ?? 0)) continue;
    const lines = cosignatures.slice(0, MAX_COSIGNATURES).join('');
    best = { score, chosen: { note: `${note}${lines}`, token: isUseful ? timestamp.token : null } };
  }
  return best?.chosen ?? null;
}

/** When the first of the two keys ended, Unix ms: the seal's and the one that signed the head. */
function endOf(note: string, { origin, keys, keyid }: SignedBy): number {
  const [line] = parseCheckpoint(note)?.note.signatures ?? [];
  const ends = keys
    .filter((key) => {
      if (key.keyid === keyid) return true;
      if (key.alg !== 'ed25519') return false;
      const raw = key.publicKeySpkiDer.subarray(-32);
      return line?.keyId === noteKeyId(origin, raw, NOTE_KEY_TYPE.ed25519);
    })
    .flatMap(({ notAfter, revokedAt }) => [notAfter ?? Infinity, revokedAt ?? Infinity]);
  return Math.min(...ends);
}
