import {
  NOTE_KEY_TYPE,
  noteKeyId,
  parseCheckpoint,
  type PublishedKey,
  verifyTimestamp,
} from '@palisade/evidence';
import type { AttestedCheckpoint } from './attestation-store.ts';

export interface SignedBy {
  /** Name of the log. */
  readonly origin: string;
  /** Every key of the installation with its period. */
  readonly keys: readonly PublishedKey[];
  /** The key that signed the seal. */
  readonly keyid: string;
  /** Certificates (DER) that timestamps must lead to; null when none are set, and no timestamp can be verified. */
  readonly authorities: readonly Uint8Array[] | null;
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
 * it instead, and is left out: the times of before are then asserted, as they are without it. So is one that
 * does not hold. One that cannot be verified here attests nothing: whoever answers the authority's address
 * could make it. It goes along for auditors to judge, and decides only where there is nothing else.
 */
export function chooseCheckpoint(
  candidates: readonly AttestedCheckpoint[],
  by: SignedBy,
): ChosenCheckpoint | null {
  let best: { readonly score: number; readonly chosen: ChosenCheckpoint } | null = null;
  for (const candidate of candidates) {
    const { note, cosignatures } = candidate;
    if (best !== null && cosignatures.length + 1 <= best.score) continue;
    const stamp = stampOf(candidate, by);
    const score = cosignatures.length + (stamp?.isVerified === true ? 1 : 0);
    if ((score === 0 && stamp === null) || (best !== null && score <= best.score)) continue;
    const lines = cosignatures.slice(0, MAX_COSIGNATURES).join('');
    best = { score, chosen: { note: `${note}${lines}`, token: stamp?.token ?? null } };
  }
  return best?.chosen ?? null;
}

/** The timestamp of a head when it is of use, and whether it was verified. */
function stampOf({ note, timestamp }: AttestedCheckpoint, by: SignedBy) {
  if (timestamp === null || timestamp.at >= endOf(note, by)) return null;
  const { token } = timestamp;
  if (by.authorities === null) return { token, isVerified: false };
  const isHeld = !('problem' in verifyTimestamp(token, Buffer.from(note, 'utf8'), by.authorities));
  return isHeld ? { token, isVerified: true } : null;
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
