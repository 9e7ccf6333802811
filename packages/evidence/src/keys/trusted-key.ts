import type { KeyObject } from 'node:crypto';
import type { KeyUse, TrustedKey, TrustRoot } from '@palisade/contracts';
import { readPublicKey } from './public-key.ts';

/** A key found in a trust root, or why there is none. */
export type KeyDecision =
  | { readonly key: KeyObject; readonly entry: TrustedKey }
  | { readonly refused: string };

/** The key the auditor's trust root has under `keyid` for a use; its period is judged by {@link periodProblem}. */
export function trustedKey(root: TrustRoot, keyid: string, use: KeyUse): KeyDecision {
  const name = JSON.stringify(keyid);
  const entry = Object.hasOwn(root.keys, keyid) ? root.keys[keyid] : undefined;
  if (entry === undefined) return { refused: `key ${name} is not in the trust root` };
  if (!entry.uses.includes(use))
    return { refused: `key ${name} may not sign ${use === 'log' ? 'checkpoints' : 'seals'}` };
  const key = readPublicKey(Buffer.from(entry.spki_der, 'base64'), entry.alg);
  if (key === null) return { refused: `key ${name} is not the ${entry.alg} key the trust root says` };
  return { key, entry };
}

/** How far the clock of an installation may run ahead of a timestamp authority's when a key is new, ms. */
const CLOCK_SKEW_MS = 300_000;

/** When a signature was made: as its signer says, and until when it must have existed, when that was verified. Unix ms. */
export interface SigningTime {
  readonly asserted: number;
  readonly attested: number | null;
}

/**
 * Why a key may not have signed for `use` at a time, or null (DI-252). Everything unclear is a refusal. The
 * signer asserts its time and may lie, so a revoked key holds only for a signature that verifiably existed
 * before the revocation. The key's period is enforced on the asserted time, which an honest signer keeps, and
 * on the attested one, which nobody can set back.
 */
export function periodProblem(entry: TrustedKey, use: KeyUse, time: SigningTime): string | null {
  const { asserted, attested } = time;
  if (entry.status === 'revoked' || entry.revoked_at !== undefined) {
    const revokedAt = Date.parse(entry.revoked_at ?? '');
    if (attested === null) return 'is revoked, and no verified time shows that it was used before';
    if (!(attested < revokedAt))
      return `is revoked, and the signature is not known to have existed before ${iso(attested)}`;
  }
  const from = Date.parse(entry.not_before);
  const to = entry.not_after === undefined ? Number.POSITIVE_INFINITY : Date.parse(entry.not_after);
  if (Number.isNaN(from) || Number.isNaN(to)) return 'has a period that cannot be read';
  // A checkpoint is made at or after the seals in it, so only the end of its key's period can be judged.
  if (use === 'seal' && asserted < from) return `was not in use yet at ${iso(asserted)}`;
  if (asserted >= to) return `was no longer in use at ${iso(asserted)}`;
  if (attested === null) return null;
  if (attested + CLOCK_SKEW_MS < from) return `was not in use yet at ${iso(attested)}, the attested time`;
  if (attested >= to) return `was no longer in use at ${iso(attested)}, the attested time`;
  return null;
}

function iso(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? String(ms) : date.toISOString();
}
